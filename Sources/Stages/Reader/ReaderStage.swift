import Pipeline

/// Stage 1: bytes → records (SPEC 2, 3).
///
/// Cuts the block at its newlines, checks every line in the order of SPEC 2 (length, blank, UTF-8,
/// JSON), scans it into the tape and lets its dialect read it. One stage object per thread: it owns
/// scratch memory.
package struct ReaderStage: Stage {
  package static let name = "reader"

  private let maxLine: Int
  private let only: Dialect?
  private var dialects = DialectReader()

  /// A reader for the line limit and dialect of `rules`.
  package init(rules: Rules) {
    maxLine = rules.maxLine
    only = rules.dialect
  }

  /// Reads every line of the unit's block into its batch. Complexity: O(bytes of the block).
  package mutating func process(_ unit: WorkUnit) { read(unit.block, into: unit.batch) }

  private mutating func read(_ block: Block, into batch: RecordBatch) {
    batch.begin(block.bytes)
    if let length = block.overlong {
      addOverlong(length, to: batch, kept: block.bytes.count)
      return
    }
    var lines = LineCursor(bytes: block.bytes)
    while let line = lines.next() {
      readLine(line, of: block, into: batch)
    }
  }

  private func addOverlong(_ length: Int, to batch: RecordBatch, kept: Int) {
    batch.lines.append(
      LineEntry(start: 0, length: UInt32(kept), outcome: .rejected))
    addFault(to: batch) { reasons in
      reasons.add(.lineTooLong, at: "", limit: maxLine, actual: length)
    }
  }

  private mutating func readLine(
    _ range: Range<Int>, of block: Block, into batch: RecordBatch
  ) {
    var line = range
    let bytes = block.bytes
    if !line.isEmpty, bytes[line.upperBound - 1] == UInt8(ascii: "\r") {
      line = line.lowerBound..<line.upperBound - 1
    }
    batch.lines.append(
      LineEntry(start: UInt32(line.lowerBound), length: UInt32(line.count), outcome: .record))
    let text = bytes[line]
    if line.count > maxLine {
      addFault(to: batch) { reasons in
        reasons.add(.lineTooLong, at: "", limit: maxLine, actual: line.count)
      }
    } else if ReaderStage.isBlank(text) {
      batch.lines[batch.lines.count - 1].outcome = .blank
    } else if !UTF8Check.isValid(text) {
      addFault(to: batch) { reasons in reasons.add(.invalidUTF8, at: "") }
    } else {
      scan(line, into: batch)
    }
  }

  private mutating func scan(_ line: Range<Int>, into batch: RecordBatch) {
    switch Scanner.scan(line: line, into: batch.tape) {
    case .fault(let fault):
      let code: ReasonCode = fault.kind == .tooDeep ? .tooDeep : .invalidJSON
      addFault(to: batch) { reasons in
        if code == .tooDeep {
          reasons.add(code, at: "", limit: Scanner.maxDepth, actual: Scanner.maxDepth + 1)
        } else {
          reasons.add(code, at: "", actual: fault.offset, detail: fault.expected)
        }
      }
    case .value(let root):
      guard batch.tape[root].kind == .object else {
        addFault(to: batch) { reasons in reasons.add(.notObject, at: "") }
        return
      }
      readObject(root, into: batch)
    }
  }

  private mutating func readObject(_ root: Int, into batch: RecordBatch) {
    let line = batch.lines.count - 1
    let records = batch.records.count
    guard let dialect = dialects.read(root, line: line, into: batch) else {
      addFault(to: batch) { reasons in reasons.add(.unknownDialect, at: "") }
      return
    }
    batch.lines[line].dialect = dialect
    batch.lines[line].isCompact = !batch.tape.hasSpaces
    guard only == nil || only == dialect else {
      let record = batch.records[records]
      batch.records.truncate(to: records)
      batch.events.truncate(to: Int(record.firstEvent))
      batch.operations.truncate(to: Int(record.firstOperation))
      addFault(to: batch) { reasons in reasons.add(.wrongDialect, at: "") }
      return
    }
    batch.lines[line].record = Int32(records)
  }

  /// Rejects the last line with what `add` says.
  private func addFault(
    to batch: RecordBatch, _ add: (inout ReasonList) -> Void
  ) {
    let first = batch.reasons.count
    add(&batch.reasons)
    let last = batch.lines.count - 1
    batch.lines[last].outcome = .rejected
    batch.lines[last].reasons = ReasonRange(
      start: UInt32(first), count: UInt32(batch.reasons.count - first))
  }

  /// Whether a line holds only space, tab and CR (SPEC 2).
  private static func isBlank(_ text: ByteView) -> Bool {
    for index in 0..<text.count {
      switch text[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): continue
      default: return false
      }
    }
    return true
  }
}
