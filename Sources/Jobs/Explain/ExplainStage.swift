import Pipeline
package import Stages

/// Writes one JSON object per line that tells what happened to it and why (docs/file-formats.md):
/// the output of `eventmill explain`.
///
/// Runs after the migration. The text goes to the unit's `text`; line numbers are those of the
/// file.
package struct ExplainStage: Stage {
  package static let name = "explain"

  private let root = RootMembers()
  /// The inputs' paths as JSON strings; nil where there is one input.
  private let sources: [[UInt8]]?

  /// A stage that names the input of each line by `sources`, the paths in the order of the inputs;
  /// that names none without.
  package init(sources: [String]? = nil) {
    self.sources = sources.map(QuarantineStage.quoted)
  }

  /// Explains every line of the unit. Complexity: O(bytes of the block + losses × log losses).
  package mutating func process(_ unit: WorkUnit) {
    unit.text.removeAll()
    explain(unit.batch, unit.block, to: &unit.text)
  }

  private func explain(
    _ batch: RecordBatch, _ block: Block, to text: inout ByteBuffer
  ) {
    var losses = LossCursor(batch)
    let firstLine = block.firstLine
    for index in batch.lines.indices {
      if let sources {
        text.append("{\"source\":")
        text.append(contentsOf: sources[block.input])
        text.append(",\"line\":")
      } else {
        text.append("{\"line\":")
      }
      let line = batch.lines[index]
      text.append(decimal: firstLine + Int(line.number))
      if let dialect = line.dialect {
        text.append(",\"dialect\":\"")
        text.append(text: dialect.name)
        text.append(UInt8(ascii: "\""))
      }
      appendEvidence(of: line, in: batch, to: &text)
      switch line.outcome {
      case .blank: text.append(",\"outcome\":\"blank\",\"events\":[],\"operations\":[]")
      case .rejected: text.append(",\"outcome\":\"rejected\",\"events\":[],\"operations\":[]")
      case .record: explain(record: Int(line.record), of: batch, to: &text)
      }
      text.append(",\"losses\":")
      append(losses.take(line: index), of: batch, to: &text)
      text.append(",\"reasons\":")
      batch.reasons.append(line.reasons, to: &text)
      text.append("}\n")
    }
  }

  /// Which members told the dialect, or of which dialects the line could be.
  private func appendEvidence(
    of line: LineEntry, in batch: RecordBatch, to text: inout ByteBuffer
  ) {
    guard line.object >= 0 else { return }
    root.read(Int(line.object), of: batch)
    // What is waived for a dialect that is fixed is waived for the one that was found.
    let members = LineMembers(root: root, tape: batch.tape, fixed: line.dialect)
    let names: [String]
    if let dialect = line.dialect {
      let evidence = DialectRegistry.all[Int(dialect.number)].evidence(in: members)
      names = (evidence?.members ?? []).map { "\($0)" }
      text.append(",\"detected_by\":")
    } else if case .ambiguous(let first, let second) = Detection.of(members) {
      names = [first, second].map { Dialect(number: UInt8($0)).name }
      text.append(",\"claimed_by\":")
    } else {
      return
    }
    var separator: StaticString = "["
    for name in names {
      text.append(separator)
      separator = ","
      text.append(UInt8(ascii: "\""))
      text.append(text: name)
      text.append(UInt8(ascii: "\""))
    }
    text.append(UInt8(ascii: "]"))
  }

  private func explain(
    record index: Int, of batch: RecordBatch, to text: inout ByteBuffer
  ) {
    let record = batch.records[index]
    text.append(",\"outcome\":\"")
    let outcome = batch.outcome(of: record)
    text.append(text: outcome)
    text.append(UInt8(ascii: "\""))
    let written = text.count
    text.append(",\"canonical\":")
    // Of some records there is nothing to write, though nothing was rejected.
    if outcome == "rejected" || !CanonicalWriter.append(record: index, of: batch, to: &text) {
      text.truncate(to: written)
    }
    text.append(",\"events\":[")
    for event in record.eventIndices {
      let number = event - record.eventIndices.lowerBound
      if number > 0 { text.append(UInt8(ascii: ",")) }
      text.append("{\"index\":")
      text.append(decimal: number)
      let entry = batch.events[event]
      appendOutcome(
        ExplainStage.word(for: entry.outcome), entry.reasons, of: batch.reasons, to: &text)
    }
    text.append("],\"operations\":[")
    for operation in record.operationIndices {
      if operation > record.operationIndices.lowerBound { text.append(UInt8(ascii: ",")) }
      text.append("{\"key\":")
      let entry = batch.operations[operation]
      appendKey(of: entry, in: batch.tape, to: &text)
      appendOutcome(
        entry.isApplied ? "applied" : "refused", entry.reasons, of: batch.reasons, to: &text)
    }
    text.append(UInt8(ascii: "]"))
  }

  private static func word(for outcome: EventOutcome) -> StaticString {
    switch outcome {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .suppressed: "suppressed"
    case .outside: "outside"
    }
  }

  private func appendOutcome(
    _ outcome: StaticString, _ range: ReasonRange, of reasons: borrowing ReasonList,
    to text: inout ByteBuffer
  ) {
    text.append(",\"outcome\":\"")
    text.append(outcome)
    text.append(UInt8(ascii: "\""))
    if range.count > 0 {
      text.append(",\"reasons\":")
      reasons.append(range, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  private func appendKey(
    of operation: OperationEntry, in tape: Tape, to text: inout ByteBuffer
  ) {
    switch operation.kind {
    case .clear: text.append("\"*\"")
    case .location: text.append("\"location\"")
    case .consent: text.append("\"opted_out\"")
    case .erase: text.append("\"erase\"")
    case .noObject: text.append("\"attributes\"")
    case .unreadable: text.append("\"action\"")
    case .attribute:
      var key = ByteBuffer(capacity: 64)
      KeyName.append(tape[Int(operation.key)], of: tape, to: &key)
      text.appendJSONString(key.view)
    }
  }

  private func append(
    _ indices: ArraySlice<Int>, of batch: RecordBatch, to text: inout ByteBuffer
  ) {
    var path = ByteBuffer(capacity: 64)
    var separator: StaticString = "["
    for index in indices {
      text.append(separator)
      separator = ","
      text.append("{\"code\":\"")
      text.append(text: batch.losses[index].code.text)
      text.append("\",\"path\":")
      path.removeAll()
      batch.appendPath(ofLoss: index, to: &path)
      text.appendJSONString(path.view)
      text.append(UInt8(ascii: "}"))
    }
    text.append(indices.isEmpty ? "[]" as ByteView : "]" as ByteView)
  }
}

extension RecordBatch {
  /// What became of a record as a whole: `accepted`, `partial`, or `rejected` when nothing of it
  /// survives. Events outside of `--since` and `--until` do not matter; a record that holds nothing
  /// else is `outside`.
  package func outcome(of record: RecordEntry) -> String {
    var taken = record.isLinkOnly ? 1 : 0
    var (refused, outside) = (0, 0)
    for event in record.eventIndices {
      switch events[event].outcome {
      case .accepted: taken += 1
      case .outside: outside += 1
      case .rejected, .suppressed: refused += 1
      }
    }
    for operation in record.operationIndices {
      if operations[operation].isApplied { taken += 1 } else { refused += 1 }
    }
    if outside > 0, taken + refused == 0 { return "outside" }
    return refused == 0 ? "accepted" : taken == 0 ? "rejected" : "partial"
  }
}

/// Hands out the losses of a batch line by line: the validator and the migration each report theirs
/// in the order of the lines, one after the other.
package struct LossCursor {
  private let order: [Int]
  private let lines: [Int]
  private var position = 0

  /// A cursor before the first line of `batch`.
  package init(_ batch: RecordBatch) {
    var lines: [Int] = []
    for index in 0..<batch.losses.count { lines.append(batch.line(ofLoss: index)) }
    self.lines = lines
    order = lines.indices.sorted { (lines[$0], $0) < (lines[$1], $1) }
  }

  /// The indices of the losses of line number `line`; lines must be asked for in order.
  package mutating func take(line: Int) -> ArraySlice<Int> {
    let start = position
    while position < order.count, lines[order[position]] == line { position += 1 }
    return order[start..<position]
  }
}
