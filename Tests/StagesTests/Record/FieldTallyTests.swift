import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct FieldTallyTests {
  private func tally(_ names: some Sequence<String>) -> FieldTally {
    var tally = FieldTally()
    for name in names { withByteView(of: name) { tally.add($0) } }
    return tally
  }

  private func fields(_ blocks: [[String]]) -> UnknownFields {
    var fields = UnknownFields()
    for block in blocks { fields.add(tally(block)) }
    return fields
  }

  @Test func longNamesAreCut() {
    let long = String(repeating: "é", count: 61)
    let counted = fields([[long, String(long.dropLast())]]).sorted
    #expect(counted.map(\.name) == [String(long.dropLast())] && counted[0].count == 2)
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
      let counted = fields(blocks).sorted
      #expect(counted.map(\.name) == Array(smallest))
      #expect(counted.allSatisfy { $0.count == 2 })
      #expect(fields(blocks).others == 2 * 1500)
    }
  }

  /// Names that differ from line to line once cost a search through all names kept, each of them;
  /// now the greatest are forgotten many at a time, which must not change what is kept.
  @Test func namesThatNeverRepeatCostLittle() {
    let digits = 6
    let names = (0..<20_000).map { number in
      let text = String(number)
      return String(repeating: "0", count: digits - text.count) + text
    }
    let counted = fields([names.reversed()]).sorted
    #expect(counted.map(\.name) == Array(names.prefix(UnknownFields.mostNames)))
    #expect(counted.allSatisfy { $0.count == 1 })
  }
}
