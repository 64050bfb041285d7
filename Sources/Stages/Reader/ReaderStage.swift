import Pipeline

/// Stage 1: bytes → records (data-model 2, 3).
///
/// Plain lines are read along the plan (``PlannedReader``). The others are checked in the order of
/// data-model 2 (length, blank, UTF-8, JSON), scanned into the tape and then read by their
/// dialects, a few at a time: the code of both does not fit into the processor's first-level cache
/// together. One stage object per thread: it owns scratch memory.
package struct ReaderStage: Stage {
  package static let name = "reader"

  /// Number of lines that are scanned before they are read.
  private static let turn = 8
  /// Number of consecutive lines that are not plain after which the rest of the block is scanned.
  private static let patience = 32
  /// Number of blocks that are scanned after one with few plain lines.
  private static let pause = 31

  private let rules: Rules
  private let maxLine: Int
  /// The numbers of lines of the block that are repaired anyway.
  private var repairedLines: Set<Int> = []
  private let listsBlank: Bool
  private let dialects: DialectReader
  private let planned: PlannedReader?
  /// Number of next blocks whose lines are all scanned.
  var scannedBlocks = 0

  /// Plain lines are read along the plan, and values that foreign lines keep become one entry each,
  /// unless it `needsValues`. Without `writesAttributes` attributes and tags of plain events stay
  /// as in the source.
  package init(
    rules: Rules, listsBlank: Bool = false, needsValues: Bool = false,
    writesAttributes: Bool = true
  ) {
    self.rules = rules
    maxLine = rules.dialect == nil ? rules.maxLine : rules.longestLine
    self.listsBlank = listsBlank
    dialects = DialectReader(rules, copiesText: !needsValues)
    planned =
      needsValues ? nil : PlannedReader(rules, dialects.names, writesAttributes: writesAttributes)
  }

  /// Reads every line of the unit's block into its batch. Complexity: O(bytes of the block).
  package mutating func process(_ unit: WorkUnit) {
    repairedLines = unit.repairedLines
    let (block, batch) = (unit.block, unit.batch)
    batch.begin(block.bytes)
    if let length = block.overlong {
      batch.lines.append(
        LineEntry(start: 0, length: UInt32(block.bytes.count), number: 0, outcome: .rejected))
      return addFault(of: 0, to: batch) { reasons in
        reasons.add(.lineTooLong, at: "", limit: maxLine, actual: length)
      }
    }
    let isPlanned = scannedBlocks == 0 && planned != nil
    scannedBlocks = max(scannedBlocks - 1, 0)
    let plain = readLines(of: block, patience: isPlanned ? Self.patience : 0, into: batch)
    if isPlanned, plain * 4 < batch.lineCount { scannedBlocks = Self.pause }
  }

  /// Returns how many lines were read along the plan, until `patience` in a row were not plain.
  private func readLines(of block: Block, patience: Int, into batch: RecordBatch) -> Int {
    let planned = patience > 0 ? planned : nil
    planned?.begin(block, batch)
    var lines = LineCursor(bytes: block.bytes)
    var plain = 0
    /// The first line that was scanned and not read yet.
    var first = 0
    /// Number of consecutive lines that were not plain.
    var missed = 0
    while true {
      if let planned, missed < patience {
        if first < batch.lines.count { readObjects(from: first, into: batch) }
        let read = planned.readLines(from: &lines.start, into: batch)
        first = batch.lines.count
        plain += read
        missed = read > 0 ? 1 : missed + 1
      }
      // If they end within the longest line, none of them is too long.
      let blank = listsBlank ? 0 : lines.skipBlankLines(within: maxLine)
      if blank > 0 {
        batch.blankLines += blank
        continue
      }
      guard let line = lines.next() else { break }
      scanLine(line, of: block, into: batch)
      if batch.lines.count - first == Self.turn {
        readObjects(from: first, into: batch)
        first = batch.lines.count
      }
    }
    if first < batch.lines.count { readObjects(from: first, into: batch) }
    return plain
  }

  private func readObjects(from first: Int, into batch: RecordBatch) {
    for line in first..<batch.lines.count where batch.lines[line].object.exists {
      readObject(of: line, into: batch)
    }
  }

  // MARK: - From bytes to objects

  /// Appends the line to the batch, with its object, or with the fault.
  private func scanLine(_ range: Range<Int>, of block: Block, into batch: RecordBatch) {
    var line = range
    let bytes = block.bytes
    if !line.isEmpty, bytes[line.upperBound - 1] == UInt8(ascii: "\r") {
      line = line.lowerBound..<line.upperBound - 1
    }
    let number = batch.lines.count
    batch.lines.append(
      LineEntry(
        start: UInt32(line.lowerBound), length: UInt32(line.count),
        number: UInt32(batch.lineCount), outcome: .record))
    let text = bytes[line]
    if line.count > maxLine {
      scanLongLine(line, text, number, into: batch)
    } else if (0..<text.count).allSatisfy({ JSONByte.isSpace(text[$0]) }) {
      batch.lines[number].outcome = .blank
    } else {
      scan(line, number, isUTF8: UTF8Check.isValid(text), into: batch)
    }
  }

  /// Reads a line longer than those of most dialects if its own allows it. It is not repaired.
  private func scanLongLine(
    _ line: Range<Int>, _ text: ByteView, _ number: Int, into batch: RecordBatch
  ) {
    if line.count <= rules.longestLine, UTF8Check.isValid(text),
      case .value(let root) = scanned(line, number, into: batch),
      batch.tape[root].kind == .object,
      case .found(let dialect) = dialects.detect(root, in: batch),
      line.count <= rules.maxLine(of: dialect)
    {
      batch.lines[number].object = Node(root)
      return
    }
    addFault(of: number, to: batch) {
      $0.add(.lineTooLong, at: "", limit: maxLine, actual: line.count)
    }
  }

  private func scan(_ line: Range<Int>, _ number: Int, isUTF8: Bool, into batch: RecordBatch) {
    let tape = batch.tape
    var (root, fault): (Int?, ScanFault?) = (nil, nil)
    if isUTF8 {
      switch scanned(line, number, into: batch) {
      case .value(let found): root = found
      case .fault(let found): fault = found
      }
    }
    root = root ?? repaired(line, number, into: batch)
    if let root, tape[root].kind == .object {
      batch.lines[number].object = Node(root)
      return
    }
    addFault(of: number, to: batch) { reasons in
      if root != nil {
        reasons.add(.notObject, at: "")
      } else if fault?.kind == .tooDeep {
        reasons.add(.tooDeep, at: "", limit: Scanner.maxDepth, actual: Scanner.maxDepth + 1)
      } else {
        reasons.add(
          isUTF8 ? .invalidJSON : .invalidUTF8, actual: fault?.offset, detail: fault?.expected
        ) { RepairAdvice.write(of: line, in: tape, to: &$0) }
      }
    }
  }

  private func scanned(_ line: Range<Int>, _ number: Int, into batch: RecordBatch) -> ScanResult {
    let result = Scanner.scan(line: line, into: batch.tape)
    if case .value = result { batch.lines[number].isCompact = !batch.tape.hasSpaces }
    return result
  }

  /// The root of a line that is JSON once it is repaired, if that is to be tried (data-model 2).
  private func repaired(_ line: Range<Int>, _ number: Int, into batch: RecordBatch) -> Int? {
    guard rules.repairs || repairedLines.contains(Int(batch.lines[number].number)) else {
      return nil
    }
    let (result, repairs, text) = Scanner.scan(repaired: line, into: batch.tape)
    guard case .value(let root) = result else {
      batch.tape.decoded.truncate(to: text.lowerBound)
      return nil
    }
    batch.lines[number].repairs = repairs
    return root
  }

  // MARK: - From objects to records

  private func readObject(of line: Int, into batch: RecordBatch) {
    let record = batch.records.count
    switch dialects.read(batch.lines[line].object.index, line: line, into: batch) {
    case .found(let dialect):
      batch.lines[line].dialect = dialect
      batch.lines[line].record = Node(record)
      if batch.records[record].form == .drafted { batch.lines[line].isCompact = false }
    case .wrong(let dialect):
      batch.lines[line].dialect = dialect
      addFault(of: line, to: batch) { $0.add(.wrongDialect, at: "") }
    case .ambiguous: addFault(of: line, to: batch) { $0.add(.ambiguousDialect, at: "") }
    case .unknown:
      let (object, tape) = (batch.lines[line].object.index, batch.tape)
      addFault(of: line, to: batch) { reasons in
        reasons.add(.unknownDialect) { FieldNames.write(of: object, tape, to: &$0) }
      }
    }
  }

  /// Rejects the line with this number for the reason that `add` adds.
  private func addFault(of line: Int, to batch: RecordBatch, _ add: (inout ReasonList) -> Void) {
    let first = batch.reasons.count
    add(&batch.reasons)
    batch.reject(line: line, reasonsFrom: first)
  }
}
