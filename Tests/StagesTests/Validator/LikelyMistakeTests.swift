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

  private static let times = [
    ("2024-05-02T09:15:00+02000", "another offset format"),
    ("2024-05-02T09:15:00 +2:00", "another offset format"),
    ("2024-05-02T09:15.5Z", "a fraction of a minute"),
    ("2024-05-02T09:15 CEST", "name of a zone"),
    ("2024-05-02T09:15:00CET", "name of a zone"),
    ("2024-05-02 09:15:00 Europe/Paris", "name of a zone"),
    ("2024-05-02T09:15:00+02:00[Europe/Paris]", "name of a zone"),
    ("2024-05-02 09:15:00 GMT", "name of a zone"),
    ("02/05/2024 09:15", "local date"),
    ("2/5/24", "local date"),
    ("02.05.2024 09:15:00", "local date"),
    ("2024/05/02 09:15:00", "local date"),
    ("2024-05-02 9:15 AM", "AM or PM"),
    ("05/02/2024 9:15pm", "AM or PM"),
    ("2024-05-02 9:15", "two digits each"),
    ("2024-05-02T09:15:1", "two digits each"),
    ("2024-05-02", "without a time of day"),
    ("2024-05-02_09:15:00Z", "write T between"),
    ("2024-05-02T09:60", "does not exist"),
    ("1714641300000", "number in quotes"),
    ("1714641300.5", "number in quotes"),
    ("Thu, 02 May 2024 09:15:00 GMT", "date in words"),
    ("2024-02-30T09:15:00Z", "does not exist"),
    ("2024-05-02T24:00:00+02:00", "does not exist"),
    ("2024-05-02T09:15:00 ", "a space after the time"),
    ("2024-05-02T09:15:00.123  ", "a space after the time"),
  ]

  /// A time followed by a space once crashed the program: a scan of a text must not read past its
  /// end.
  @Test func textsThatEndAnywhere() {
    var count = 0
    for (text, _) in Self.times {
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
  func aTextThatIsNoTimeIsNamed(_ text: String, _ words: String) throws {
    for line in [
      Self.event(time: #""\#(text)""#), Self.event(#""attributes":{"date(d)":"\#(text)"}"#),
    ] {
      let explained = try StageHarness().explain(line)
      let reason = try #require(explained.value["events"]?[0]?["reasons"]?[0])
      let message = try #require(reason["message"]?.text)
      #expect(["invalid_time", "date_invalid"].contains(reason["code"]?.text))
      #expect(message.contains(words), "\(message)")
    }
  }

  @Test(arguments: [#""""#, #""soon: 1""#, #""2024-13""#, "true", "-1", "9e300", "5e18"])
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
