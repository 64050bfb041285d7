import Pipeline

/// Stage 1: bytes → records (SPEC 2, 3).
///
/// Cuts the block at its newlines, checks every line in the order of SPEC 2 (length, blank, UTF-8,
/// JSON), scans it into the tape and lets its dialect read it. One stage object per thread: it owns
/// scratch memory.
package struct ReaderStage: Stage {
  package static let name = "reader"

  private let rules: Rules
  private let maxLine: Int
  /// Longest line of any dialect that is read.
  private let longestLine: Int
  private let repairs: Bool
  private var dialects: DialectReader

  /// A reader for what `rules` say of lines and dialects.
  package init(rules: Rules) {
    self.rules = rules
    maxLine = rules.maxLine
    longestLine = rules.longestLine
    repairs = rules.repairs
    dialects = DialectReader(rules)
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
      readLongLine(line, text, into: batch)
    } else if ReaderStage.isBlank(text) {
      batch.lines[batch.lines.count - 1].outcome = .blank
    } else if !UTF8Check.isValid(text) {
      addFault(to: batch) { reasons in reasons.add(.invalidUTF8, at: "") }
    } else {
      scan(line, into: batch)
    }
  }

  /// A line that is longer than those of most dialects: it is read if its own may be so long, and
  /// whatever else it may be, it is too long.
  private mutating func readLongLine(
    _ line: Range<Int>, _ text: ByteView, into batch: RecordBatch
  ) {
    if line.count <= longestLine, UTF8Check.isValid(text),
      let root = scanned(line, into: batch), batch.tape[root].kind == .object,
      let dialect = dialects.dialect(of: root, in: batch), line.count <= rules.maxLine(of: dialect)
    {
      readObject(root, into: batch)
      return
    }
    batch.lines[batch.lines.count - 1].isRepaired = false
    addFault(to: batch) { reasons in
      reasons.add(.lineTooLong, at: "", limit: maxLine, actual: line.count)
    }
  }

  /// The root of the line if it is JSON, perhaps after a repair.
  private func scanned(_ line: Range<Int>, into batch: RecordBatch) -> Int? {
    switch Scanner.scan(line: line, into: batch.tape) {
    case .value(let root): root
    case .fault: repaired(line, into: batch)
    }
  }

  /// The root of a line that is JSON without its trailing commas, if that is to be tried (DIALECTS 2).
  private func repaired(_ line: Range<Int>, into batch: RecordBatch) -> Int? {
    guard repairs,
      let root = Scanner.scan(withoutTrailingCommas: line, into: batch.tape)
    else { return nil }
    batch.lines[batch.lines.count - 1].isRepaired = true
    return root
  }

  private mutating func scan(_ line: Range<Int>, into batch: RecordBatch) {
    switch Scanner.scan(line: line, into: batch.tape) {
    case .fault(let fault):
      if let root = repaired(line, into: batch) {
        readValue(root, into: batch)
        return
      }
      let code: ReasonCode = fault.kind == .tooDeep ? .tooDeep : .invalidJSON
      addFault(to: batch) { reasons in
        if code == .tooDeep {
          reasons.add(code, at: "", limit: Scanner.maxDepth, actual: Scanner.maxDepth + 1)
        } else {
          reasons.add(code, at: "", actual: fault.offset, detail: fault.expected)
        }
      }
    case .value(let root): readValue(root, into: batch)
    }
  }

  private mutating func readValue(_ root: Int, into batch: RecordBatch) {
    guard batch.tape[root].kind == .object else {
      addFault(to: batch) { reasons in reasons.add(.notObject, at: "") }
      return
    }
    readObject(root, into: batch)
  }

  private mutating func readObject(_ root: Int, into batch: RecordBatch) {
    let line = batch.lines.count - 1
    let record = batch.records.count
    batch.lines[line].object = Int32(root)
    switch dialects.read(root, line: line, into: batch) {
    case .record(let dialect):
      batch.lines[line].dialect = dialect
      batch.lines[line].record = Int32(record)
      batch.lines[line].isCompact =
        !batch.tape.hasSpaces && batch.records[record].form != .drafted
        && !batch.lines[line].isRepaired
    case .wrong(let dialect):
      batch.lines[line].dialect = dialect
      addFault(to: batch) { reasons in reasons.add(.wrongDialect, at: "") }
    case .ambiguous: addFault(to: batch) { reasons in reasons.add(.ambiguousDialect, at: "") }
    case .unknown: addFault(to: batch) { reasons in reasons.add(.unknownDialect, at: "") }
    }
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
