package import Pipeline

/// Merges the records of one key. Reusable: it keeps its capacity.
package struct MutationCompactor: ~Copyable {
  package private(set) var bytes = ByteBuffer()
  private var rows: KeyRegisters
  private let order: NameOrder

  /// A compactor whose records are sorted by the numbers of their names, or in another order. In
  /// byte order equal knowledge gives equal frames in every process.
  package init(_ order: NameOrder = .numbers, keepsDays: Bool = true) {
    self.order = order
    rows = KeyRegisters(keepsDays: keepsDays)
  }

  package mutating func begin() {
    bytes.removeAll()
    rows.removeAll()
  }

  /// Adds records of the key, which must not move until ``finish(duplicates:erase:)``.
  package mutating func add(_ records: ByteView, from origin: KeyRegisters.Origin = .run) {
    rows.gather(records, order: order, from: origin)
  }

  /// Merges everything that was added into ``bytes``, without what `erase` removes from the settled
  /// rows: at most one record per fact, attribute key, item and id, and per event name one each for
  /// events with and without time. Complexity: O(n log n) for n records.
  ///
  /// Marks that came with the records may only erase where no further record of the key is merged
  /// before publication: otherwise all records are kept, so that such a mark meets the same
  /// registers however they were merged before.
  package mutating func finish(
    duplicates: inout DuplicateTally, erase: (inout KeyRegisters) -> Void = { _ in }
  ) {
    rows.settle()
    rows.ids.forEachDuplicate { duplicates.add($0, of: $1) }
    erase(&rows)
    rows.forEachRecord(isOfRun: true) { $0.append(to: &bytes) }
  }
}
