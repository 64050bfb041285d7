import Pipeline
package import Stages

/// Writes one JSON object per line that describes what happened to it and why
/// (docs/reference/file-formats.md): the output of `eventmill explain`.
///
/// Runs after the migration. The text goes to the unit's `text`; line numbers are those of the
/// file.
package struct ExplainStage: Stage {
  package static let name = "explain"

  private let root = RootFields()
  /// The inputs' paths; nil for a single input.
  private let sources: [String]?
  private let mappings: Mappings
  private let mapped: MappedLine?

  /// A stage that names the input of each line by `sources`, the paths in the order of the inputs,
  /// or not at all. Dialects may be those of `mappings`.
  package init(sources: [String]? = nil, mappings: Mappings = Mappings()) {
    (self.sources, self.mappings) = (sources, mappings)
    mapped = mappings.isEmpty ? nil : MappedLine(mappings)
  }

  /// Explains every line of the unit. Complexity: O(bytes of the block + losses × log losses).
  package mutating func process(_ unit: WorkUnit) {
    unit.text.removeAll()
    explain(unit.batch, unit.block, to: &unit.text)
  }

  private func explain(_ batch: RecordBatch, _ block: Block, to text: inout ByteBuffer) {
    var losses = LossCursor(batch)
    var remark = 0
    for index in batch.lines.indices {
      let line = batch.lines[index]
      JSONWriter.line(to: &text) { json in
        if let sources { json.member("source", sources[block.input]) }
        json.member("line", block.number(of: line))
        if let dialect = line.dialect { json.member("dialect", dialect.name) }
        writeEvidence(of: line, in: batch, to: &json)
        switch line.outcome {
        case .blank, .rejected:
          json.member("outcome", line.outcome == .blank ? "blank" : "rejected")
          json.array("events", of: [String]())
          json.array("operations", of: [String]())
        case .record: write(recordsOf: line, of: batch, to: &json)
        }
        json.objects("losses", of: losses.take(line: index)) { loss, json in
          json.member("code", batch.losses[loss].code.text)
          var path = ByteBuffer(capacity: 64)
          batch.appendPath(batch.losses.path(loss), at: batch.lossSites[loss], to: &path)
          json.member("path", path.view)
        }
        writeRemarks(from: &remark, ofLine: index, in: batch, to: &json)
        json.member("reasons") { text in batch.reasons.append(line.reasons, to: &text) }
      }
    }
  }

  /// Writes the remarks of a line, if there are any; lines must come in order.
  private func writeRemarks(
    from next: inout Int, ofLine line: Int, in batch: RecordBatch, to json: inout JSONWriter
  ) {
    let first = next
    while next < batch.remarks.count, batch.line(of: batch.remarkSites[next]) == line { next += 1 }
    let remarks = (first..<next).filter { batch.counts(remark: $0) }
    if remarks.isEmpty { return }
    json.objects("remarks", of: remarks) { remark, json in
      json.member("code", batch.remarks[remark].code.text)
      var path = ByteBuffer(capacity: 64)
      batch.appendPath(batch.remarks.path(remark), at: batch.remarkSites[remark], to: &path)
      json.member("path", path.view)
    }
  }

  /// Writes the fields that identified the dialect, or the dialects that match the line.
  private func writeEvidence(
    of line: LineEntry, in batch: RecordBatch, to json: inout JSONWriter
  ) {
    guard line.object.exists else { return }
    root.read(line.object.index, of: batch)
    let claimants = mapped?.dialects(of: line.object.index, in: batch) ?? []
    if let dialect = line.dialect, dialect.isMapped {
      json.array("detected_by", of: mappings.evidence(of: dialect))
    } else if line.dialect == nil, claimants.count > 1 {
      json.array("claimed_by", of: claimants.map(\.name))
    } else if let dialect = line.dialect {
      // Exceptions for a fixed dialect also apply to the one that was found.
      let evidence = DialectRegistry.all[Int(dialect.number)].evidence(
        in: root, of: batch, isFixed: true)
      json.array("detected_by", of: "\(evidence ?? "")".split(separator: " ").map(String.init))
    } else if case .ambiguous(let first, let second) = Detection.of(root, in: batch, fixed: nil) {
      json.array("claimed_by", of: [first.name, second.name])
    }
  }

  private func write(recordsOf line: LineEntry, of batch: RecordBatch, to json: inout JSONWriter) {
    json.member("outcome", batch.outcome(of: line))
    // Some records have no content to write, though nothing was rejected.
    var text = ByteBuffer(capacity: 1024)
    var lines: [Range<Int>] = []
    for record in batch.records(of: line) {
      let start = text.count
      guard CanonicalWriter.append(record: record, of: batch, to: &text) else { continue }
      lines.append(start..<text.count)
    }
    if let first = lines.first { json.member("canonical", JSONText(text.view[first])) }
    if lines.count > 1 {
      // A line with several owners has several records.
      json.member("further") { out in
        for (index, line) in lines.enumerated().dropFirst() {
          out.append(UInt8(ascii: index == 1 ? "[" : ","))
          out.append(text.view[line])
        }
        out.append(UInt8(ascii: "]"))
      }
    }
    let events = batch.events(of: line)
    json.objects("events", of: events) { index, json in
      let event = batch.events[index]
      json.member("index", index - events.lowerBound)
      write(ExplainStage.word(for: event.outcome), event.reasons, of: batch, to: &json)
    }
    json.objects("operations", of: batch.operations(of: line)) { index, json in
      let operation = batch.operations[index]
      var key = ByteBuffer(capacity: 64)
      operation.appendName(of: batch.tape, to: &key)
      json.member("key", key.view)
      write(operation.isApplied ? "applied" : "refused", operation.reasons, of: batch, to: &json)
    }
  }

  private static func word(for outcome: EventOutcome) -> String {
    switch outcome {
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .suppressed: "suppressed"
    case .outside: "outside"
    }
  }

  private func write(
    _ outcome: String, _ reasons: ReasonRange, of batch: RecordBatch, to json: inout JSONWriter
  ) {
    json.member("outcome", outcome)
    if reasons.count > 0 {
      json.member("reasons") { text in batch.reasons.append(reasons, to: &text) }
    }
  }
}

