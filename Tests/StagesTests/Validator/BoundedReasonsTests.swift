@testable import Jobs
import TestSupport
import Testing

@testable import Stages

/// An array with millions of bad items once had a reason for each of them, with its path.
@Suite struct BoundedReasonsTests {
  private func explain(_ attributes: String) throws -> StageHarness.Explained {
    try StageHarness().explain(
      #"{"identifiers":{"custom_id":"u"},"events":[{"name":"n","time":\#(Sample.time),"#
        + #""attributes":\#(attributes)}]}"#)
  }

  @Test func aPartHasAThousandReasonsAndEveryCode() throws {
    let items = Array(repeating: "1", count: 5000).joined(separator: ",")
    let explained = try explain(#"{"l":[\#(items)],"s":"","a b":1}"#)
    #expect(explained.reasons.count == ReasonList.mostPerPart + 3)
    #expect(explained.codes == ["array_too_long", "bad_key", "string_empty", "wrong_type"])
    let wrong = explained.reasons.filter { $0.hasSuffix(" wrong_type") }
    #expect(wrong.count == ReasonList.mostPerPart)
  }

  /// Each reason was once compared with all earlier ones of its part.
  @Test func aPartHasMillionsOfReasonsOfTwoCodes() {
    var list = ReasonList()
    list.beginPart()
    for _ in 0..<ReasonList.mostPerPart { list.add(.wrongType, at: "") }
    for _ in 0..<2_000_000 { list.add(.stringEmpty, at: "") }
    #expect(list.count == ReasonList.mostPerPart + 1)
    // What was removed with its value is new again.
    list.truncate(to: ReasonList.mostPerPart)
    for _ in 0..<2 { list.add(.stringEmpty, at: "") }
    #expect(list.count == ReasonList.mostPerPart + 1)
    list.beginPart()
    for _ in 0..<2 { list.add(.stringEmpty, at: "") }
    #expect(list.count == ReasonList.mostPerPart + 3)
  }

  @Test func lossesAreAllCounted() throws {
    let attributes = (0..<3000).map { #""k\#($0)":"""# }.joined(separator: ",")
    let line =
      #"{"custom_id":"u","name":"n","time":\#(Sample.time),"attributes":{\#(attributes)}}"#
    #expect(try StageHarness().explain(line, .lenient).losses.count == 3000)
  }

  @Test func rejectedLinesBehindAFullPartKeepTheirReasons() throws {
    let items = Array(repeating: "1", count: 2000).joined(separator: ",")
    let full =
      #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"attributes":{"a":[\#(items)]}}"#
    let bad = #"{"identifiers":{"custom_id":""},"events":[{"name":"n"}]}"#
    let lines = [full] + Array(repeating: bad, count: 1500)
    let explained = try StageHarness().explain(Array(lines.joined(separator: "\n").utf8))
    let reasons = Array(repeating: ["line:0 identifiers.custom_id bad_custom_id"], count: 1500)
    #expect(explained.dropFirst().map(\.reasons) == reasons)
  }

  /// Every entry repeats the raw line, which once made a line's rejects the square of its length.
  @Test func onlyTheFirstEntriesOfALineRepeatIt() throws {
    let count = QuarantineStage.entriesWithRaw + 10
    let events = Array(repeating: "{}", count: count).joined(separator: ",")
    let harness = StageHarness()
    harness.load(Array(#"{"identifiers":{"custom_id":"u"},"events":[\#(events)]}"#.utf8))
    harness.work()
    let rejects = try harness.rejects()
    let isWhole = rejects.map { $0["raw"]?.text != "" && $0["raw_truncated"] == nil }
    #expect(isWhole == (0..<count).map { $0 < QuarantineStage.entriesWithRaw })
  }
}
