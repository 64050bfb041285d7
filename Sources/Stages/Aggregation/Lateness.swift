/// How long before the newest time of a run (``ReadDays``) its events happened.
///
/// Counted in whole hours, so it is off by up to an hour. Later events are not late.
package struct Lateness: Sendable, Equatable {
  /// Events within a range of lateness.
  package struct Bucket: Sendable, Equatable {
    /// The upper bound, exclusive, as in `7d`; nil for the last bucket, which is open.
    package let under: String?
    /// The lower bound, inclusive; nil for the first bucket.
    package let from: String?
    package let events: Int
  }

  /// Upper bounds of all buckets but the last.
  private static let bounds: [(text: String, hours: Int)] = [
    ("1h", 1), ("1d", 24), ("7d", 7 * 24), ("30d", 30 * 24), ("365d", 365 * 24),
  ]

  /// Beginning of the hour of the newest time, in milliseconds since 1970; nil without events.
  package let newest: Int?
  /// The buckets, the least late first; all of them, including empty ones.
  package let buckets: [Bucket]

  /// The lateness of the events in `hours` before `newest`, in milliseconds since 1970.
  package init(_ hours: [HourCounts.Hour], before newest: Int?) {
    let last = newest.map { $0 / HourCounts.milliseconds }
    self.newest = last.map { $0 * HourCounts.milliseconds }
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
