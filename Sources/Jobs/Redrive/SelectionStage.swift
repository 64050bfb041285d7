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
      let number = batch.lines[index].record.index
      var record = batch.records[number]
      let start = ends
      if line.isAboutLine {
        for position in 0..<Int(record.eventCount) {
          keepEvent(position, of: record, at: &ends, in: batch, redriven)
        }
        for position in 0..<Int(record.operationCount) {
          keepOperation(position, of: record, at: &ends, in: batch, redriven)
        }
      } else {
        keepParts(line.parts, of: record, at: &ends, in: batch, redriven)
        // Its link and its unread fields were handled with the parts that were accepted.
        record.mayBeLink = false
        record.hasToldOmissions =
          line.parts.count < Int(record.eventCount) + Int(record.operationCount)
      }
      record.firstEvent = UInt32(start.events)
      record.eventCount = UInt32(ends.events - start.events)
      record.firstOperation = UInt32(start.operations)
      record.operationCount = UInt32(ends.operations - start.operations)
      batch.records[number] = record
    }
    batch.events.truncate(to: ends.events)
    batch.operations.truncate(to: ends.operations)
  }

  /// Number of events and operations of the batch that were kept.
  private struct Ends {
    var events = 0
    var operations = 0
  }

  /// Keeps the parts of `record` that count, in order; parts that it does not have get no entry.
  private func keepParts(
    _ parts: Range<Int>, of record: RecordEntry, at ends: inout Ends, in batch: RecordBatch,
    _ redriven: RedrivenLines
  ) {
    redriven.parts[parts].sort { ($0.scope.rawValue, $0.index) < ($1.scope.rawValue, $1.index) }
    for part in parts {
      let position = redriven.parts[part].index
      switch redriven.parts[part].scope {
      case .event where position < Int(record.eventCount):
        redriven.parts[part].entry = ends.events
        keepEvent(position, of: record, at: &ends, in: batch, redriven)
      case .operation where position < Int(record.operationCount):
        redriven.parts[part].entry = ends.operations
        keepOperation(position, of: record, at: &ends, in: batch, redriven)
      default: break
      }
    }
  }

  /// Rejects a line that an edit has left without content.
  private func rejectBlank(_ index: Int, in batch: RecordBatch) {
    guard batch.lines[index].outcome == .blank else { return }
    let first = batch.reasons.count
    batch.reasons.add(.emptyRecord, at: "")
    batch.lines[index].outcome = .rejected
    batch.lines[index].reasons = ReasonRange(start: UInt32(first), count: 1)
  }

  /// Moves event number `position` of `record` to the end of the kept ones, which is never after
  /// it.
  private func keepEvent(
    _ position: Int, of record: RecordEntry, at ends: inout Ends, in batch: RecordBatch,
    _ redriven: RedrivenLines
  ) {
    batch.events[ends.events] = batch.events[Int(record.firstEvent) + position]
    redriven.eventNumbers.append(Int32(position))
    ends.events += 1
  }

  /// The same for an operation.
  private func keepOperation(
    _ position: Int, of record: RecordEntry, at ends: inout Ends, in batch: RecordBatch,
    _ redriven: RedrivenLines
  ) {
    batch.operations[ends.operations] = batch.operations[Int(record.firstOperation) + position]
    redriven.operationNumbers.append(Int32(position))
    ends.operations += 1
  }
}
