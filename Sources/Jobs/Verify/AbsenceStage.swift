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
    /// Lines about similar ids.
    var similar = SimilarIDs()

    fileprivate mutating func add(_ line: Int) {
      lines += 1
      first = min(first, line)
    }
  }

  /// The findings of all lanes, by the number of the log.
  private let found: Locked<[Int: Found]>
  private let ids: AbsentIDs
  private let search: PersonSearch

  /// A search for `ids`, which adds to `found`.
  init(_ ids: AbsentIDs, found: Locked<[Int: Found]>) {
    (self.ids, self.found) = (ids, found)
    search = PersonSearch(ids.erasures)
  }

  /// Searches the records of the unit. Complexity: O(records + their events).
  func process(_ unit: WorkUnit) {
    let batch = unit.batch
    for record in batch.records.indices.map({ batch.records[$0] }) {
      if isNamed(record, in: batch) {
        let line = unit.block.firstLine + Int(batch.lines[Int(record.line)].number)
        found.withLock { $0[unit.block.input, default: Found()].add(line) }
      } else if let id = similarID(record, in: batch) {
        found.withLock { $0[unit.block.input, default: Found()].similar.add(id) }
      }
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

  private func similarID(_ record: RecordEntry, in batch: RecordBatch) -> ByteView? {
    [record.customID, record.installationID].lazy
      .compactMap { batch.tape.string(at: $0.exists ? $0.index : nil) }
      .first { !search.isID($0) && ids.areSimilar(to: $0) }
  }

  private func mark(
    _ section: KeySection, _ node: Node, of tape: Tape
  ) -> Erasures.Mark? {
    tape.string(at: node.exists ? node.index : nil).flatMap { search.mark(section, $0) }
  }
}

extension AbsenceStage {
  /// Reports the findings in `logs`, log by log.
  static func report(
    _ found: [Int: Found], in logs: [WrittenFile], _ problems: inout ProblemList
  ) {
    for (number, log) in logs.enumerated() {
      guard let found = found[number], found.lines > 0 else { continue }
      problems.add(log.path, line: found.first, .linesHoldAbsent, found.lines)
    }
  }
}
