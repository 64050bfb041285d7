import Dispatch
package import Pipeline

/// The names of one kind (event names, attribute keys) that occur in a run, each with a number.
///
/// Numbers depend on which thread saw a name first, so none may reach an output: outputs sort by
/// bytes (``NameList/ranks``). Any thread may ask; each keeps a ``NameCache`` so that the table's
/// queue is entered only for a name the thread has not seen.
package final class NameTable: @unchecked Sendable {
  // @unchecked because the stored properties are only touched on `queue`.
  private let queue = DispatchQueue(label: "eventmill.names")
  private var index = HashIndex()
  private var texts = Arena()
  private var slots: [ArenaSlot] = []

  /// An empty table.
  package init() {}

  /// The number of `name`, and the table's own copy of it, valid as long as the table lives.
  /// Complexity: O(`name.count`), and a queue is entered.
  package func intern(_ name: ByteView) -> (id: UInt32, text: ByteView) {
    let hash = XXH64.hash(name)
    return queue.sync {
      let (id, isNew) = index.findOrInsert(hash, UInt32(truncatingIfNeeded: slots.count)) {
        texts[slots[Int($0)]] == name
      }
      if isNew { slots.append(texts.store(name)) }
      return (id, texts[slots[Int(id)]])
    }
  }

  /// All names so far, as a list that does not change any more.
  package func list() -> NameList {
    queue.sync { NameList(table: self, texts: slots.map { texts[$0] }) }
  }
}

/// The names of a ``NameTable`` at one moment; for any thread.
package struct NameList: @unchecked Sendable {
  // @unchecked because the views point into `table`, which is kept alive and never changes bytes
  // that it has handed out.
  private let table: NameTable
  private let texts: [ByteView]
  /// Numbers of the names in the order of their bytes.
  package let sorted: [UInt32]
  /// For each number the place of its name in the order of the bytes.
  package let ranks: [UInt32]

  fileprivate init(table: NameTable, texts: [ByteView]) {
    self.table = table
    self.texts = texts
    let order = texts.indices.sorted { texts[$0] < texts[$1] }
    var ranks = [UInt32](repeating: 0, count: texts.count)
    for (rank, id) in order.enumerated() { ranks[id] = UInt32(truncatingIfNeeded: rank) }
    sorted = order.map { UInt32(truncatingIfNeeded: $0) }
    self.ranks = ranks
  }

  /// Number of names.
  package var count: Int { texts.count }

  /// The name with the number `id`.
  package subscript(id: UInt32) -> ByteView { texts[Int(id)] }
}

/// What one thread knows of a ``NameTable``: the table's queue is entered only on a miss.
package struct NameCache: ~Copyable {
  private let table: NameTable
  private var index = HashIndex()
  private var known: [(text: ByteView, id: UInt32)] = []

  /// An empty cache of `table`.
  package init(of table: NameTable) { self.table = table }

  /// The number of `name`. Complexity: O(`name.count`).
  package mutating func id(of name: ByteView) -> UInt32 {
    id(of: name, hash: XXH64.hash(name))
  }

  /// The number of `name`, whose XXH64 is `hash`. Complexity: O(`name.count`).
  package mutating func id(of name: ByteView, hash: UInt64) -> UInt32 {
    if let place = index.find(hash, matches: { known[Int($0)].text == name }) {
      return known[Int(place)].id
    }
    let (id, text) = table.intern(name)
    _ = index.findOrInsert(hash, UInt32(truncatingIfNeeded: known.count)) { _ in false }
    known.append((text, id))
    return id
  }
}

/// The two name tables of a run.
package struct RunNames: Sendable {
  /// Event names, canonical (SPEC 4.1).
  package let events = NameTable()
  /// Attribute keys without `date(…)` and `url(…)`, canonical.
  package let attributes = NameTable()

  /// Two empty tables.
  package init() {}
}
