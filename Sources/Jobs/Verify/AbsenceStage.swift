import Pipeline
import Stages

/// Searches canonical logs for people and installations that should be absent (`verify --absent`
/// for outputs of migrate and redrive, data-model 13.6). One stage object per thread.
struct AbsenceStage: Stage {
  static let name = "absence"

  /// The findings in a log.
  struct Found {
    /// Lines about them.
    var lines = 0
    /// The number of the first of these.
    var first = Int.max

    fileprivate mutating func add(_ line: Int) {
      lines += 1
      first = min(first, line)
    }
  }

  /// The findings of all lanes, by the number of the log.
  let found: Locked<[Int: Found]>
  /// The ids to search for.
  let ids: AbsentIDs

  /// Searches the records of the unit. Complexity: O(records + their events).
  func process(_ unit: WorkUnit) {
    let batch = unit.batch
    for record in batch.records.indices.map({ batch.records[$0] }) where isNamed(record, in: batch)
    {
      let line = unit.block.firstLine + Int(batch.lines[Int(record.line)].number)
      found.withLock { $0[unit.block.input, default: Found()].add(line) }
    }
  }

  private func isNamed(_ record: RecordEntry, in batch: RecordBatch) -> Bool {
    let marks = [
      mark(.custom, record.customID, of: batch.tape),
      mark(.install, record.installationID, of: batch.tape),
    ]
    return marks.contains { mark in
      guard let mark else { return false }
      return mark.coversAll || record.isLinkOnly && mark.covers(record.time)
        || record.operationCount > 0 && mark.covers(record.time)
        || record.eventIndices.contains { mark.covers(batch.events[$0].time) }
    }
  }

  private func mark(
    _ section: KeySection, _ node: Node, of tape: Tape
  ) -> Erasures.Mark? {
    tape.string(at: node.exists ? node.index : nil).flatMap { ids.mark(section, $0) }
  }
}

extension AbsenceStage {
  /// Reports the findings in `logs`, log by log.
  static func report(
    _ found: [Int: Found], in logs: [WrittenFile], _ problems: inout ProblemList
  ) {
    for (number, log) in logs.enumerated() {
      guard let found = found[number] else { continue }
      problems.add(log.path, line: found.first, .linesHoldAbsent, found.lines)
    }
  }
}
