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
