package import Pipeline

/// The names of one kind (event names, attribute keys) in a run, each with a number. Any thread;
/// each keeps a ``NameCache``, so that the table is locked only for a name that is new to the
/// thread.
///
/// A full table, as of a log with a new name for every event, returns ``overflowID`` for every
/// further name and sets ``failure``; a caller that used the placeholder must fail its job. Numbers
/// depend on which thread saw a name first, so outputs sort by bytes (``NameList/ranks``).
package final class NameTable: Sendable {
  /// Most names of one kind by default.
  package static let usualLimit = 1_000_000
  /// The number returned for names above the limit: a valid one.
  package static let overflowID: UInt32 = 0

  private let what: String
  /// Most names; their numbers are smaller.
  package let limit: Int
  private let names = Locked(Names())

  private struct Names: ~Copyable {
    var index = HashIndex()
    var bytes = ByteChunks()
    /// By number.
    var texts: [ByteView] = []
    var excess: String?
  }

  /// An empty table for at most `limit` names, at least one; `what` describes them in messages.
  package init(_ what: String = "names", limit: Int = NameTable.usualLimit) {
    precondition(1...HashIndex.maximumCount ~= limit, "a table of names has room for a name")
    self.what = what
    self.limit = limit
  }

  package var failure: Failure? {
    names.withLock { $0.excess }.map { name in
      Failure(
        .limit, doing: "collecting the \(what) of",
        why: "there are more than \(limit) different ones, such as "
          + "\"\(name.replacing("\0", with: ", "))\"",
        advice: ["find out what generates them", "allow more with --max-names"])
    }
  }

  /// The number of `name`, and the table's own copy of it, valid as long as the table lives; nil
  /// when the table is full. Complexity: O(`name.count`), and a lock.
  package func intern(_ name: ByteView) -> (id: UInt32, text: ByteView)? {
    let hash = TableHash.of(name)
    return names.withLock { names in
      if let id = names.index.find(hash, matches: { names.texts[Int($0)] == name }) {
        return (id, names.texts[Int(id)])
      }
      guard names.texts.count < limit else {
        names.excess = names.excess ?? name.text
        return nil
      }
      let id = UInt32(truncatingIfNeeded: names.texts.count)
      _ = names.index.findOrInsert(hash, id) { _ in false }
      let text = names.bytes.store(name)
      names.texts.append(text)
      return (id, text)
    }
  }

  /// All names so far, as a list that no longer changes; in byte order, if it is `sorted`.
  package func list(sorted: Bool = true) -> NameList {
    NameList(table: self, texts: names.withLock { $0.texts }, sorted: sorted)
  }
}

/// The names of a ``NameTable`` at one moment; any thread.
package struct NameList: Sendable {
  /// Keeps the texts alive, and never changes bytes that it has returned.
  private let table: NameTable
  private let texts: [ByteView]
  /// Numbers of the names in byte order; empty unless requested.
  package let sorted: [UInt32]
  /// For each number the rank of its name in byte order.
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

  package var count: Int { texts.count }

  /// The names.
  package var names: Set<String> { Set(texts.map(\.text)) }

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

/// One thread's cache of a ``NameTable``: the table is locked only on a miss.
package struct NameCache: ~Copyable {
  private let table: NameTable
  private var index = HashIndex()
  private var known: [(text: ByteView, id: UInt32)] = []
  private var overflowed = false

  package init(of table: NameTable) { self.table = table }

  /// Why the job cannot continue, after ``id(of:)`` returned the placeholder; nil before. Cheap.
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
  /// The number of the event's name in the run's table of `cache`, and the XXH64 of the name.
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

package struct RunNames: Sendable {
  /// Event names, canonical (data-model 6).
  package let events: NameTable
  /// Attribute keys without `date(…)` and `url(…)`, canonical.
  package let attributes: NameTable

  package var failure: Failure? { events.failure ?? attributes.failure }

  package var lists: NameLists {
    NameLists(events: events.list(sorted: false), attributes: attributes.list(sorted: false))
  }

  package init(limit: Int = NameTable.usualLimit) {
    events = NameTable("event names", limit: limit)
    attributes = NameTable("attribute keys", limit: limit)
  }
}
