import Glibc
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Logs of key ranges: nothing is lost, and everything is in order.
@Suite struct KeyLogsTests {
  private static func logs(
    _ steps: [Step], shards: Int, partitions: Int = 1, isTight: Bool = false, limit: Int = 0
  ) throws -> (KeyLogs, MergeRun) {
    var settings = MergeSettings(shards: shards, isTight: isTight, limit: limit)
    settings.snapshot.partitions = partitions
    let run = try MergeRun(settings)
    try run.apply(steps, slice: 100)
    return (try KeyLogs(run.shards, jobs: 2), run)
  }

  private static func keys(
    _ logs: KeyLogs, _ partition: Int, _ section: KeySection, _ range: KeyRange = .all
  ) throws -> [String] {
    let piece = KeyRangeTask(partition: partition, section: section, range: range)
    logs.expect([piece])
    let cursor = try RangeCursor(logs, piece)
    var keys: [String] = []
    while let key = cursor.key {
      keys.append(key.text)
      try cursor.advance()
    }
    return keys
  }

  @Test(arguments: [(1, 1, false), (3, 1, true), (2, 4, false), (1, 3, true)])
  func everyKeyStandsInItsPartition(shards: Int, partitions: Int, isTight: Bool) throws {
    let letters = ["a", "b", "\u{0}", "é", "\u{FFFD}", "\u{10000}", "long text that goes on"]
    var random = RepeatableRandom(seed: UInt64(shards))
    let keys = Set(
      (0..<600).map { _ in
        let text = (0..<Int.random(in: 1...5, using: &random))
          .map { _ in letters.randomElement(using: &random) ?? "" }.joined()
        return ["custom:", "install:"][Int(random.next() % 2)] + text
      })
    let (logs, _) = try Self.logs(
      keys.map { Step(kind: .touch, key: $0) }, shards: shards, partitions: partitions,
      isTight: isTight)
    for partition in 0..<partitions {
      for section in [KeySection.custom, .install] {
        func found(_ range: KeyRange) throws -> [String] {
          try Self.keys(logs, partition, section, range)
        }
        let expected = keys.filter { key in
          key.hasPrefix(section.prefix.text)
            && KeyHash.partition(hash(key), of: partitions) == partition
        }.sorted(by: less)
        #expect(try found(.all) == expected)
        guard expected.count > 10 else { continue }
        var limits = ByteBuffer()
        limits.append(text: expected[3])
        let position = limits.count
        // A limit need not be a key.
        limits.append(text: expected[7] + "\u{0}")
        let (lower, upper) = (limits[0..<position], limits.view.dropFirst(position))
        #expect(try found(KeyRange(lower: lower, upper: upper)) == Array(expected[3...7]))
        #expect(try found(KeyRange(lower: lower, upper: nil)) == Array(expected[3...]))
        #expect(try found(KeyRange(lower: nil, upper: lower)) == Array(expected[..<3]))
        #expect(try found(KeyRange(lower: upper, upper: lower)) == [])
      }
    }
    var persons = DirtyPersonFilter()
    try logs.addPersons(to: &persons)
    for key in keys where key.hasPrefix("custom:") { #expect(persons.contains(hash(key))) }
  }

  @Test func cutsAreWhereGroupsBegin() throws {
    let keys = (0..<9000).map { "install:\($0)" }
    let steps = keys.map { Step(kind: .touch, key: $0) }
    let (logs, _) = try Self.logs(steps, shards: 2, isTight: true)
    var cuts: [String] = []
    logs.forEachCut(0, .install) { key, _ in
      cuts.append(key.text)
      #expect(KeyHash.beginsGroup(XXH64.hash(key)))
    }
    #expect(9...40 ~= cuts.count)
    #expect(cuts == cuts.sorted(by: less))
    for section in [KeySection.custom, .anonymous] {
      logs.forEachCut(0, section) { key, _ in Issue.record("a cut at \(key.text)") }
    }
  }

  /// People who appear in the order of their keys are all in the last range at first, and a chunk
  /// has only neighbours, or less than one of them.
  @Test(arguments: [(5000, 0), (50_000, 0), (3000, 3000), (1000, 6000)])
  func rangesThatGrowAreDivided(count: Int, length: Int) throws {
    let keys = (0..<count).map { "custom:\(100_000 + $0)" }
    let value = String(repeating: "v", count: length)
    let steps = keys.map { key in
      length == 0
        ? Step(kind: .touch, key: key)
        : Step(kind: .event, key: key, name: "n", time: RandomHistory.start, value: value)
    }
    let (logs, _) = try Self.logs(steps, shards: 2, isTight: true)
    #expect(try Self.keys(logs, 0, .custom) == keys)
    #expect(logs.parts.allSatisfy { $0.bytes <= 16 << 10 })
  }

  /// A state is in the order of its keys, so its first ones say nothing about the others.
  @Test func rangesOfAStateAreChosenByAllItsKeys() throws {
    let keys = (0..<60_000).map { "custom:\(100_000 + $0)" }
    let run = try MergeRun(MergeSettings(shards: 2, isTight: true))
    try run.read(MergeRun.publish(keys.map { Step(kind: .touch, key: $0) }))
    let logs = try run.shards.map { try $0.take() }
    let lengths = logs[0].value.logs.indices.map { number in
      logs.reduce(0) { $0 + $1.value.logs[number].bytes }
    }
    #expect(lengths.max() ?? 0 < lengths.reduce(0, +) / 4)
  }

  /// What a key is told again and again takes little more room than what is known of it.
  @Test func aHotKeyIsJoinedInPlace() throws {
    let steps = (0..<3000).map {
      Step(
        kind: .event, key: "custom:hot", name: "n\($0 % 5)", time: RandomHistory.start + $0 % 7,
        value: "{}", id: "\($0 % 7)")
    }
    for limit in [0, Int.max] {
      let (logs, _) = try Self.logs(steps, shards: 2, isTight: true, limit: limit)
      #expect(logs.parts.allSatisfy { $0.bytes <= 16 << 10 }, "of \(limit) bytes")
      #expect(try Self.keys(logs, 0, .custom) == ["custom:hot"])
    }
  }

  /// Each call on temporary files fails once: an error, and never a wrong result.
  @Test func errorsOfTemporaryFilesAreThrown() throws {
    let keys = (0..<200).map { "custom:\(100_000 + $0)" }
    let steps = keys.map { Step(kind: .touch, key: $0) }
    let left = Locked<Int?>(nil)
    var settings = MergeSettings(isTight: true)
    settings.system = System { _ in
      left.withLock { left in
        guard let calls = left else { return nil }
        left = calls - 1
        return calls == 0 ? .error(EIO) : nil
      }
    }
    var (number, failures) = (0, 0)
    repeat {
      left.withLock { $0 = nil }
      let run = try MergeRun(settings)
      left.withLock { $0 = number }
      do {
        try run.apply(steps, slice: 50)
        let found = try Self.keys(KeyLogs(run.shards, jobs: 2), 0, .custom)
        #expect(found == keys, "call \(number)")
      } catch let error as Failure {
        #expect(error.kind == .io, "call \(number): \(error)")
        failures += 1
      }
      number += 1
    } while left.withLock { $0 ?? 0 } < 0
    #expect(failures > 20)
  }

  /// Small ranges, in a file, in any order: the result is that of the naive model.
  @Test(arguments: Effort.first(2, of: [1, 2, 3, 4]) as [UInt64])
  func theResultIsThatOfTheNaiveModel(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    var steps = history.steps(5000)
    let naive = NaiveMerge(steps: steps, stitch: .first)
    var settings = MergeSettings(isTight: true, limit: seed % 2 == 0 ? 0 : .max)
    settings.snapshot.dedupeDays = 30
    let published = try MergeRun.publish(steps, settings)
    #expect(published.profiles == [naive.profiles().lines], "seed \(seed)")
    #expect(published.counts == naive.counts(), "seed \(seed)")
    steps.shuffle(using: &history.random)
    let shuffled = try MergeRun(MergeSettings(shards: 3, snapshot: settings.snapshot))
    try shuffled.apply(steps, slice: 1000)
    #expect(try shuffled.publish() == published, "seed \(seed)")
  }
}
