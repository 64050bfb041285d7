/// How long before the newest event of a run its events lie: what came late, and how late.
///
/// Counted by whole hours: both the newest event and every other one stand at the beginning of
/// their hour. So an event is late by up to an hour less or more than a clock would say.
package struct Lateness: Sendable, Equatable {
  /// Events that are late by some span of time.
  package struct Bucket: Sendable, Equatable {
    /// What all its events are less late by, as in `7d`; nil for the last one, which is open.
    package let under: String?
    /// What all its events are at least late by; nil for the first one.
    package let from: String?
    package let events: Int
  }

  /// Upper bounds of all buckets but the last.
  private static let bounds: [(text: String, hours: Int)] = [
    ("1h", 1), ("1d", 24), ("7d", 7 * 24), ("30d", 30 * 24), ("365d", 365 * 24),
  ]

  /// Beginning of the hour of the newest event, in milliseconds since 1970; nil without events.
  package let newest: Int?
  /// The buckets, the least late first; all of them, whether or not they hold events.
  package let buckets: [Bucket]

  /// The lateness of the events in `hours`, which are in order.
  package init(_ hours: [HourCounts.Hour]) {
    let last = hours.last?.number
    newest = last.map { $0 * HourCounts.milliseconds }
    var events = [Int](repeating: 0, count: Self.bounds.count + 1)
    for hour in hours {
      let late = (last ?? 0) - hour.number
      let bucket = Self.bounds.firstIndex { late < $0.hours } ?? Self.bounds.count
      events[bucket] += hour.events
    }
    buckets = events.enumerated().map { index, events in
      Bucket(
        under: index < Self.bounds.count ? Self.bounds[index].text : nil,
        from: index > 0 ? Self.bounds[index - 1].text : nil, events: events)
    }
  }
}
