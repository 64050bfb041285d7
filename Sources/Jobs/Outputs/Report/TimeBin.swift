import Stages

/// Events of several hours together: a bar of a chart, or a line of a list.
package struct TimeBin: Equatable, Sendable {
  /// Its beginning, in milliseconds since 1970.
  package let start: Int
  /// Its end.
  package let end: Int
  package let events: Int

  /// Widths in hours that a chart uses: each begins with an hour, a day, a week (on Mondays) or one
  /// of the thirty days that represent a month.
  private static let widths = [1, 2, 3, 6, 12, 24, 2 * 24, 7 * 24, 14 * 24, 30 * 24, 365 * 24]

  /// Hours from the Monday of the week in which 1970 began.
  private static let monday = -3 * 24

  /// Groups `hours`, which are in order, into bins of `width` hours; empty bins are omitted.
  static func fold(_ hours: [HourCounts.Hour], by width: Int) -> [TimeBin] {
    var bins: [TimeBin] = []
    for hour in hours {
      let start = self.start(of: hour.number, width) * HourCounts.milliseconds
      var events = hour.events
      if let last = bins.last, last.start == start {
        events += last.events
        bins.removeLast()
      }
      bins.append(
        TimeBin(start: start, end: start + width * HourCounts.milliseconds, events: events))
    }
    return bins
  }

  /// The narrowest bins such that at most `most` cover the time from the first to the last of
  /// `hours`, including empty ones.
  static func cover(_ hours: [HourCounts.Hour], atMost most: Int) -> [TimeBin] {
    guard let first = hours.first?.number, let last = hours.last?.number else { return [] }
    let width = widths.first { (last - first) / $0 + 2 <= most } ?? last - first + 1
    let filled = fold(hours, by: width)
    let step = width * HourCounts.milliseconds
    var bins: [TimeBin] = []
    for bin in filled {
      var next = bins.last?.end ?? bin.start
      while next < bin.start {
        bins.append(TimeBin(start: next, end: next + step, events: 0))
        next += step
      }
      bins.append(bin)
    }
    return bins
  }

  /// The hour at which the bin of `hour` begins.
  private static func start(of hour: Int, _ width: Int) -> Int {
    let origin = width.isMultiple(of: 7 * 24) ? monday : 0
    // Hours of events are never before 1970, so the quotient rounds down.
    return (hour - origin) / width * width + origin
  }
}
