import Pipeline
import Stages

/// Searches canonical logs for people and installations that should be absent (`verify --requests`
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
      let named = [(KeySection.custom, record.customID), (.install, record.installationID)]
        .compactMap { section, node in
          batch.tape.string(at: node.exists ? node.index : nil).map { (section, $0) }
        }
      let marks = named.compactMap { search.mark($0, $1) }
      if marks.contains(where: { covers($0, record, in: batch) }) {
        let line = unit.block.number(of: batch.lines[Int(record.line)])
        found.withLock { $0[unit.block.input, default: Found()].add(line) }
      } else if let (_, id) = named.first(where: { !search.isID($1) && ids.areSimilar(to: $1) }) {
        found.withLock { $0[unit.block.input, default: Found()].similar.add(id) }
      }
    }
  }

  /// Whether any data of a record of a person with that mark should be absent.
  private func covers(_ mark: Erasures.Mark, _ record: RecordEntry, in batch: RecordBatch) -> Bool {
    mark.coversAll || record.isLinkOnly && mark.covers(record.time)
      || record.operationCount > 0 && mark.covers(record.time)
      || record.eventIndices.contains { mark.covers(batch.events[$0].time) }
  }
}
