package import Pipeline
package import Stages

/// Writes one JSON object per line that describes what happened to it and why: the output of
/// `eventmill explain` (docs/reference/file-formats.md). Runs after the migration.
package struct ExplainStage: Stage {
  package static let name = "explain"

  private let dialects: DialectReader
  /// The inputs' paths; nil for a single input.
  private let sources: [String]?

  /// `sources` are the paths of the inputs; without them lines do not name their file.
  package init(sources: [String]? = nil, mappings: Mappings = Mappings()) {
    self.sources = sources
    var rules = Rules()
    rules.mappings = mappings
    dialects = DialectReader(rules)
  }

  /// Complexity: O(bytes of the block).
  package mutating func process(_ unit: WorkUnit) {
    unit.text.removeAll()
    explain(unit.batch, unit.block, to: &unit.text)
  }

  private func explain(_ batch: RecordBatch, _ block: Block, to text: inout ByteBuffer) {
    let losses = Dictionary(grouping: batch.lossesByLine()) {
      batch.line(of: batch.losses[$0].site)
    }
    let remarks = Dictionary(
      grouping: (0..<batch.remarks.count).filter { batch.counts(remark: $0) },
      by: { batch.line(of: batch.remarks[$0].site) })
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
        json.objects("losses", of: losses[index] ?? []) { loss, json in
          json.member("code", batch.losses[loss].code.text)
          Self.writePath(to: &json) {
            batch.appendPath(batch.losses.path(loss), at: batch.losses[loss].site, to: &$0)
          }
        }
        if let remarks = remarks[index] {
          json.objects("remarks", of: remarks) { remark, json in
            json.member("code", batch.remarks[remark].code.text)
            Self.writePath(to: &json) {
              batch.appendPath(batch.remarks.path(remark), at: batch.remarks[remark].site, to: &$0)
            }
          }
        }
        json.member("reasons") { text in batch.reasons.append(line.reasons, to: &text) }
      }
    }
  }

  private static func writePath(
    _ name: StaticString = "path", to json: inout JSONWriter, _ append: (inout ByteBuffer) -> Void
  ) {
    var path = ByteBuffer(capacity: 64)
    append(&path)
    json.member(name, path.view)
  }

  /// Writes the fields that identified the dialect, or the dialects that match the line.
  private func writeEvidence(of line: LineEntry, in batch: RecordBatch, to json: inout JSONWriter) {
    guard line.object.exists else { return }
    if let dialect = line.dialect {
      json.array("detected_by", of: dialects.evidence(of: dialect, in: line, of: batch))
    } else if case .ambiguous(let first, let second) = dialects.detect(line, in: batch) {
      json.array("claimed_by", of: [first.name, second.name])
    }
  }

  private func write(recordsOf line: LineEntry, of batch: RecordBatch, to json: inout JSONWriter) {
    json.member("outcome", batch.outcome(of: line).rawValue)
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
      Self.writePath("key", to: &json) { operation.appendName(of: batch.tape, to: &$0) }
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

extension JobControl {
  /// Explains what happens to each line of the inputs and why (`eventmill explain`,
  /// docs/reference/file-formats.md), in order; `write` gets the text of whole lines.
  @discardableResult
  package func explain(
    _ options: ReadOptions, _ write: @escaping @Sendable (ByteView) throws(Failure) -> Void
  ) throws(Failure) -> ReadSummary {
    let clock = StopWatch()
    let survey = try InputDiscovery.survey(options, self)
    let inputs = survey.inputs
    let isOne = options.inputs.count == 1 && inputs.allSatisfy { $0.root == nil }
    let sources = isOne ? nil : inputs.map(\.path)
    let rules = options.rules
    let read = try RecordFlow(
      stages: { Chains.explain(rules, sources: sources) }, cores: try CoreQueues(options.jobs)
    ).run(
      inputs, options, nonLogs: .report, hashes: false, self,
      finish: { unit throws(Failure) in try write(unit.text.view) })
    return ReadSummary(TallyFacts(), read.outcomes, survey, clock, notLogs: read.notLogs)
  }
}
