import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct FieldTallyTests {
  private func tally(_ names: [String]) -> FieldTally {
    var tally = FieldTally()
    for name in names { withByteView(of: name) { tally.add($0) } }
    return tally
  }

  @Test func countsByName() {
    let counted = tally(["b", "a", "b", "", "é"])
    let total = counted.total
    #expect(total == 5)
    #expect(counted.sorted.map(\.name) == ["", "a", "b", "é"])
    #expect(counted.sorted.map(\.count) == [1, 1, 2, 1])
    #expect(FieldTally().isEmpty && FieldTally().sorted.isEmpty)
  }

  @Test func forgets() {
    var counted = tally(["a"])
    counted.removeAll()
    #expect(counted.isEmpty && counted.sorted.isEmpty)
  }

  @Test func longNamesAreCut() {
    let long = String(repeating: "é", count: 61)
    let counted = tally([long, String(long.dropLast())])
    #expect(counted.sorted.map(\.name) == [String(long.dropLast())] && counted.sorted[0].count == 2)
  }

  @Test func keepsTheSmallestNamesInAnyOrder() {
    var random = RepeatableRandom(seed: 11)
    var names = (0..<FieldTally.mostNames + 100).flatMap { ["name\($0)", "name\($0)"] }
    let smallest = Set(names).sorted().prefix(FieldTally.mostNames)
    for _ in 0..<2 {
      names.shuffle(using: &random)
      let counted = tally(names)
      #expect(counted.total == names.count)
      #expect(counted.sorted.map(\.name) == Array(smallest))
      #expect(counted.sorted.allSatisfy { $0.count == 2 })
    }
  }

  @Test func mergingIsAddingInAnyOrder() {
    let first = (0..<FieldTally.mostNames).map { "b\($0)" }
    let second = (0..<60).map { "a\($0)" } + ["b1", "b1"]
    var forward = tally(first)
    forward.merge(tally(second))
    var backward = tally(second)
    backward.merge(tally(first))
    let together = tally(first + second)
    for merged in [forward.sorted, backward.sorted] {
      #expect(merged.map(\.name) == together.sorted.map(\.name))
      #expect(merged.map(\.count) == together.sorted.map(\.count))
    }
    #expect(forward.total == together.total && backward.total == together.total)
  }

  /// Names that differ from line to line once cost a search through all names kept, each of them;
  /// now the greatest are forgotten many at a time, which must not change what is kept.
  @Test func namesThatNeverRepeatCostLittle() {
    let digits = 6
    let names = (0..<20_000).map { number in
      let text = String(number)
      return String(repeating: "0", count: digits - text.count) + text
    }
    let counted = tally(names.reversed())
    #expect(counted.total == names.count)
    #expect(counted.sorted.map(\.name) == Array(names.prefix(FieldTally.mostNames)))
    #expect(counted.sorted.allSatisfy { $0.count == 1 })
  }
}
