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
    let (batch, redriven) = (unit.batch, unit.notes.redriven)
    unit.rejects.recycle()
    var kept = redriven.kept[...]
    // The reason of missing parts; the same for all of the block.
    let missing = ReasonRange(start: UInt32(batch.reasons.count), count: 1)
    batch.reasons.add(.partMissing, at: "")
    for index in batch.lines.indices {
      addKept(&kept, before: index, redriven, to: &unit.rejects)
      var source = SourceLine(unit.block, batch.lines[index], redriven.lines[index], index)
      if source.origin.isAboutLine {
        addLine(&source, of: batch, redriven, to: &unit.rejects)
      } else {
        addParts(&source, of: batch, missing, redriven, to: &unit.rejects)
      }
    }
    addKept(&kept, before: batch.lines.count, redriven, to: &unit.rejects)
    redriven.ledger.kept = redriven.kept.count
    redriven.ledger.remaining = unit.rejects.count
  }

  /// The line of the current entries.
  private struct SourceLine {
    let line: LineEntry
    let origin: RedrivenLines.Line
    /// Its index in the block.
    let index: Int
    let bytes: ByteView
    /// Number of entries written for it.
    var entries = 0
    /// The range of its text for the entries, once there is one.
    var raw: Range<Int>?

    init(_ block: Block, _ line: LineEntry, _ origin: RedrivenLines.Line, _ index: Int) {
      (self.line, self.origin, self.index) = (line, origin, index)
      bytes = block.bytes[Int(line.start)..<Int(line.start) + Int(line.length)]
    }
  }

  private func addKept(
    _ kept: inout ArraySlice<RedrivenLines.Kept>, before line: Int, _ redriven: RedrivenLines,
    to rejects: inout RejectEntries
  ) {
    while let entry = kept.first, entry.line <= line {
      rejects.add(raw: nil) { $0.append(redriven.bytes(entry.bytes)) }
      kept.removeFirst()
    }
  }

  /// Handles a line that was rejected as a whole: its parts may have different outcomes now.
  private func addLine(
    _ source: inout SourceLine, of batch: RecordBatch, _ redriven: RedrivenLines,
    to rejects: inout RejectEntries
  ) {
    guard source.line.outcome == .record else {
      redriven.ledger.rejected += 1
      return add(.line, 0, source.line.reasons, &source, of: batch, redriven, to: &rejects)
    }
    let (events, operations) = (batch.events(of: source.line), batch.operations(of: source.line))
    var accepted = batch.records(of: source.line).count { batch.records[$0].isLinkOnly }
    let outside = redriven.ledger.outsideEvents
    for index in events {
      accepted += batch.events[index].isAccepted ? 1 : 0
      judge(.event, index, &source, of: batch, redriven, to: &rejects)
    }
    for index in operations {
      accepted += batch.operations[index].isApplied ? 1 : 0
      judge(.operation, index, &source, of: batch, redriven, to: &rejects)
    }
    if source.entries == 0 {
      count(entryAbout: accepted, outside: redriven.ledger.outsideEvents - outside, redriven)
    } else if accepted > 0 {
      redriven.ledger.partial += 1
    } else {
      redriven.ledger.rejected += 1
    }
  }

  /// Handles the entries of parts of a line.
  private func addParts(
    _ source: inout SourceLine, of batch: RecordBatch, _ missing: ReasonRange,
    _ redriven: RedrivenLines, to rejects: inout RejectEntries
  ) {
    let isRejected = source.line.outcome == .rejected
    // A record without parts is empty; the reason for missing parts is more specific.
    let isEmpty = isRejected && batch.reasons[Int(source.line.reasons.start)].code == .emptyRecord
    for part in redriven.parts[source.origin.parts] {
      let before = (entries: source.entries, outside: redriven.ledger.outsideEvents)
      if let entry = part.entry, !isRejected {
        judge(part.scope, entry, &source, of: batch, redriven, to: &rejects)
      } else {
        let isMissing = part.entry == nil && (isEmpty || !isRejected)
        count(part.scope, isTaken: false, redriven)
        add(
          part.scope, part.index, isMissing ? missing : source.line.reasons, &source, of: batch,
          redriven, to: &rejects)
      }
      if source.entries == before.entries {
        let outside = redriven.ledger.outsideEvents - before.outside
        count(entryAbout: 1 - outside, outside: outside, redriven)
      } else {
        redriven.ledger.rejected += 1
      }
    }
  }

  /// Counts an entry none of whose parts is rejected any more: `accepted` of them were accepted,
  /// and `outside` of them are outside of `--since` and `--until`.
  private func count(entryAbout accepted: Int, outside: Int, _ redriven: RedrivenLines) {
    if accepted == 0, outside > 0 {
      redriven.ledger.outside += 1
    } else {
      redriven.ledger.accepted += 1
    }
  }

  /// Counts the event, or operation, at `index` of the batch, and adds an entry if it is rejected.
  private func judge(
    _ scope: RejectScope, _ index: Int, _ source: inout SourceLine, of batch: RecordBatch,
    _ redriven: RedrivenLines, to rejects: inout RejectEntries
  ) {
    let isEvent = scope == .event
    if isEvent, batch.events[index].outcome == .outside {
      redriven.ledger.outsideEvents += 1
      return
    }
    let isTaken = isEvent ? batch.events[index].isAccepted : batch.operations[index].isApplied
    count(scope, isTaken: isTaken, redriven)
    if isTaken { return }
    let number = isEvent ? redriven.eventNumbers[index] : redriven.operationNumbers[index]
    let reasons = isEvent ? batch.events[index].reasons : batch.operations[index].reasons
    add(scope, Int(number), reasons, &source, of: batch, redriven, to: &rejects)
  }

  private func count(_ scope: RejectScope, isTaken: Bool, _ redriven: RedrivenLines) {
    switch (scope, isTaken) {
    case (.event, true): redriven.ledger.acceptedEvents += 1
    case (.event, false): redriven.ledger.rejectedEvents += 1
    case (.operation, true): redriven.ledger.appliedOperations += 1
    case (.operation, false): redriven.ledger.refusedOperations += 1
    case (.line, _): break
    }
  }

  private func add(
    _ scope: RejectScope, _ number: Int, _ reasons: ReasonRange, _ source: inout SourceLine,
    of batch: RecordBatch, _ redriven: RedrivenLines, to rejects: inout RejectEntries
  ) {
    // Later entries do not repeat the text. It is whole: so was that of the entry it was read from.
    if source.entries == QuarantineStage.entriesWithRaw {
      source.raw = rejects.addRaw { text in QuarantineStage.writeNoRaw(to: &text) }
    }
    let raw = source.raw ?? rejects.addRaw { QuarantineStage.writeRaw(source.bytes, to: &$0) }
    source.raw = raw
    source.entries += 1
    redriven.rejected.append((reasons, source.index))
    let (origin, line) = (source.origin, source.line)
    rejects.add(raw: raw) { text in
      RedrivenNote.append(redriven.source(of: origin), origin.number, origin.offset, to: &text)
      QuarantineStage.write(scope, number, of: line, reasons, of: batch.reasons, to: &text)
    }
  }
}
