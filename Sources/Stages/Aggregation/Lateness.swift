/// How long before the newest time of a run (``ReadDays``) its events happened.
///
/// Counted in whole hours, so it is off by up to an hour. Later events are not late.
package struct Lateness: Sendable, Equatable {
  /// Events within a range of lateness.
  package struct Bucket: Sendable, Equatable {
    /// The upper bound in hours, exclusive; nil for the last bucket, which is open.
    package let under: Int?
    /// The lower bound in hours, inclusive; nil for the first bucket.
    package let from: Int?
    package let events: Int
  }

  /// Upper bounds of all buckets but the last, in hours.
  private static let bounds = [1, 24, 7 * 24, 30 * 24, 365 * 24]

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
      let bucket = Self.bounds.firstIndex { late < $0 } ?? Self.bounds.count
      events[bucket] += hour.events
    }
    buckets = events.enumerated().map { index, events in
      Bucket(
        under: index < Self.bounds.count ? Self.bounds[index] : nil,
        from: index > 0 ? Self.bounds[index - 1] : nil, events: events)
    }
  }
}
