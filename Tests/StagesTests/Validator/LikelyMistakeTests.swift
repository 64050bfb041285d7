import TestSupport
import Testing

@testable import Stages

/// Mistakes of unit and form are rejected under the codes of data-model 17, with a message that
/// says what the value looks like and what to do.
struct LikelyMistakeTests {
  /// A line, the scope and code of its reason, and words of the message.
  struct Trap: CustomTestStringConvertible, Sendable {
    let line: String
    let reason: String
    let words: String

    init(_ line: String, _ reason: String, _ words: String) {
      (self.line, self.reason, self.words) = (line, reason, words)
    }

    var testDescription: String { line }
  }

  /// An event with a time.
  private static func event(time: String) -> String { #"{"name":"n","time":\#(time)}"# }

  /// An event with something beside its name and time.
  private static func event(_ rest: String) -> String {
    #"{"name":"n","time":"2024-05-02T09:15:00Z",\#(rest)}"#
  }

  /// A v2 record with operations.
  private static func update(_ attributes: String) -> String {
    #"{"identifiers":{"custom_id":"u"},"time":"2024-05-02T09:15:00Z","attributes":\#(attributes)}"#
  }

  private static let numbers = [
    Trap(event(time: "1714641300"), "event:0 time time_out_of_range", "looks like seconds"),
    Trap(event(time: "1714641300.5"), "event:0 time time_out_of_range", "multiply it by 1000"),
    Trap(event(time: "1714641300000000"), "event:0 time time_out_of_range", "microseconds"),
    Trap(event(time: "1714641300000000000"), "event:0 time time_out_of_range", "nanoseconds"),
    Trap(
      event(time: #""1970-01-20T20:17:21Z""#), "event:0 time time_out_of_range",
      "formatted as milliseconds"),
    Trap(
      #"{"custom_id":"u","time":1714641300,"update":{"values":{"a":1}}}"#,
      "operation:0 time time_out_of_range", "looks like seconds"),
    Trap(
      #"{"id":"u","time":1714641300,"events":[{"name":"n"}]}"#,
      "event:0 time time_out_of_range", "looks like seconds"),
    Trap(event(time: "20240502"), "event:0 time time_out_of_range", "without separators"),
    Trap(event(time: "20240502091500"), "event:0 time time_out_of_range", "without separators"),
    Trap(event(time: "45414.4"), "event:0 time time_out_of_range", "days since 1900"),
    Trap(event(time: "19845"), "event:0 time time_out_of_range", "days since 1970"),
    Trap(event(time: "736334100.5"), "event:0 time time_out_of_range", "seconds since 2001"),
    Trap(event(time: "13359114900000000"), "event:0 time time_out_of_range", "in Chrome"),
    Trap(event(time: "133591149000000000"), "event:0 time time_out_of_range", "in Windows"),
    Trap(event(time: "638502381000000000"), "event:0 time time_out_of_range", "ticks of .NET"),
    Trap(event(time: "0"), "event:0 time time_out_of_range", "there is no time"),
    Trap(
      event(time: #""0001-01-01T00:00:00Z""#), "event:0 time time_out_of_range", "there is no time"
    ),
    Trap(event(time: #""2567-05-02T09:15:00Z""#), "event:0 time time_out_of_range", "Buddhist"),
    Trap(event(time: #""1403-02-13T09:15:00Z""#), "event:0 time time_out_of_range", "Persian"),
    Trap(event(time: #""0113-05-02T09:15:00Z""#), "event:0 time time_out_of_range", "Taiwan"),
    Trap(
      event(time: #"{"$date":1714641300000}"#), "event:0 time invalid_time", "export of a database"
    ),
    Trap(event(time: "[2024,5,2,9,15]"), "event:0 time invalid_time", "list of year, month, day"),
    Trap(
      event(#""attributes":{"date(d)":{"_seconds":1}}"#),
      "event:0 attributes.date(d) wrong_type", "export of a database"),
    Trap(
      event(#""attributes":{"date(d)":20240502091500}"#),
      "event:0 attributes.date(d) date_invalid", "without separators"),
    Trap(
      event(#""attributes":{"date(d)":1714641300000}"#),
      "event:0 attributes.date(d) date_invalid", "milliseconds, seconds are expected"),
    Trap(
      event(#""attributes":{"date(d)":1714641300000000}"#),
      "event:0 attributes.date(d) date_invalid", "microseconds, seconds are expected"),
    Trap(
      update(#"{"date(d)":1714641300000000000}"#),
      "operation:0 attributes.date(d) date_invalid", "nanoseconds, seconds are expected"),
  ]

  /// Words of the message, and texts that get it.
  private static let times: [(words: String, texts: [String])] = [
    ("another offset format", ["+02000", " +2:00", "+2", "+02:", "+020", " +"].map(at)),
    ("a fraction of a minute", ["2024-05-02T09:15.5Z", "2024-05-02T09:15,5"]),
    (
      "with the name of a zone",
      ["2024-05-02T09:15 CEST", "2024-05-02 09:15:00 Europe/Paris"]
        + ["CET", " GMT", ".123 PST", "[Europe/Paris]"].map(at)
    ),
    ("the name of a zone: write only the offset", ["UTC+2", " GMT+0200 (CEST)"].map(at)),
    (
      "after the offset, such as the name of a zone: remove it",
      ["+02:00[Europe/Paris]", "Z[UTC]", "Z extra", "+0200 (CEST)"].map(at)
    ),
    ("two offsets", ["+00:00Z", "ZZ", "Z+02:00"].map(at)),
    ("offset without its sign", [at(" 0200")]),
    ("more text after the time", [at(" by the server"), at("]")]),
    ("several spaces before the offset", [at("  +02:00")]),
    ("a colon before the fraction", [at(":123")]),
    ("no digits after the point", [at("."), at(",Z")]),
    ("unknown order of day and month", ["02/05/2024 09:15", "2/5/24", "02.05.2024", "31-12-2024"]),
    (
      "hyphens between year, month and day",
      ["2024/05/02 09:15:00", "2024.05.02", "2024:05:02 09:15:00", "2024_05_02T09:15:00Z"]
    ),
    ("AM or PM", ["2024-05-02 9:15 AM", "05/02/2024 9:15pm", "2024-05-02 9:15 p.m."]),
    (
      "two digits each",
      ["2024-05-02 9:15", "2024-05-02T09:15:1", "2024-5-2 09:15", "2024-05-2T09:15:00Z"]
    ),
    ("without a time of day", ["2024-05-02", "2024-05-02Z", "2024-05-02+02:00"]),
    ("write T", ["2024-05-02_09:15:00Z", "2024-05-02-09:15:00", "2024-05-02  09:15:00"]),
    ("without colons", ["2024-05-02T0915", "2024-05-02T091500Z"]),
    ("hours, minutes and seconds", ["2024-05-02T", "2024-05-02T09", "2024-05-02T09h15"]),
    ("does not exist", ["2024-05-02T09:60", "2024-02-30T09:15:00Z", at("+24:00")]),
    ("hour 24", ["2024-05-02T24:00:00+02:00"]),
    ("leap second", ["2016-12-31T23:59:60Z"]),
    (
      "number in quotes",
      ["1714641300000", "1714641300.5", "1714641300", "1.7146413E12", "-1", "1714641300000000"]
    ),
    ("a number with a comma", ["1714641300,5"]),
    ("days since 1900 of a spreadsheet", ["45414.385"]),
    (
      "without separators",
      ["20240131", "20240131T101500Z", "20240502091500", "20240502091500123", "202405020915"]
    ),
    (
      "date in words",
      ["Thu, 02 May 2024 09:15:00 GMT", "2 May 2024", "02-May-2024", "02/May/2024:09:15:00 +0200"]
    ),
    ("date in words", ["1st of May 2024"]), ("hexadecimal", ["0x66335A14", "0X66335a14"]),
    ("this is a word", ["tomorrow", "x"]),
    ("by its week", ["2024-W18-4T09:15:00Z", "2024W184"]),
    ("by its day in the year", ["2024-123", "2024-123T09:15:00Z"]),
    ("this looks like a month", ["2024-05"]),
    ("without a date", ["09:15:00", "9:15"]),
    ("year that is not of four digits", ["02024-05-02T09:15:00Z", "+002024-05-02T09:15:00Z"]),
    ("white space around", [at(" "), at(#"Z\n"#), " " + at("Z"), at(".123  ")]),
    ("quotes inside", [#"\""# + at("Z") + #"\""#, "'" + at("Z") + "'"]),
    (
      "does not belong into a time",
      [at("\u{2212}02:00"), at(#"\tZ"#), "\u{662}\u{660}\u{662}\u{664}-05-02"]
    ),
    ("date of a program", [#"/Date(1714641300000)/"#, #"ISODate('2024-05-02T09:15:00Z')"#]),
    (
      "stands for a missing time",
      ["", " ", "null", "NaN", "Invalid Date", "undefined", "0000-00-00 00:00:00", "0"]
    ),
  ]

  /// A time, and something after it.
  private static func at(_ end: String) -> String { "2024-05-02T09:15:00\(end)" }

  /// A time followed by a space once crashed the program: a scan of a text must not read past its
  /// end.
  @Test func textsThatEndAnywhere() {
    var count = 0
    for text in Self.times.flatMap(\.texts) {
      for length in 0...text.utf8.count {
        for end in ["", " ", "Z", "+", "-", ".", ",", ":", "0", "T", "é", ". ", " +", ".0 "] {
          withByteView(of: text.utf8.prefix(length) + Array(end.utf8)) { view in
            count += LikelyMistake.time(view) == nil ? 0 : 1
          }
        }
      }
    }
    #expect(count > 1000, "most of them look like something")
  }

  private static let types = [
    Trap(event(#""label":17"#), "event:0 label wrong_type", "this is a number: write it in quotes"),
    Trap(event(#""label":true"#), "event:0 label wrong_type", "this is a boolean"),
    Trap(event(#""tags":"a,b""#), "event:0 tags wrong_type", "list in one text: write an array"),
    Trap(event(#""tags":[1]"#), "event:0 tags[0] wrong_type", "this is a number"),
    Trap(
      event(##""attributes":"{\"a\":1}""##), "event:0 attributes bad_attributes",
      "JSON that was written as text"),
    Trap(
      #"{"identifiers":{},"events":[{"name":"n","time":1714641300000,"attributes":{"$label":5}}]}"#,
      "event:0 attributes.$label wrong_type", "this is a number"),
    Trap(
      #"{"identifiers":{},"events":[{"name":"n","time":1714641300000,"attributes":{"$tags":"a"}}]}"#,
      "event:0 attributes.$tags wrong_type", "list in one text"),
    Trap(
      update(##""{\"a\":1}""##), "operation:0 attributes bad_attributes",
      "JSON that was written as text"),
    Trap(
      ##"{"id":"u","time":1714641300000,"update":" {\"values\":{}}"}"##,
      "operation:0 attributes bad_attributes", "JSON that was written as text"),
    Trap(
      #"{"id":"u","time":1714641300000,"update":{"values":{"ut.roles":"a,b"}}}"#,
      "operation:0 attributes.roles wrong_type", "list in one text"),
    Trap(
      update(#"{"$topic_preferences":"a,b"}"#),
      "operation:0 attributes.$topic_preferences wrong_type", "list in one text"),
    Trap(
      update(#"{"$phone_number":33600000000}"#),
      "operation:0 attributes.$phone_number wrong_type", "this is a number"),
  ]

  @Test(arguments: numbers + types)
  func isNamedInTheMessage(_ trap: Trap) throws {
    let line = try StageHarness().explain(trap.line)
    #expect(line.reasons == [trap.reason])
    let parts = (line.value["events"]?.items ?? []) + (line.value["operations"]?.items ?? [])
    let message = try #require(parts.first?["reasons"]?[0]?["message"]?.text)
    #expect(message.contains(trap.words), "\(message)")
  }

  @Test(arguments: times)
  func aTextThatIsNoTimeIsNamed(_ words: String, _ texts: [String]) throws {
    let lines = texts.flatMap { text in
      [Self.event(time: #""\#(text)""#), Self.event(#""attributes":{"date(d)":"\#(text)"}"#)]
    }
    for line in lines {
      let explained = try StageHarness().explain(line)
      let reason = try #require(explained.value["events"]?[0]?["reasons"]?[0])
      let message = try #require(reason["message"]?.text)
      #expect(["invalid_time", "date_invalid"].contains(reason["code"]?.text))
      #expect(message.contains(words), "\(line): \(message)")
    }
  }

  @Test(arguments: [#""soon: 1""#, #""2024-13""#, "true", "-1", "9e300", "5e18"])
  func whatLooksLikeNothingGetsNoGuess(_ time: String) throws {
    let explained = try StageHarness().explain(Self.event(time: time))
    let message = try #require(explained.value["events"]?[0]?["reasons"]?[0]?["message"]?.text)
    #expect(time == #""soon: 1""# || !message.contains("looks like"), "\(message)")
  }

  /// Times of 1970 in milliseconds are valid dates in seconds, so they are accepted.
  @Test func aDateThatIsPossibleIsTaken() throws {
    let explained = try StageHarness().explain(
      Self.event(#""attributes":{"date(d)":200000000000}"#))
    #expect(explained.outcome == "accepted")
  }
}
