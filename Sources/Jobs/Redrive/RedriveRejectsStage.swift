import Pipeline
import Stages

/// Writes an entry for everything that is rejected again, with its new reasons and its original
/// position and text, and counts the outcome of every entry.
///
/// A part keeps its scope, even when its whole line is rejected now: the other parts of the line
/// were accepted before, and must not be reprocessed with it. The entries go to the unit's
/// `rejects`, with unchanged entries at their positions.
struct RedriveRejectsStage: Stage {
  static let name = "quarantine"

  /// Writes the unit's rejects. Complexity: O(lines + bytes of rejects, raw lines counted once).
  mutating func process(_ unit: WorkUnit) {
    unit.rejects.recycle()
    var kept = unit.notes.redriven.kept[...]
    var judge = RedriveJudge(unit)
    for index in unit.batch.lines.indices {
      addKept(&kept, before: index, to: unit)
      judge.judge(line: index)
    }
    addKept(&kept, before: unit.batch.lines.count, to: unit)
    unit.notes.redriven.ledger.kept = unit.notes.redriven.kept.count
    unit.notes.redriven.ledger.remaining = unit.rejects.count
  }

  private func addKept(
    _ kept: inout ArraySlice<RedrivenLines.Kept>, before line: Int, to unit: WorkUnit
  ) {
    while let entry = kept.first, entry.line <= line {
      unit.rejects.add(raw: nil) { $0.append(unit.notes.redriven.bytes(entry.bytes)) }
      kept.removeFirst()
    }
  }
}

/// Judges the lines of a unit, one after the other.
private struct RedriveJudge {
  private let unit: WorkUnit
  private let batch: RecordBatch
  private let redriven: RedrivenLines
  /// The reason of missing parts; the same for all of the block.
  private let missing: ReasonRange

  private var index = 0
  /// Number of entries written for the current line.
  private var entries = 0
  /// The range of its text for the entries, once there is one.
  private var raw: Range<Int>?

  init(_ unit: WorkUnit) {
    (self.unit, batch, redriven) = (unit, unit.batch, unit.notes.redriven)
    missing = ReasonRange(start: UInt32(batch.reasons.count), count: 1)
    batch.reasons.add(.partMissing, at: "")
  }

  private var line: LineEntry { batch.lines[index] }
  private var origin: RedrivenLines.Line { redriven.lines[index] }

  mutating func judge(line index: Int) {
    (self.index, entries, raw) = (index, 0, nil)
    if origin.isAboutLine { judgeLine() } else { judgeParts() }
  }

  /// Judges a line that was rejected as a whole: its parts may have different outcomes now.
  private mutating func judgeLine() {
    guard line.outcome == .record else {
      redriven.ledger.rejected += 1
      return add(.line, 0, line.reasons)
    }
    for event in batch.events(of: line) { judge(.event, event) }
    for operation in batch.operations(of: line) { judge(.operation, operation) }
    count(batch.outcome(of: line))
  }

  private mutating func judgeParts() {
    let isRejected = line.outcome == .rejected
    // A record without parts is empty; the reason for missing parts is more specific.
    let isEmpty = isRejected && batch.reasons[Int(line.reasons.start)].code == .emptyRecord
    for part in redriven.parts[origin.parts] {
      let before = (entries: entries, outside: redriven.ledger.outsideEvents)
      if let entry = part.entry, !isRejected {
        judge(part.scope, entry)
      } else {
        let isMissing = part.entry == nil && (isEmpty || !isRejected)
        count(part.scope, isTaken: false)
        add(part.scope, part.index, isMissing ? missing : line.reasons)
      }
      let isOutside = redriven.ledger.outsideEvents > before.outside
      count(entries > before.entries ? .rejected : isOutside ? .outside : .accepted)
    }
  }

  /// Counts an entry.
  private func count(_ outcome: PartsOutcome) {
    switch outcome {
    case .accepted: redriven.ledger.accepted += 1
    case .partial: redriven.ledger.partial += 1
    case .rejected: redriven.ledger.rejected += 1
    case .outside: redriven.ledger.outside += 1
    }
  }

  /// Counts the event, or operation, at `index` of the batch, and adds an entry if it is rejected.
  private mutating func judge(_ scope: RejectScope, _ index: Int) {
    let isEvent = scope == .event
    if isEvent, batch.events[index].outcome == .outside {
      redriven.ledger.outsideEvents += 1
      return
    }
    let isTaken = isEvent ? batch.events[index].isAccepted : batch.operations[index].isApplied
    count(scope, isTaken: isTaken)
    if isTaken { return }
    let number = isEvent ? redriven.eventNumbers[index] : redriven.operationNumbers[index]
    add(scope, Int(number), isEvent ? batch.events[index].reasons : batch.operations[index].reasons)
  }

  private func count(_ scope: RejectScope, isTaken: Bool) {
    switch (scope, isTaken) {
    case (.event, true): redriven.ledger.acceptedEvents += 1
    case (.event, false): redriven.ledger.rejectedEvents += 1
    case (.operation, true): redriven.ledger.appliedOperations += 1
    case (.operation, false): redriven.ledger.refusedOperations += 1
    case (.line, _): break
    }
  }

  private mutating func add(_ scope: RejectScope, _ number: Int, _ reasons: ReasonRange) {
    let (origin, line) = (origin, line)
    // Later entries do not repeat the text. It is whole: so was that of the entry it was read from.
    if entries == QuarantineStage.entriesWithRaw {
      raw = unit.rejects.addRaw { text in QuarantineStage.writeNoRaw(to: &text) }
    }
    let text = unit.block.bytes[Int(line.start)..<Int(line.start) + Int(line.length)]
    let raw = raw ?? unit.rejects.addRaw { QuarantineStage.writeRaw(text, to: &$0) }
    self.raw = raw
    entries += 1
    redriven.rejected.append((reasons, index))
    unit.rejects.add(raw: raw) { out in
      RedrivenNote(origin, of: redriven).begin(in: &out)
      QuarantineStage.write(scope, number, of: line, reasons, of: batch.reasons, to: &out)
    }
  }
}
