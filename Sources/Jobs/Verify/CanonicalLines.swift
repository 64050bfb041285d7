import Pipeline
import Stages

/// The lines of a block that are not canonical, one by one.
struct CanonicalLines {
  private let unit: WorkUnit

  /// The lines of a unit whose text differs from its block.
  init(_ unit: WorkUnit) { self.unit = unit }

  /// Reports the problem of each, as lines of the log `path`. Complexity: O(bytes of the block).
  func differences(in path: String, _ problems: inout ProblemList) {
    // The canonical form, line by line; a line without accepted parts has none.
    var written = LineCursor(bytes: unit.text.view)
    for index in unit.batch.lines.indices {
      let line = unit.batch.lines[index]
      let start = Int(line.start)
      let found = unit.block.bytes[start..<start + Int(line.length)]
      let text = isWritten(line) ? written.next().map { unit.text.view[$0] } : nil
      guard let finding = fault(line, found, text) else { continue }
      let number = unit.block.number(of: line)
      problems.add(VerifyProblem(file: path, line: number, finding: finding))
    }
  }

  /// Whether any part of the line is written.
  private func isWritten(_ line: LineEntry) -> Bool {
    guard line.outcome == .record else { return false }
    let (batch, record) = (unit.batch, unit.batch.records[line.record.index])
    return !record.isRejected
      && (record.isLinkOnly || record.eventIndices.contains { batch.events[$0].isAccepted }
        || record.operationIndices.contains { batch.operations[$0].isApplied })
  }

  /// The problem of a line that is `found` and has the canonical form `text`.
  private func fault(_ line: LineEntry, _ found: ByteView, _ text: ByteView?) -> Finding? {
    switch line.outcome {
    case .blank: return Finding(.blankLine)
    case .rejected: return Finding(.rejectedLine, [message(line.reasons)])
    case .record: break
    }
    let (batch, record) = (unit.batch, unit.batch.records[line.record.index])
    for (number, index) in record.eventIndices.enumerated() where !batch.events[index].isAccepted {
      return Finding(.rejectedEvent, [number, message(batch.events[index].reasons)])
    }
    for (number, index) in record.operationIndices.enumerated()
    where !batch.operations[index].isApplied {
      return Finding(.refusedOperation, [number, message(batch.operations[index].reasons)])
    }
    guard let text else { return Finding(.nothingWritten) }
    if text == found {
      // A CR before the line end is not part of the line.
      let end = Int(line.start) + Int(line.length)
      return unit.block.bytes[end] == UInt8(ascii: "\n") ? nil : Finding(.carriageReturn)
    }
    let common = min(text.count, found.count)
    let offset = (0..<common).first { text[$0] != found[$0] } ?? common
    return Finding(
      .notCanonical, [offset, found.dropFirst(offset).shown, text.dropFirst(offset).shown])
  }

  private func message(_ range: ReasonRange) -> String {
    guard let index = range.indices.first else { return "for no reason" }
    let reason = unit.batch.reasons[index]
    return unit.batch.reasons.message(of: reason)
  }
}