extension OperationEntry {
  /// Appends the target of the operation: a key, a field, `*` for a clear.
  func appendName(of tape: Tape, to text: inout ByteBuffer) {
    switch kind {
    case .clear: text.append(ByteView("*"))
    case .register(let register): text.append(register.field)
    case .erase: text.append(ByteView("erase"))
    case .noObject: text.append(ByteView("attributes"))
    case .unreadable: text.append(ByteView("action"))
    case .attribute: KeyName.append(tape[key], of: tape, to: &text)
    }
  }
}

extension RecordBatch {
  /// The outcome of a line with records as a whole: `accepted`, `partial`, or `rejected` when no
  /// part was accepted. Events outside of `--since` and `--until` do not count; a line with nothing
  /// else is `outside`.
  package func outcome(of line: LineEntry) -> String {
    var taken = records(of: line).count { records[$0].isLinkOnly }
    var (refused, outside) = (0, 0)
    for event in events(of: line) {
      switch events[event].outcome {
      case .accepted: taken += 1
      case .outside: outside += 1
      case .rejected, .suppressed: refused += 1
      }
    }
    for operation in operations(of: line) {
      if operations[operation].isApplied { taken += 1 } else { refused += 1 }
    }
    if outside > 0, taken + refused == 0 { return "outside" }
    return refused == 0 ? "accepted" : taken == 0 ? "rejected" : "partial"
  }
}

/// Iterates over the losses of a batch by line.
package struct LossCursor {
  private let order: [Int]
  private let lines: [Int]
  private var position = 0

  /// A cursor before the first line of `batch`.
  package init(_ batch: RecordBatch) {
    lines = (0..<batch.losses.count).map { batch.line(of: batch.lossSites[$0]) }
    order = batch.lossesByLine()
  }

  /// The indices of the losses of line number `line`; lines must be requested in order.
  package mutating func take(line: Int) -> ArraySlice<Int> {
    let start = position
    while position < order.count, lines[order[position]] == line { position += 1 }
    return order[start..<position]
  }
}
