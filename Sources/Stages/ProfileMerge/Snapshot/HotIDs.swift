import Pipeline

/// The keys with the greatest counts, in the order of the report: exact for any division of all
/// keys, if each key is offered once.
package struct HotKeys: Sendable, Equatable {
  package static let most = 20

  package struct Entry: Sendable, Equatable {
    package let key: [UInt8]
    package let count: Int

    package init(key: [UInt8], count: Int) { (self.key, self.count) = (key, count) }

    /// Whether it precedes `other`: the greater count first, then the smaller bytes.
    fileprivate func precedes(_ other: Entry) -> Bool {
      count != other.count ? count > other.count : key.lexicographicallyPrecedes(other.key)
    }
  }

  package private(set) var entries: [Entry] = []
  /// The count of the last entry, if there are ``most``.
  private var least = 1

  package init() {}

  mutating func offer(_ key: ByteView, _ count: Int) {
    if count < least { return }
    let isFull = entries.count == Self.most && count == least
    if isFull, !ByteView.with(entries[Self.most - 1].key, { key < $0 }) { return }
    add(Entry(key: key.array, count: count))
  }

  package mutating func add(_ entry: Entry) {
    let position = entries.firstIndex { entry.precedes($0) } ?? entries.count
    guard position < Self.most else { return }
    entries.insert(entry, at: position)
    if entries.count > Self.most { entries.removeLast() }
    if entries.count == Self.most { least = entries[Self.most - 1].count }
  }

  mutating func merge(_ other: HotKeys) { for entry in other.entries { add(entry) } }

  /// Adds the entry of `key` in `others`, if there is one.
  mutating func add(_ others: HotKeys, _ key: [UInt8]) {
    if let entry = others.entries.first(where: { $0.key == key }) { add(entry) }
  }
}

/// The ids with the most data of a run: those that are probably placeholders (data-model 5).
package struct HotIDs: Sendable, Equatable {
  /// Keys by their accepted events.
  package var events = HotKeys()
  /// Installations by the people that they were linked to, up to ``mostPeople``.
  package var people = HotKeys()
  /// Most people that are distinguished.
  package static let mostPeople = 1000

  package init() {}
  package var isEmpty: Bool { events.entries.isEmpty && people.entries.isEmpty }

  mutating func offer(_ key: ByteView, events eventCount: Int, people peopleCount: Int) {
    events.offer(key, eventCount)
    people.offer(key, peopleCount)
  }

  package mutating func merge(_ other: HotIDs) {
    events.merge(other.events)
    people.merge(other.people)
  }
}

extension SnapshotLane {
  /// Offers a key with new data, after erasure, that had `events` events, and `links`, before: what
  /// was erased of people counts no more.
  func offer(_ key: ByteView, events: Int, links: LinksRegister) {
    let left = rows.facts.links
    let isLeft = rows.isPublic || left.current != nil
    guard section != .anonymous, isLeft else { return }
    let erasures = plan.erasures
    func isLinked(_ person: Fingerprint) -> Bool {
      erasures.marks[person] == nil
        || left.all.contains { Erasures.digest(of: $0.target) == person }
    }
    let people = rows.run.people(where: erasures.isEmpty ? nil : isLinked)
    tally.hot.offer(key, events: events, people: people)
    let watched = plan.options.watched
    if watched.isEmpty { return }
    let text = key.array
    if rows.newEvents == events { tally.watched.events.add(watched.events, text) }
    if left.all.count == links.all.count { tally.watched.people.add(watched.people, text) }
  }
}
