package import Pipeline

/// Merges the records of one key. Reusable: it keeps its capacity.
package struct MutationCompactor: ~Copyable {
  /// The merged records, one after the other.
  package private(set) var bytes = ByteBuffer()
  private var rows: KeyRegisters
  private var register = AttributeRegister()
  private let order: NameOrder

  /// A compactor whose records are sorted by the numbers of their names, or in another order. In
  /// byte order equal knowledge gives equal frames in every process.
  package init(_ order: NameOrder = .numbers, keepsDays: Bool = true) {
    self.order = order
    rows = KeyRegisters(keepsDays: keepsDays)
  }

  /// Merges `records`, which belong to one key, into ``bytes``: at most one record per attribute
  /// key, item and id, one for days, and per event name one each for events with and without time.
  /// Records older than `clear`, or than the base of their attribute, are dropped: no later merge
  /// would need them (``AttributeRegister/settle(clear:)``). Duplicates are counted into
  /// `duplicates`. Complexity: O(n log n) for n records.
  mutating func merge(
    _ records: ByteView, clear: Int, duplicates: inout DuplicateTally
  ) {
    begin()
    add(records)
    finish(clear: clear, duplicates: &duplicates)
  }

  /// Removes everything.
  package mutating func begin() {
    bytes.removeAll()
    rows.removeAll()
  }

  /// Adds records of the key, which must not move until ``finish(clear:duplicates:)``, with days
  /// after that of `mark` only, an erase mark.
  package mutating func add(_ records: ByteView, after mark: Int = .min) {
    rows.gather(records, order: order, after: mark)
  }

  /// Adds the records of a source's state of the key, and the people of its links.
  mutating func add(_ state: KeyState) { rows.gather(state, order: order) }

  /// Merges everything that was added, as ``merge(_:clear:duplicates:)`` does, without what `erase`
  /// removes from the settled rows. Marks that came with the records may only do so where no
  /// further record of the key is merged before publication: otherwise all records are kept, so
  /// that such a mark meets the same registers however they were merged before.
  package mutating func finish(
    clear: Int, duplicates: inout DuplicateTally, erase: (inout KeyRegisters) -> Void = { _ in }
  ) {
    rows.settle()
    erase(&rows)
    rows.forEachDuplicate { duplicates.add($0, of: $1) }
    rows.forEachRecord(clear: clear, by: &register) { $0.append(to: &bytes) }
    rows.forEachRunRecord { $0.append(to: &bytes) }
  }
}
