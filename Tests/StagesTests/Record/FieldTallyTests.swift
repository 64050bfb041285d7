import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct FieldTallyTests {
  private func fields(_ blocks: [[String]]) -> UnknownFields {
    var fields = UnknownFields()
    for block in blocks {
      var tally = FieldTally()
      for name in block { withByteView(of: name) { tally.add($0) } }
      fields.add(tally)
    }
    return fields
  }

  @Test func longNamesAreCut() {
    let long = String(repeating: "é", count: 61)
    let counted = fields([[long, String(long.dropLast())]]).sorted
    #expect(counted.map(\.name) == [String(long.dropLast())] && counted[0].count == 2)
  }

  @Test(arguments: [(116, false), (117, true), (120, true), (121, false)])
  func aNameThatMayBeCut(length: Int, isCut: Bool) {
    withByteView(of: Sample.text(length)) { #expect(UnknownFields.isCut($0) == isCut) }
  }

  @Test func keepsTheSmallestNamesInAnyOrder() {
    var random = RepeatableRandom(seed: 11)
    var names = (0..<UnknownFields.mostNames + 1500).flatMap { ["name\($0)", "name\($0)"] }
    let smallest = Set(names).sorted().prefix(UnknownFields.mostNames)
    for size in [1, 100, names.count] {
      names.shuffle(using: &random)
      let blocks = stride(from: 0, to: names.count, by: size).map {
        Array(names[$0..<min($0 + size, names.count)])
      }
      let counted = fields(blocks)
      #expect(counted.sorted.map { "\($0.name) \($0.count)" } == smallest.map { "\($0) 2" })
      #expect(counted.others == 2 * 1500)
    }
  }
}

/// What is counted besides events and operations, and in which lines.
@Suite struct DialectNotesTests {
  private let harness = StageHarness()

  private func notes(_ lines: [String]) -> [String] {
    harness.load(Array(lines.joined(separator: "\n").utf8))
    harness.work()
    let batch = harness.unit.batch
    let counted = batch.notes.internalEvents.named + batch.notes.ignoredActions.named
    return counted.map { "\($0.name) \($0.count)" } + ["\(batch.notes.logouts)"]
  }

  @Test(arguments: [
    (
      [
        #"{"name":"_A","ts":1}"#, #"{"name":"_A","ts":1}"#,
        #"{"name":"_PROFILE_IDENTIFY","ts":1,"params":{"identifiers":{}}}"#,
        #"{"action":["batch.x"]}"#,
        #"{"action":["batch.group",{"actions":[["batch.x"],["batch.y"]]}]}"#,
      ], ["_A 2", "_PROFILE_IDENTIFY 1", "batch.x 2", "batch.y 1", "1"]
    ),
    // A line that is rejected as a whole counts only as a reject.
    (
      [
        #"{"name":"_A","ts":1,"cus":"null"}"#, #"{"name":"_A","ts":1}"#,
        #"{"name":"_PROFILE_IDENTIFY","ts":1,"di":"a b","params":{"identifiers":{}}}"#,
        #"{"name":"_PROFILE_IDENTIFY","ts":1,"params":[]}"#,
        #"{"name":"_OPTOUT","ts":1}"#, #"{"action":["batch.x"],"custom_id":""}"#,
        #"{"action":["batch.group",{"actions":[["batch.x"],["batch.group",{}]]}]}"#,
      ], ["_A 1", "0"]
    ),
    // A line with a refused part still counts.
    (
      [
        #"{"name":"_OPTOUT","ts":1,"di":"i"}"#,
        #"{"action":["batch.group",{"actions":[["batch.x"],5]}]}"#,
      ], ["_OPTOUT 1", "batch.x 1", "0"]
    ),
  ])
  func linesThatAreTakenCount(lines: [String], expected: [String]) {
    // A reused unit keeps no earlier counts.
    for _ in 0..<2 { #expect(notes(lines) == expected) }
  }
}
