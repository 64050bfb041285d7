import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct StateTotalsTests {
  private static let header = #"{"eventmill_state":\#(StateHeader.version),"partitions":1}"# + "\n"

  /// A line whose counts exceed together what a state may have.
  private static let many =
    #"{"event":"a","count":1,"last":1714521600000,"dialects":{"#
    + Array(repeating: #""v1":281474976710656"#, count: 16).joined(separator: ",") + "}}"

  private static func read(
    _ text: [UInt8], names: RunNames = RunNames()
  ) throws(Failure) -> StateTotals {
    try withByteView(of: text) { (text) throws(Failure) in
      try StateTotals(text, path: "totals", names: names)
    }
  }

  private static func expectCorrupt(_ text: [UInt8], line: Int) -> Failure? {
    let failure = Failure.of(try read(text))
    #expect(failure?.kind == .corrupt && failure?.path == "totals" && failure?.line == line)
    return failure
  }

  @Test func whatWasWrittenIsRead() throws {
    let text =
      #"{"eventmill_state":\#(StateHeader.version),"partitions":4,"days_from":19800}"# + "\n"
      + #"{"active":"days","people":[[19844,2]]}"# + "\n"
      + #"{"active":"months","people":[[24292,2]]}"# + "\n"
      + #"{"active":"weeks","people":[[2835,2]]}"# + "\n"
      + #"{"attribute":"$language"}"# + "\n"
      + #"{"attribute":"a"}"# + "\n"
      + #"{"cohort":"2024-04-30","active":[[19844,1]]}"# + "\n"
      + #"{"cohort":"2024-05-01","active":[[19844,1]]}"# + "\n"
      + #"{"day":"2024-05-01","read":5,"last":1714521600001}"# + "\n"
      + #"{"event":"a","count":3,"days":[[19844,3]],"dialects":{"v1":1,"v2":4},"duplicates":2,"#
      + #""first":1714521600000,"last":1714521600001,"profiles":2}"# + "\n"
      + #"{"event":"b_2","count":0,"dialects":{"v2":1},"duplicates":1,"#
      + #""last":1714521600001,"profiles":0}"# + "\n"
      + #"{"event":"c","count":1,"dialects":{"v2":1},"duplicates":0,"profiles":1,"#
      + #""source_names":["A/\"é","C"]}"# + "\n"
    let names = RunNames()
    let read = try Self.read(Array(text.utf8), names: names)
    #expect(names.events.list().count == 3 && names.attributes.list().count == 2)
    var totals = EventTotals()
    var tally = SnapshotTally()
    totals.merge(read)
    for total in read.totals { tally.add(total.profiles, total.name) }
    tally.active.merge(read.active)
    #expect(totals.carried == 4 && totals.duplicates == 3 && totals.accepted == 0)
    var out = ByteBuffer()
    try StateTotals.write(
      totals, tally, SnapshotNames(names), partitions: 4, daysFrom: read.daysFrom
    ) { out.append($0) }
    #expect(out.view.text == text)
  }

  /// Its text would be that of a time beyond all integers.
  @Test(arguments: ["1", "9223372036854775807", "-1", "\"2024-05-01\"", "null"])
  func daysFromOutOfRange(_ day: String) {
    let header = Self.header.replacing("}", with: #","days_from":\#(day)}"#)
    #expect(Self.expectCorrupt(Array(header.utf8), line: 1)?.remedies.isEmpty == false)
  }

  @Test(arguments: [
    "[]", "no json", "{}", #"{"name":"a"}"#, #"{"attribute":5}"#, #"{"attribute":"A"}"#,
    #"{"attribute":""}"#, #"{"event":"a"}"#, #"{"event":"A","count":1,"last":1714521600000}"#,
    #"{"event":5,"count":1,"last":1714521600000}"#,
    #"{"event":"a","count":-1,"last":1714521600000}"#,
    #"{"event":"a","count":281474976710657,"last":1714521600000}"#,
    #"{"event":"a","count":0}"#, #"{"event":"a","count":1,"first":1714521600001}"#,
    #"{"event":"a","count":1,"source_names":[]}"#, #"{"event":"a","count":1,"source_names":"A"}"#,
    #"{"event":"a","count":1,"source_names":["b","A"]}"#,
    #"{"event":"a","count":1,"days":[[19844,2]],"last":1714521600000}"#,
    #"{"event":"a","count":1,"days":[[5,1]],"last":1714521600000}"#,
    #"{"event":"a","count":1,"days":[[19844,0]],"last":1714521600000}"#,
    #"{"event":"a","count":2,"days":[[19844,1],[19844,1]],"last":1714521600000}"#,
    #"{"active":"years","people":[]}"#, #"{"active":"days","people":[[19844,-1]]}"#,
    #"{"active":"weeks","people":[[19844,1]]}"#, #"{"active":"days"}"#,
    #"{"cohort":"2024-13-01","active":[]}"#, #"{"cohort":"2024-05-01","active":[[19843,1]]}"#,
    #"{"cohort":"2024-05-01","active":[[20244,1]]}"#,
    #"{"day":"2024-05-01"}"#, #"{"day":"2024-05-01","read":1}"#,
    #"{"day":"2024-05-01","read":0,"last":1714521600000}"#,
    #"{"day":"2024-05-02","read":1,"last":1714521600000}"#,
    #"{"day":"1999-12-31","read":1,"last":946684799000}"#,
    #"{"day":"2024-05-01","read":1,"last":1714521600000,"first":1714521600000}"#,
    #"{"event":"a","count":1,"last":5}"#, #"{"event":"a","count":1,"color":1}"#,
    #"{"event":"a","count":1,"dialects":{"V9":1},"last":1714521600000}"#,
    #"{"event":"a","count":1,"dialects":[],"last":1714521600000}"#,
    many,
    #"{"event":"a","count":1,"first":1714521600001,"last":1714521600000}"#,
    #"{"event":"a","count":1,"profiles":"many","last":1714521600000}"#,
    #"{"key":"event:a","count":1,"duplicates":0,"last":1714521600000}"#,
    #"{"erased":"+123456789abcdef0123456789abcdef","time":1714521600000}"#,
    #"{"erased":"0123456789ABCDEF0123456789abcdef","time":1714521600000}"#,
    "{\"attribute\":\"\u{FF}\"}",
  ]) func aLineOfAnotherFormIsCorrupt(line: String) {
    _ = Self.expectCorrupt(Array((Self.header + line + "\n").utf8), line: 2)
  }

  /// Counts of a name that is repeated would add up to more than a state may have.
  @Test(arguments: [
    #"{"attribute":"a"}"#, #"{"attribute":"b"}"#, #"{"cohort":"2024-05-01","active":[]}"#,
  ]) func aLineOutOfOrderIsCorrupt(first: String) {
    let text = Self.header + first + "\n" + #"{"attribute":"a"}"# + "\n"
    #expect(Self.expectCorrupt(Array(text.utf8), line: 3)?.why == "a line is out of order")
  }

  /// The sum does not overflow behind the pair that is too much.
  @Test func aLineWithTooManyPeopleIsCorrupt() {
    let days = (19844..<19860).map { $0 } + Array(repeating: 19860, count: 40_000)
    let people = days.map { "[\($0),281474976710656]" }.joined(separator: ",")
    let text = Self.header + #"{"active":"days","people":["# + people + "]}\n"
    _ = Self.expectCorrupt(Array(text.utf8), line: 2)
  }

  @Test func whatIsNotUTF8IsCorrupt() {
    let line = Array("{\"attribute\":\"k".utf8) + [0xFF, 0x22, 0x7D, 0x0A]
    _ = Self.expectCorrupt(Array(Self.header.utf8) + line, line: 2)
  }

  @Test(arguments: [
    "", "\n", "{}\n", #"{"attribute":"k"}"# + "\n", #"{"eventmill_state":2,"partitions":1}"# + "\n",
    #"{"eventmill_state":4,"partitions":1}"# + "\n", #"{"eventmill_state":"6"}"# + "\n",
  ]) func withoutAHeaderItIsCorrupt(text: String) {
    _ = Self.expectCorrupt(Array(text.utf8), line: text.isEmpty ? 0 : 1)
  }

  @Test(arguments: [
    (#""7""#, "format -1;"), ("1.5", "format -1;"), ("-1", "format -1;"),
    (#"\#(StateHeader.version),"eventmill_state":2"#, "format 2;"),
    ("\(StateHeader.version)", "incomplete"),
  ]) func aHeaderOfAnotherFormatSaysWhich(version: String, why: String) throws {
    for rest in ["-1", "1", #""0""#] {
      let text = ByteBuffer(
        text: #"{"eventmill_state":\#(version),"partition":\#(rest),"partitions":1}"# + "\n")
      let failure = Failure.of(try StateHeader(text.view, path: "part"))
      #expect(failure?.why.contains(why) == true, "\(failure?.why ?? "")")
    }
  }
}
