import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct SpillStoreTests {
  /// What tables hold stands in the spill in order, by partitions.
  @Test(arguments: [1, 2] as [UInt64])
  func tablesAreWrittenInOrder(seed: UInt64) throws {
    let fixture = try SpillFixture()
    let partitions = 3
    let store = fixture.store(partitions: partitions)
    var settings = MergeSettings()
    settings.snapshot.partitions = partitions
    let run = try MergeRun(settings)
    var history = RandomHistory.wide(seed: seed, people: 100)
    try run.apply(history.steps(500))
    let shard = run.shards[0]
    let states = shard.tables.withLock { tables in
      tables.sortRecords()
      return (0..<tables.profiles.next).map { PlainState(tables.state(of: $0)) }
    }
    let expected = Dictionary(uniqueKeysWithValues: states.map { ($0.key, $0) })
    try shard.spill(to: store)
    #expect(store.files.count == 1)
    let spill = store.files[0]
    var found: [PlainState] = []
    for partition in 0..<partitions {
      for section in [KeySection.custom, .install] {
        let states = try spill.states(partition, section)
        #expect(states.map(\.key) == states.map(\.key).sorted(by: less), "seed \(seed)")
        #expect(
          states.allSatisfy { KeyHash.partition(hash($0.key), of: partitions) == partition })
        found += states
      }
      let ids = try spill.states(partition, .anonymous).map(\.key)
      #expect(ids == ids.sorted(by: less) && Set(ids).count == ids.count, "seed \(seed)")
    }
    #expect(found.count == expected.count)
    for state in found { #expect(state == expected[state.key], "seed \(seed)") }
    // Nothing is left, and nothing happens the second time.
    try shard.spill(to: store)
    #expect(store.files.count == 1)
  }

  @Test func duplicatesOfTablesThatAreGoneAreKept() throws {
    let fixture = try SpillFixture()
    let store = fixture.store()
    var tally = DuplicateTally()
    let pair = DuplicateTally.Pair(dropped: .unknown, counted: .unknown, isEarlier: true)
    tally.add(2, name: 1)
    tally.add(2, pair)
    store.add(tally)
    store.add(tally)
    #expect(store.duplicates.pairs == [pair: 4])
  }
}
