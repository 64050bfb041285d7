import Pipeline
@testable import Stages
import TestSupport
import Testing

@Suite struct ProfileTablesTests {
  private static func profile(_ number: Int, of tables: inout ProfileTables) -> UInt32 {
    var key = ByteBuffer()
    key.append("custom:")
    key.append(decimal: number)
    return tables.profile(key.view, hash: XXH64.hash(key.view))
  }

  /// The names and times of the sorted records of a key.
  private static func records(
    of profile: UInt32, _ tables: borrowing ProfileTables
  ) -> [[Int]] {
    let bytes = tables.records(of: profile)
    var offset = 0
    var found: [[Int]] = []
    while let record = Mutation(bytes, at: &offset) {
      found.append([Int(record.name), record.time, record.value.count])
    }
    return found.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Keys of three groups; every key gets its own records, whenever they are sorted.
  @Test(arguments: Effort.first(1, of: [1, 2]) as [UInt64])
  func everyKeyGetsItsRecords(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    var tables = ProfileTables()
    var model: [UInt32: [[Int]]] = [:]
    var value = ByteBuffer()
    while value.count < 300 { value.append(UInt8(ascii: "v")) }
    for round in 0..<30_000 {
      let profile = Self.profile(Int(random.next() % 5000), of: &tables)
      let length = Int(random.next() % 300)
      tables.append(
        Mutation(.event, name: UInt32(round % 90), time: round, value: value[0..<length]),
        to: profile)
      model[profile, default: []].append([round % 90, round, length])
      if round % 11_000 == 10_999 { tables.sortRecords() }
    }
    tables.sortRecords()
    for profile in 0..<tables.profiles.next {
      let expected = (model[profile] ?? []).sorted { $0.lexicographicallyPrecedes($1) }
      if Self.records(of: profile, tables) != expected {
        Issue.record("other records, seed \(seed), profile \(profile)")
      }
    }
  }

  /// What a key is told again and again takes little more room than what is known of it.
  @Test func aHotKeyStaysSmall() {
    var tables = ProfileTables()
    let profile = Self.profile(1, of: &tables)
    for round in 0..<200_000 {
      let name = UInt32(round % 50)
      tables.append(
        Mutation(.event, name: name, time: round, value: "{\"price\":23.99}"), to: profile)
      tables.append(Mutation(.addItem, name: name, time: round, value: "gold"), to: profile)
      tables.append(Mutation(.set, name: name, time: round, value: "[\"a\"]"), to: profile)
    }
    #expect(tables.arena.footprint <= 4 << 20)
    tables.sortRecords()
    var rows = KeyRegisters()
    rows.gather(tables.records(of: profile), order: .numbers)
    rows.settle()
    #expect(rows.events.count == 50)
    #expect(rows.events.reduce(0) { $0 + $1.register.count } == 200_000)
    #expect(rows.events.allSatisfy { $0.register.seen.last >= 199_950 })
  }

  /// So many records that logs are merged on the way: the result is that of the naive model,
  /// whatever the order.
  @Test(arguments: Effort.first(1, of: [1, 2]) as [UInt64])
  func mergingOnTheWayChangesNothing(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    var steps = history.steps(20_000)
    var options = SnapshotOptions()
    options.dedupeDays = 30
    let naive = NaiveMerge(steps: steps, stitch: .first)
    let forward = try MergeRun(options: options)
    try forward.apply(steps)
    #expect(
      forward.shards[0].tables.withLock { $0.logs[0].mergedLength } > 0,
      "the history is too short, seed \(seed)")
    let published = try forward.publish()
    #expect(published.profiles == [naive.profiles().lines], "seed \(seed)")
    #expect(published.counts == naive.counts(), "seed \(seed)")
    steps.shuffle(using: &history.random)
    let shuffled = try MergeRun(shards: 3, options: options)
    try shuffled.apply(steps, slice: 1000)
    #expect(try shuffled.publish() == published, "seed \(seed)")
  }
}
