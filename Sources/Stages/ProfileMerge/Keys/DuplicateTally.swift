/// Duplicate events of a run, by name and day, and by the inputs they came with (data-model 12).
///
/// Sums only, so tallies of parts add up to that of the whole, in any order.
package struct DuplicateTally: Sendable, Equatable {
  /// The input whose event was dropped, and the one whose event counts.
  package struct Pair: Hashable, Sendable {
    package let dropped: InputSourceID
    package let counted: InputSourceID
    /// Whether that was in an earlier run.
    package let isEarlier: Bool

    package init(dropped: InputSourceID, counted: InputSourceID, isEarlier: Bool) {
      (self.dropped, self.counted, self.isEarlier) = (dropped, counted, isEarlier)
    }
  }

  package private(set) var events = EventDays()
  package private(set) var pairs: [Pair: Int] = [:]

  package init() {}
  package var total: Int { pairs.values.reduce(0, +) }

  mutating func add(_ duplicate: IDsRegister.Row, of counted: IDsRegister.Row) {
    add(1, EventDay(name: duplicate.name, time: duplicate.time))
    add(
      1,
      Pair(dropped: duplicate.id.source, counted: counted.id.source, isEarlier: counted.isEarlier))
  }

  package mutating func add(_ count: Int, _ event: EventDay) { events.add(count, event) }
  package mutating func add(_ count: Int, _ pair: Pair) { pairs[pair, default: 0] += count }

  package mutating func merge(_ other: DuplicateTally) {
    events.merge(other.events)
    pairs.merge(other.pairs, uniquingKeysWith: +)
  }
}
