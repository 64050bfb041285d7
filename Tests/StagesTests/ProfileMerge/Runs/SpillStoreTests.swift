import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct SpillStoreTests {
  /// The number of open files is bounded, and the states are those of one spill.
  @Test(arguments: [3, 4] as [UInt64])
  func spillsThatBecomeManyAreMerged(seed: UInt64) throws {
    let steps = 40 * SpillFixture.mostOfSize
    let fixture = try SpillFixture()
    var settings = MergeSettings()
    settings.snapshot.partitions = 2
    func spilled(every size: Int) throws -> (files: Int, states: [PlainState]) {
      let store = fixture.store("every-\(size)", partitions: 2)
      let run = try MergeRun(settings)
      var history = RandomHistory.wide(seed: seed, people: 30)
      var rest = history.steps(steps)[...]
      while !rest.isEmpty {
        try run.apply(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
        try run.spill(to: store)
      }
      let files = store.files.count
      return (files, try states(of: store.files))
    }
    let whole = try spilled(every: .max)
    let many = try spilled(every: 7)
    #expect(whole.files == 1)
    let written = (steps + 6) / 7
    #expect(many.files < 2 * SpillFixture.mostOfSize && many.files < written, "seed \(seed)")
    #expect(many.states == whole.states, "seed \(seed)")
  }

  /// What `files` of two partitions know of each key, merged.
  private func states(of files: [SortedRun]) throws -> [PlainState] {
    let reader = try KeyFrameReader(names: RunNames())
    var compactor = MutationCompactor()
    var duplicates = DuplicateTally()
    var found: [PlainState] = []
    for partition in 0..<2 {
      for section in KeySection.allCases {
        let all = KeyRangeTask(partition: partition, section: section, range: .all)
        var sources = KWayMerge(try files.cursors(all, isShared: false, reader))
        while sources.key != nil {
          found.append(PlainState(sources.merged(by: &compactor, &duplicates)))
          try sources.advance()
        }
      }
    }
    return found
  }
}
