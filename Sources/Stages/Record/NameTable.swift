package import Pipeline

/// The names of one kind (event names, attribute keys) that occur in a run, each with a number.
///
/// How many there may be is limited: a log that makes up a name for every event must not fill the
/// memory. A table that is full gives ``overflowID`` for every further name and says so by
/// ``failure``; whoever got a stand-in makes sure that its job fails.
///
/// Numbers depend on which thread saw a name first, so none may reach an output: outputs sort by
/// bytes (``NameList/ranks``). Any thread may ask; each keeps a ``NameCache`` so that the table is
/// locked only for a name the thread has not seen.
package final class NameTable: Sendable {
  /// Most names of one kind, unless the options say otherwise.
  package static let usualLimit = 1_000_000
  /// The number of a name for which there is no room: that of some other name, so that it may be
  /// used wherever a number may.
  package static let overflowID: UInt32 = 0

  private let what: String
  /// Most names there may be; their numbers are smaller.
  package let limit: Int
  private let names = Locked(Names())

  private struct Names: ~Copyable {
    var index = HashIndex()
    var texts = Arena()
    var slots: [ArenaSlot] = []
    /// The first name for which there was no room.
    var excess: String?

    func text(_ id: UInt32) -> ByteView { texts[slots[Int(id)]] }
  }

  /// An empty table for at most `limit` names, at least one; `what` they are is for messages.
  package init(_ what: String = "names", limit: Int = NameTable.usualLimit) {
    precondition(1...HashIndex.maximumCount ~= limit, "a table of names has room for a name")
    self.what = what
    self.limit = limit
  }

  /// Why the job cannot go on: there was a name for which there was no room. Nil when all had one.
  package var failure: Failure? {
    names.withLock { $0.excess }.map { name in
      Failure(
        .limit, doing: "telling apart the \(what) of",
        why: "there are more than \(limit) different ones, such as "
          + "\"\(name.replacing("\0", with: ", "))\"",
        advice: "look for what makes up names, or allow more with --max-names")
    }
  }

  /// The number of `name`, and the table's own copy of it, valid as long as the table lives; nil
  /// when the table is full. Complexity: O(`name.count`), and a lock.
  package func intern(_ name: ByteView) -> (id: UInt32, text: ByteView)? {
    let hash = TableHash.of(name)
    return names.withLock { names in
      if let id = names.index.find(hash, matches: { names.text($0) == name }) {
        return (id, names.text(id))
      }
      guard names.slots.count < limit else {
        names.excess = names.excess ?? name.text
        return nil
      }
      let id = UInt32(truncatingIfNeeded: names.slots.count)
      _ = names.index.findOrInsert(hash, id) { _ in false }
      names.slots.append(names.texts.store(name))
      return (id, names.text(id))
    }
  }

  /// All names so far, as a list that does not change any more; in their order, if it is `sorted`.
  package func list(sorted: Bool = true) -> NameList {
    let texts = names.withLock { names in names.slots.indices.map { names.texts[names.slots[$0]] } }
    return NameList(table: self, texts: texts, sorted: sorted)
  }
}

/// The names of a ``NameTable`` at one moment; for any thread.
package struct NameList: Sendable {
  /// Keeps the texts, and never changes bytes that it has handed out.
  private let table: NameTable
  private let texts: [ByteView]
  /// Numbers of the names in the order of their bytes; empty when they were not asked for.
  package let sorted: [UInt32]
  /// For each number the position of its name in the order of the bytes.
  package let ranks: [UInt32]

  fileprivate init(table: NameTable, texts: [ByteView], sorted isSorted: Bool) {
    self.table = table
    self.texts = texts
    guard isSorted else {
      (sorted, ranks) = ([], [])
      return
    }
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

/// The names of a run at one moment: an object, because it is passed around for every key.
package final class NameLists: Sendable {
  package let events: NameList
  package let attributes: NameList

  package init(events: NameList, attributes: NameList) {
    (self.events, self.attributes) = (events, attributes)
  }
}

/// What one thread knows of a ``NameTable``: the table is locked only on a miss.
package struct NameCache: ~Copyable {
  private let table: NameTable
  private var index = HashIndex()
  private var known: [(text: ByteView, id: UInt32)] = []
  /// Whether a name was met for which the table had no room.
  private var overflowed = false

  /// An empty cache of `table`.
  package init(of table: NameTable) { self.table = table }

  /// Why the job cannot go on, once ``id(of:)`` gave a stand-in; nil before. Cheap.
  package var failure: Failure? { overflowed ? table.failure : nil }

  /// The number of `name`; ``NameTable/overflowID`` when the table is full. Complexity:
  /// O(`name.count`).
  package mutating func id(of name: ByteView) -> UInt32 {
    let hash = TableHash.of(name)
    if let entry = index.find(hash, matches: { known[Int($0)].text == name }) {
      return known[Int(entry)].id
    }
    guard let (id, text) = table.intern(name) else {
      overflowed = true
      return NameTable.overflowID
    }
    _ = index.findOrInsert(hash, UInt32(truncatingIfNeeded: known.count)) { _ in false }
    known.append((text, id))
    return id
  }
}

extension RecordBatch {
  /// The number of the event's name in the run's table that `cache` knows, and the XXH64 of the
  /// name.
  func name(
    of event: EventEntry, in cache: inout NameCache
  ) -> (number: UInt32, hash: UInt64) {
    let info = names[event.name]
    if event.name != 0, info.id != EventNameInfo.unknown { return (info.id, info.hash) }
    let text = tape.bytes(at: event.nameNode)
    let number = cache.id(of: text)
    if event.name != 0 { names[event.name].id = number }
    return (number, XXH64.hash(text))
  }
}

/// The two name tables of a run.
package struct RunNames: Sendable {
  /// Event names, canonical (data-model 6).
  package let events: NameTable
  /// Attribute keys without `date(…)` and `url(…)`, canonical.
  package let attributes: NameTable

  /// Why the job cannot go on: there were more names than there is room for. Nil when all had one.
  package var failure: Failure? { events.failure ?? attributes.failure }

  /// The names so far, in no order.
  package var lists: NameLists {
    NameLists(events: events.list(sorted: false), attributes: attributes.list(sorted: false))
  }

  /// Two empty tables, each for at most `limit` names.
  package init(limit: Int = NameTable.usualLimit) {
    events = NameTable("event names", limit: limit)
    attributes = NameTable("attribute keys", limit: limit)
  }
}
