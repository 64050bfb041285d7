import Pipeline
import Testing

@testable import Jobs
@testable import Stages

/// Processes the same lines both ways, and compares everything that later stages receive.
final class BothWays {
  private let names = RunNames()
  private let planned = WorkUnit(blockSize: 1 << 10, shards: 2)
  private let scanned = WorkUnit(blockSize: 1 << 10, shards: 2)
  private var reader: ReaderStage
  private var stages: [((any Stage<WorkUnit>)?, any Stage<WorkUnit>)]
  /// Lines that were plain, and all lines.
  private(set) var plainLines = 0
  private(set) var mappedLines = 0
  private(set) var lines = 0

  init(_ rules: Rules = Rules()) {
    let router = { [names] in
      RouterStage(names: names, sources: [InputSourceID(path: "a")])
    }
    reader = ReaderStage(rules: rules)
    stages = [
      (nil, ReaderStage(rules: rules, needsValues: true)),
      (ValidatorStage(rules: rules), ValidatorStage(rules: rules)),
      (MigrationStage(), MigrationStage()), (CanonicalTextStage(), CanonicalTextStage()),
      (router(), router()),
      (QuarantineStage(sources: ["a"]), QuarantineStage(sources: ["a"])),
    ]
  }

  func compare(_ lines: [[UInt8]]) throws { try compare(block: lines.flatMap { $0 + [0x0A] }) }

  func compare(_ lines: String...) throws { try compare(lines.map { Array($0.utf8) }) }

  /// Compares what becomes of `block`, whole lines.
  func compare(block: [UInt8]) throws {
    for unit in [planned, scanned] {
      unit.block.content.removeAll()
      unit.block.content.append(contentsOf: block)
      unit.block.seal()
    }
    reader.scannedBlocks = 0
    reader.process(planned)
    for index in stages.indices {
      stages[index].0?.process(planned)
      stages[index].1.process(scanned)
    }
    let (a, b) = (planned.batch, scanned.batch)
    lines += a.lineCount
    plainLines += a.records.count { $0.isSettled }
    mappedLines += a.records.count { $0.isSettled && $0.dialect.isMapped }
    try #require(a.lines.count == b.lines.count && a.blankLines == b.blankLines)
    let differs = a.lines.indices.first { index in
      let (one, two) = (a.lines[index], b.lines[index])
      return one.start != two.start || one.length != two.length || one.number != two.number
        || one.outcome != two.outcome || one.dialect != two.dialect
        || one.isCompact != two.isCompact || one.repairs != two.repairs
    }
    #expect(differs == nil)
    #expect(planned.text.view == scanned.text.view, "\(planned.text.view.text)")
    #expect(try planned.rejects.text() == scanned.rejects.text())
    #expect(losses(a) == losses(b))
    #expect(remarks(a) == remarks(b))
    for (one, two) in zip(planned.slices, scanned.slices) { expectSame(one, two) }
    let counted = { (batch: RecordBatch) in
      [
        batch.records.count, batch.events.count, batch.events.count { $0.isAccepted },
        batch.operations.count, batch.operations.count { $0.isApplied },
      ]
    }
    #expect(counted(a) == counted(b))
  }

  private func expectSame(_ one: RoutedSlice, _ two: RoutedSlice) {
    let count = one.operations.count
    let differs =
      count != two.operations.count
      ? 0
      : (0..<count).first { index in
        let (a, b) = (one.operations[index], two.operations[index])
        return a.kind != b.kind || a.time != b.time || a.name != b.name || a.form != b.form
          || a.dialect != b.dialect || a.id != b.id || a.keyHash != b.keyHash
          || one.key(a) != two.key(b) || one.value(a) != two.value(b)
      }
    #expect(differs == nil, "operation of \(count) and \(two.operations.count)")
  }

  private func losses(_ batch: RecordBatch) -> [String] {
    (0..<batch.losses.count).map {
      "\(batch.losses[$0].code) \(batch.line(of: batch.losses[$0].site))"
    }
  }

  private func remarks(_ batch: RecordBatch) -> [String] {
    (0..<batch.remarks.count).map {
      "\(batch.line(of: batch.remarks[$0].site)) \(batch.remarks.path(batch.remarks[$0]).text)"
    }
  }
}
