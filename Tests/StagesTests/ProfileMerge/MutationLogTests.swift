import Pipeline
@testable import Stages
import TestSupport
import Testing

@Suite struct MutationLogTests {
  /// A record as plain values.
  private struct Plain: Hashable {
    var kind: Mutation.Kind
    var form: KeyForm
    var owner: Int
    var name: UInt32
    var time: Int
    var words: [UInt64]
    var value: [UInt8]

    init(_ record: Mutation) {
      kind = record.kind
      form = record.form
      owner = record.owner
      name = record.name
      time = record.time
      words = [record.words.0, record.words.1]
      value = record.value.array
    }
  }

  private static let kinds: [Mutation.Kind] = [
    .event, .identified, .register, .set, .unset, .addItem, .removeItem, .id, .earlierID,
  ]

  /// A random record with a value from `material`.
  private static func record(
    from material: borrowing ByteBuffer, _ random: inout RepeatableRandom
  ) -> Mutation {
    let kind = kinds[Int(random.next() % UInt64(kinds.count))]
    let hasWords = Mutation.hasWords(kind)
    let isLong = random.next() % 100 == 0
    let length = Int.random(in: 0..<(isLong ? material.count : 120), using: &random)
    var record = Mutation(
      kind, name: UInt32(truncatingIfNeeded: random.next()),
      time: Int(Int64(bitPattern: random.next()) >> 16),
      form: [.plain, .date, .url][Int(random.next() % 3)],
      words: hasWords ? (random.next(), random.next()) : (0, 0), value: material[0..<length])
    record.owner = Int(random.next() % 1024)
    return record
  }

  private static func counts(_ records: [Plain]) -> [Plain: Int] {
    Dictionary(records.map { ($0, 1) }, uniquingKeysWith: +)
  }

  private static func records(_ log: MutationLog, in arena: borrowing ExtentArena) -> [Plain] {
    var records: [Plain] = []
    log.forEach(in: arena) { owner, bytes in
      var offset = 0
      guard let record = Mutation(bytes, at: &offset) else {
        Issue.record("a record cannot be read")
        return
      }
      #expect(offset == bytes.count && record.owner == owner)
      records.append(Plain(record))
    }
    return records
  }

  /// Many logs share an arena. They grow in turn and are sometimes cleared.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func logsKeepTheirRecords(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    var material = ByteBuffer()
    while material.count < 100_000 { material.append(UInt8(truncatingIfNeeded: random.next())) }
    var arena = ExtentArena()
    var logs = Array(repeating: MutationLog(), count: 20)
    var model = Array(repeating: [Plain](), count: 20)
    for _ in 0..<4000 {
      let position = Int(random.next() % 20)
      if random.next() % 100 == 0 {
        logs[position].removeAll(in: &arena)
        model[position] = []
      } else {
        let record = Self.record(from: material, &random)
        logs[position].append(record, in: &arena)
        model[position].append(Plain(record))
      }
    }
    for position in logs.indices {
      #expect(
        Self.counts(Self.records(logs[position], in: arena)) == Self.counts(model[position]),
        "seed \(seed)")
      #expect(logs[position].isEmpty == model[position].isEmpty)
    }
  }

  @Test func aRecordThatFillsItsExtentNeedsNoEnd() {
    for rest in 0...Mutation.headLength {
      var arena = ExtentArena()
      var log = MutationLog()
      var text = ByteBuffer()
      // The smallest extent has 32 lines.
      while text.count < 2048 - MutationLog.linkLength - Mutation.headLength - rest {
        text.append(1)
      }
      for name in 0..<2 as Range<UInt32> {
        log.append(Mutation(.event, name: name, time: 5, value: text.view), in: &arena)
      }
      #expect(Self.records(log, in: arena).map(\.name) == [1, 0], "\(rest) bytes left")
    }
  }

  @Test func aTimeThatDoesNotFitTraps() async {
    await #expect(processExitsWith: .failure) {
      var bytes = ByteBuffer()
      Mutation(.event, name: 0, time: 1 << 47).append(to: &bytes)
    }
  }
}
