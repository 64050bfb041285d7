import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct SpillStoreTests {
  /// A spill has the keys in order, by partition.
  @Test(arguments: [1, 2] as [UInt64])
  func keysAreInOrder(seed: UInt64) throws {
    let fixture = try SpillFixture()
    let partitions = 3
    let store = fixture.store(partitions: partitions)
    var settings = MergeSettings()
    settings.snapshot.partitions = partitions
    settings.isTight = seed % 2 == 0
    let run = try MergeRun(settings)
    var history = RandomHistory.wide(seed: seed, people: 100)
    let steps = history.steps(500)
    try run.apply(steps)
    try run.spill(to: store)
    #expect(store.files.count == 1)
    let spill = store.files[0]
    var found: [String] = []
    for partition in 0..<partitions {
      for section in KeySection.allCases {
        let keys = try spill.states(partition, section).map(\.key)
        #expect(keys == Set(keys).sorted(by: less), "seed \(seed)")
        #expect(keys.allSatisfy { KeyHash.partition(hash($0), of: partitions) == partition })
        if section != .anonymous { found += keys }
      }
    }
    #expect(Set(found) == Set(steps.map(\.key)).subtracting([""]), "seed \(seed)")
  }

  /// The number of open files is bounded, and the states are those of one spill.
  @Test(arguments: [3, 4] as [UInt64])
  func spillsThatBecomeManyAreMerged(seed: UInt64) throws {
    let steps = 40 * SpillFixture.mostOfSize
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
    let fixture = try SpillFixture()
    var settings = MergeSettings()
    settings.snapshot.partitions = 2
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
        var cursors: [any KeyCursor] = []
        for file in files {
          let cursor = try RunCursor(file, partition, section, .all, isShared: false, reader)
          if let cursor { cursors.append(cursor) }
        }
        var sources = KWayMerge(cursors)
        while sources.key != nil {
          found.append(PlainState(sources.merged(by: &compactor, &duplicates)))
          try sources.advance()
        }
      }
    }
    return found
  }

  @Test func duplicatesOfWhatIsGoneAreKept() throws {
    let fixture = try SpillFixture()
    let store = fixture.store()
    var tally = DuplicateTally()
    let pair = DuplicateTally.Pair(dropped: .unknown, counted: .unknown, isEarlier: true)
    tally.add(2, EventDay(name: 1, day: 7))
    tally.add(2, pair)
    store.add(tally)
    store.add(tally)
    #expect(store.duplicates.pairs == [pair: 4])
  }
}
