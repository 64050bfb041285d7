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
    let reasons = try #require(explained.value["events"]?[0]?["reasons"]?.items)
    let codes = reasons.compactMap { $0["code"]?.text }
    #expect(codes.count == ReasonList.mostPerPart + 3)
    #expect(codes.filter { $0 == "wrong_type" }.count == ReasonList.mostPerPart)
    #expect(Set(codes) == ["wrong_type", "array_too_long", "string_empty", "bad_key"])
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
    let losses = try StageHarness().explain(line, .lenient).value["losses"]?.items
    #expect(losses?.count == 3000)
  }

  @Test func rejectedLinesBehindAFullPartKeepTheirReasons() throws {
    let items = Array(repeating: "1", count: 2000).joined(separator: ",")
    let full =
      #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"attributes":{"a":[\#(items)]}}"#
    let bad = #"{"identifiers":{"custom_id":""},"events":[{"name":"n"}]}"#
    let lines = [full] + Array(repeating: bad, count: 1500)
    let explained = try StageHarness().explain(Array(lines.joined(separator: "\n").utf8))
    #expect(explained.count == lines.count)
    for line in explained.dropFirst() {
      #expect(line.value["reasons"]?[0]?["code"]?.text == "bad_custom_id")
    }
  }

  /// Every entry repeats the raw line, which once made a line's rejects the square of its length.
  @Test func onlyTheFirstEntriesOfALineRepeatIt() throws {
    let count = QuarantineStage.entriesWithRaw + 10
    let events = Array(repeating: "{}", count: count).joined(separator: ",")
    let harness = StageHarness()
    harness.load(Array(#"{"identifiers":{"custom_id":"u"},"events":[\#(events)]}"#.utf8))
    harness.work()
    let rejects = try harness.rejects()
    #expect(rejects.count == count)
    let whole = rejects.filter { $0["raw"]?.text?.isEmpty == false }
    #expect(whole.count == QuarantineStage.entriesWithRaw)
    #expect(rejects.last?["raw"]?.text == "" && rejects.last?["raw_truncated"] != nil)
  }
}
