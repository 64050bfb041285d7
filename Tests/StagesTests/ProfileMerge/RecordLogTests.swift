import Pipeline
@testable import Stages
import TestSupport
import Testing

@Suite struct RecordLogTests {
  /// A record as plain values.
  private struct Plain: Hashable {
    var kind: LogRecord.Kind
    var form: KeyForm
    var name: UInt32
    var time: Int
    var words: [UInt64]
    var value: [UInt8]

    init(_ record: LogRecord) {
      kind = record.kind
      form = record.form
      name = record.name
      time = record.time
      words = [record.words.0, record.words.1]
      value = record.value.array
    }
  }

  private static let kinds: [LogRecord.Kind] = [
    .event, .register, .set, .unset, .addItem, .removeItem, .id,
  ]

  /// Appends a random record with a value from `material`, and returns it.
  private static func append(
    to log: inout RecordLog, in arena: inout ExtentArena, from material: borrowing ByteBuffer,
    _ random: inout RepeatableRandom
  ) -> Plain {
    let kind = kinds[Int(random.next() % 7)]
    let hasWords = kind == .register || kind == .id
    let isLong = random.next() % 100 == 0
    let length = Int.random(in: 0..<(isLong ? material.count : 120), using: &random)
    let record = LogRecord(
      kind, name: UInt32(truncatingIfNeeded: random.next()),
      time: Int(Int64(bitPattern: random.next()) >> 8),
      form: random.next() % 2 == 0 ? .url : .plain,
      words: hasWords ? (random.next(), random.next()) : (0, 0), value: material[0..<length])
    if !log.hasRoom(for: record.length) { log.grow(by: record.length, in: &arena) }
    log.append(record, in: arena)
    return Plain(record)
  }

  private static func counts(_ records: [Plain]) -> [Plain: Int] {
    Dictionary(records.map { ($0, 1) }, uniquingKeysWith: +)
  }

  private static func records(_ log: RecordLog, in arena: borrowing ExtentArena) -> [Plain] {
    var records: [Plain] = []
    log.forEach(in: arena) { records.append(Plain($0)) }
    return records
  }

  /// Many logs in one arena, which grow in turn, and are replaced now and then.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func logsKeepTheirRecords(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    var material = ByteBuffer()
    while material.count < 5000 { material.append(UInt8(truncatingIfNeeded: random.next())) }
    var arena = ExtentArena()
    var logs = Array(repeating: RecordLog(), count: 20)
    var model = Array(repeating: [Plain](), count: 20)
    for _ in 0..<4000 {
      let place = Int(random.next() % 20)
      if random.next() % 50 == 0 {
        // Half of the records, copied.
        var bytes = ByteBuffer()
        var index = 0
        var kept: [Plain] = []
        logs[place].forEach(in: arena) { record in
          index += 1
          if index % 2 == 0 { return }
          record.append(to: &bytes)
          kept.append(Plain(record))
        }
        logs[place].replace(by: bytes.view, in: &arena)
        model[place] = kept
      } else {
        model[place].append(
          Self.append(to: &logs[place], in: &arena, from: material, &random))
      }
    }
    for place in logs.indices {
      #expect(
        Self.counts(Self.records(logs[place], in: arena)) == Self.counts(model[place]),
        "seed \(seed)")
      #expect(logs[place].isEmpty == model[place].isEmpty)
    }
  }

  @Test func aRecordThatFillsItsExtentNeedsNoEnd() {
    for rest in 0...LogRecord.headLength {
      var arena = ExtentArena()
      var log = RecordLog()
      var text = ByteBuffer()
      // The smallest extent has four lines.
      while text.count < 256 - RecordLog.linkLength - LogRecord.headLength - rest { text.append(1) }
      for name in 0..<2 as Range<UInt32> {
        let record = LogRecord(.event, name: name, time: 5, value: text.view)
        if !log.hasRoom(for: record.length) { log.grow(by: record.length, in: &arena) }
        log.append(record, in: arena)
      }
      #expect(Self.records(log, in: arena).map(\.name) == [1, 0], "\(rest) bytes left")
    }
  }

  @Test func aTimeThatDoesNotFitTraps() async {
    await #expect(processExitsWith: .failure) {
      var bytes = ByteBuffer()
      LogRecord(.event, name: 0, time: 1 << 55).append(to: &bytes)
    }
  }
}
