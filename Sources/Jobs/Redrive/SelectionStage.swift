import Pipeline
import Stages

/// Removes the parts of a block's records that had not been rejected: they have been accepted
/// already, and must neither count again nor be judged.
///
/// Runs between reader and validator, so that later stages only see the parts that count. Works on
/// blocks of ``RedriveSource``.
struct SelectionStage: Stage {
  static let name = "selection"

  /// Narrows the records of the unit. Complexity: O(events and operations, sorted per line).
  mutating func process(_ unit: WorkUnit) { select(in: unit.batch, unit.notes.redriven) }

  private func select(in batch: RecordBatch, _ redriven: RedrivenLines) {
    precondition(
      batch.lines.count == redriven.lines.count, "every line of the block has a position")
    var ends = Ends()
    for index in batch.lines.indices {
      let line = redriven.lines[index]
      if line.isAboutLine { rejectBlank(index, in: batch) }
      guard batch.lines[index].record.exists else { continue }
      select(inLine: index, line, at: &ends, in: batch, redriven)
    }
    batch.events.truncate(to: ends.events)
    batch.operations.truncate(to: ends.operations)
  }

  /// Keeps the parts of the records of a line that count, in order. Positions are those among all
  /// parts of the line; parts that it does not have get no entry.
  private func select(
    inLine index: Int, _ line: RedrivenLines.Line, at ends: inout Ends, in batch: RecordBatch,
    _ redriven: RedrivenLines
  ) {
    let entry = batch.lines[index]
    let first = (batch.events(of: entry).lowerBound, batch.operations(of: entry).lowerBound)
    let records = batch.records(of: entry)
    redriven.parts[line.parts].sort {
      ($0.scope.rawValue, $0.index) < ($1.scope.rawValue, $1.index)
    }
    var parts = [RejectScope.event, .operation].map { scope in
      line.parts.filter { redriven.parts[$0].scope == scope }[...]
    }
    for number in records {
      var record = batch.records[number]
      let (start, total) = (ends, Int(record.eventCount) + Int(record.operationCount))
      for event in record.eventIndices
      where line.isAboutLine || parts[0].take(event - first.0, ends.events, redriven) {
        batch.events[ends.events] = batch.events[event]
        redriven.eventNumbers.append(Int32(event - first.0))
        ends.events += 1
      }
      for operation in record.operationIndices
      where line.isAboutLine || parts[1].take(operation - first.1, ends.operations, redriven) {
        batch.operations[ends.operations] = batch.operations[operation]
        redriven.operationNumbers.append(Int32(operation - first.1))
        ends.operations += 1
      }
      record.firstEvent = UInt32(start.events)
      record.eventCount = UInt32(ends.events - start.events)
      record.firstOperation = UInt32(start.operations)
      record.operationCount = UInt32(ends.operations - start.operations)
      if !line.isAboutLine {
        // Its link and its unread fields were handled with the parts that were accepted.
        let kept = Int(record.eventCount) + Int(record.operationCount)
        record.mayBeLink = false
        record.hasReportedOmissions = kept < total || records.count > 1 && total == 0
        if records.count > 1 { record.mayBeEmpty = true }
      }
      batch.records[number] = record
    }
  }

  /// Number of events and operations of the batch that were kept.
  private struct Ends {
    var events = 0
    var operations = 0
  }

  /// Rejects a line that an edit has left without content.
  private func rejectBlank(_ index: Int, in batch: RecordBatch) {
    guard batch.lines[index].outcome == .blank else { return }
    let first = batch.reasons.count
    batch.reasons.add(.emptyRecord, at: "")
    batch.reject(line: index, reasonsFrom: first)
  }
}

extension ArraySlice<Int> {
  /// Whether the part at the beginning, an index of ``RedrivenLines/parts``, has that position;
  /// takes it, and all that have the same, and gives them the entry `entry`. Parts come in order.
  fileprivate mutating func take(_ position: Int, _ entry: Int, _ redriven: RedrivenLines) -> Bool {
    var isTaken = false
    while let part = first, redriven.parts[part].index <= position {
      if redriven.parts[part].index == position {
        redriven.parts[part].entry = entry
        isTaken = true
      }
      removeFirst()
    }
    return isTaken
  }
}
