import Pipeline
import Stages

/// Looks for people and installations that should not be in canonical logs (`verify --absent` of
/// what migrate and redrive leave, data-model 13.6). One stage object per thread.
final class AbsenceStage: Stage, @unchecked Sendable {
  // @unchecked because one thread at a time works with it, and what it found is read when it has
  // ended.
  static let name = "absence"

  /// What was found in a log.
  struct Found {
    /// Lines about them.
    var lines = 0
    /// The number of the first of these.
    var first = Int.max
  }

  /// By the number of the log.
  private(set) var found: [Int: Found] = [:]
  private let ids: AbsentIDs

  /// A stage that looks for what is asked of `ids`.
  init(_ ids: AbsentIDs) { self.ids = ids }

  /// Looks through the records of the unit. Complexity: O(records + their events).
  func process(_ unit: WorkUnit) {
    let batch = unit.batch
    for record in batch.records.indices.map({ batch.records[$0] }) where isNamed(record, in: batch)
    {
      let line = unit.block.firstLine + Int(batch.lines[Int(record.line)].number)
      var found = found[unit.block.input] ?? Found()
      found.lines += 1
      found.first = min(found.first, line)
      self.found[unit.block.input] = found
    }
  }

  private func isNamed(_ record: RecordEntry, in batch: RecordBatch) -> Bool {
    let marks = [
      mark(.custom, record.customID, of: batch.tape),
      mark(.install, record.installationID, of: batch.tape),
    ]
    return marks.contains { mark in
      guard let mark else { return false }
      return mark.isWhole || record.isLinkOnly && mark.covers(record.time)
        || record.operationCount > 0 && mark.covers(record.time)
        || record.eventIndices.contains { mark.covers(batch.events[$0].time) }
    }
  }

  private func mark(
    _ section: KeySection, _ node: Int32, of tape: Tape
  ) -> Erasures.Mark? {
    tape.string(at: node >= 0 ? Int(node) : nil).flatMap { ids.mark(section, $0) }
  }
}

extension AbsenceStage {
  /// Tells what `stages` have found in `logs`, log by log.
  static func tell(
    _ stages: [AbsenceStage], in logs: [WrittenFile], _ problems: inout ProblemList
  ) {
    for (number, log) in logs.enumerated() {
      var sum = Found()
      for found in stages.compactMap({ $0.found[number] }) {
        sum.lines += found.lines
        sum.first = min(sum.first, found.first)
      }
      guard sum.lines > 0 else { continue }
      problems.add(log.path, line: sum.first, .linesHoldAbsent, sum.lines)
    }
  }
}
