@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct NameCountsTests {
  private func counts(_ names: [String]) -> NameCounts {
    NameCounts(names: names.map { NamedCount($0, 1) })
  }

  /// Equal as characters, they are two names: a run counts them apart.
  @Test func namesAreToldApartByTheirBytes() {
    let merged = NameCounts(merging: [counts(["e\u{301}"]), counts(["\u{E9}"])])
    #expect(merged.names.map { Array($0.name.utf8) } == [[0x65, 0xCC, 0x81], [0xC3, 0xA9]])
  }

  @Test func theSmallestNamesAreKept() {
    let names = (0..<UnknownFields.mostNames).map { "m\(10_000 + $0)" }
    let merged = NameCounts(merging: [counts(names), counts(["a", "m10000", "z"])])
    #expect(merged.names.map(\.name) == ["a"] + names.dropLast())
    #expect(merged.names[1].count == 2)
    // "z", and the greatest of the others.
    #expect(merged.others == 2)
    let again = NameCounts(merging: [merged, counts(["0"])])
    #expect(again.others == 3 && again.total == 1004)
  }

  @Test func namesThatAreNotListedAreOneNumber() {
    var counts = NameCounts(
      names: [NamedCount("amount", 2), NamedCount("other", 3), NamedCount("user-17", 4)])
    func text() -> String { JSONWriter.document { counts.write("counts", to: &$0) }.text }
    #expect(text() == "{\"counts\":{\"amount\":2,\"other\":3,\"user-17\":4}}\n")
    counts.forget { $0 == "user-17" }
    #expect(text() == "{\"counts\":{\"amount\":2,\"other\":7}}\n")
  }

  @Test func theSummaryHasTheThreeMostFrequent() {
    let names = [("a", 1), ("amount", 1200), ("b\u{1B}[2J", 5), ("c", 5), ("d", 5)]
    let counts = NameCounts(names: names.map { NamedCount($0, $1) }, others: 7)
    #expect(counts.total == 1223)
    #expect(counts.mostFrequent == #"amount 1,200, "b\u{1B}[2J" 5, c 5 and 13 of other names"#)
  }
}
