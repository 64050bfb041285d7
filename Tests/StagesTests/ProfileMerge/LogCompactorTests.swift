import Pipeline
@testable import Stages
import TestSupport
import Testing

@Suite struct LogCompactorTests {
  private static let start = RandomHistory.start

  /// So many records that their logs are merged on the way: the result is that of the naive model,
  /// whatever the order.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func mergingOnTheWayChangesNothing(seed: UInt64) {
    var history = RandomHistory(seed: seed)
    var steps = history.steps(6000)
    var options = SnapshotOptions()
    options.dedupeDays = 30
    let naive = NaiveMerge(steps: steps, stitch: .first)
    let forward = MergeRun(options: options)
    forward.apply(steps)
    let published = forward.publish()
    #expect(published.profiles == [naive.profiles().lines], "seed \(seed)")
    #expect(published.counts == naive.counts(), "seed \(seed)")
    steps.shuffle(using: &history.random)
    let shuffled = MergeRun(shards: 3, options: options)
    shuffled.apply(steps, slice: 100)
    #expect(shuffled.publish() == published, "seed \(seed)")
  }

  /// What a key is told again and again takes no more room than what is known of it.
  @Test func aHotKeyStaysSmall() {
    var tables = ProfileTables()
    let profile = tables.profile("custom:u", hash: 1)
    for round in 0..<200_000 {
      let name = UInt32(round % 50)
      tables.append(
        LogRecord(.event, name: name, time: round, value: "{\"price\":23.99}"), to: profile)
      tables.append(LogRecord(.addItem, name: name, time: round, value: "gold"), to: profile)
      tables.append(LogRecord(.set, name: name, time: round, value: "[\"a\"]"), to: profile)
    }
    #expect(tables.records.footprint <= 1 << 20)
    var rows = RegisterRows()
    rows.gather(tables.profiles[profile].log, in: tables.records, order: .numbers)
    rows.settle()
    #expect(rows.events.count == 50)
    #expect(rows.events.reduce(0) { $0 + $1.register.count } == 200_000)
    #expect(rows.events.allSatisfy { $0.register.seen.last >= 199_950 })
  }

  /// Marks that a later base overrules are forgotten, and so is what a clear overrules.
  @Test func whatIsOverruledIsForgotten() {
    var arena = ExtentArena()
    var log = RecordLog()
    let records = [
      LogRecord(.addItem, name: 1, time: 5, value: "old"),
      LogRecord(.set, name: 1, time: 6, value: "[]"),
      LogRecord(.removeItem, name: 1, time: 6, value: "x"),
      LogRecord(.set, name: 2, time: 3, form: .url, value: "\"u\""),
      LogRecord(.id, name: 3, time: 1, words: (7, 8)),
      LogRecord(.event, name: 3, time: 1, value: "{}"),
      LogRecord(.event, name: 3, time: 2),
    ]
    for record in records {
      if !log.hasRoom(for: record.length) { log.grow(by: record.length, in: &arena) }
      log.append(record, in: arena)
    }
    var compactor = LogCompactor()
    compactor.merge(log, clear: 4, in: arena)
    var left: [String] = []
    var offset = 0
    let bytes = compactor.bytes.view
    while let record = LogRecord(bytes, at: &offset) {
      left.append("\(record.kind) \(record.name) \(record.time) \(record.value.text)")
    }
    #expect(left == ["register 3 2 ", "set 1 6 []", "removeItem 1 6 x", "id 3 1 "])
  }
}
