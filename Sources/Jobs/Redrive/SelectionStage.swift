import Pipeline
import Stages

/// Leaves out of the records of a block what had not been rejected: it has been taken already, and
/// must neither count again nor be judged.
///
/// Stands between reader and validator, so that all that follows sees the parts that count and
/// nothing else. Works on blocks of ``RedriveSource``.
struct SelectionStage: Stage {
  static let name = "selection"

  init() {}

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
        // That it links was taken with the parts that stood, and what it has beside them was told.
        record.mayBeLink = false
        record.hasToldUnread =
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

  /// How many events and operations of the batch were kept.
  private struct Ends {
    var events = 0
    var operations = 0
  }

  /// Keeps the parts of `record` that count, in their order; those that it does not have stay
  /// without an entry.
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

  /// A line that was rejected, and of which nothing is left after somebody edited it.
  private func rejectBlank(_ index: Int, in batch: RecordBatch) {
    guard batch.lines[index].outcome == .blank else { return }
    let first = batch.reasons.count
    batch.reasons.add(.emptyRecord, at: "")
    batch.lines[index].outcome = .rejected
    batch.lines[index].reasons = ReasonRange(start: UInt32(first), count: 1)
  }

  /// Moves the event number `position` of `record` to the end of those that are kept, which is
  /// never behind it.
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
