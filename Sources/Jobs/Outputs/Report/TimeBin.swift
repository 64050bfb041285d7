import Pipeline
import Stages

/// Events of several hours together: a bar of a chart, or a line of a list. Times are milliseconds
/// since 1970.
package struct TimeBin: Equatable, Sendable {
  package let start: Int
  package let end: Int
  package let events: Int

  /// Widths in hours that a chart uses: each begins with an hour, a day, a week (on Mondays) or one
  /// of the thirty days that represent a month.
  private static let widths = [1, 2, 3, 6, 12, 24, 2 * 24, 7 * 24, 14 * 24, 30 * 24, 365 * 24]

  /// Hours from the Monday of the week in which 1970 began.
  private static let monday = -3 * 24

  /// Groups `hours`, which are in order, into bins of `width` hours; empty bins are omitted.
  static func fold(_ hours: [HourCounts.Hour], by width: Int) -> [TimeBin] {
    let origin = width.isMultiple(of: 7 * 24) ? monday : 0
    var bins: [TimeBin] = []
    for hour in hours {
      // Hours of events are never before 1970, so the quotient rounds down.
      let first = (hour.number - origin) / width * width + origin
      let start = first * HourCounts.milliseconds
      let before = bins.last?.start == start ? bins.removeLast().events : 0
      bins.append(
        TimeBin(
          start: start, end: start + width * HourCounts.milliseconds, events: before + hour.events))
    }
    return bins
  }

  /// The narrowest bins such that at most `most` cover all of `hours`, including empty ones.
  static func cover(_ hours: [HourCounts.Hour], atMost most: Int) -> [TimeBin] {
    guard let first = hours.first?.number, let last = hours.last?.number else { return [] }
    let width = widths.first { (last - first) / $0 + 2 <= most } ?? last - first + 1
    let step = width * HourCounts.milliseconds
    var bins: [TimeBin] = []
    for bin in fold(hours, by: width) {
      for next in stride(from: bins.last?.end ?? bin.start, to: bin.start, by: step) {
        bins.append(TimeBin(start: next, end: next + step, events: 0))
      }
      bins.append(bin)
    }
    return bins
  }
}

extension RunActivity {
  /// The hours that summary and page name and show, in order.
  var shownHours: [HourCounts.Hour] { HourWindow(likelyHours).hours }
}

/// The hours that a chart shows: where nearly all events are. Otherwise a few events from a clock
/// that is years wrong would squeeze all others into one column.
struct HourWindow {
  /// One in this many events may be omitted at each end.
  private static let oneOf = 200

  let hours: [HourCounts.Hour]

  /// Hours of `all` are omitted only when that shortens the shown time by half or more.
  init(_ all: [HourCounts.Hour]) {
    let most = all.reduce(0) { $0 + $1.events } / Self.oneOf
    let inner = all.dropFirst(Self.few(all, most))
    let shown = inner.dropLast(Self.few(inner.reversed(), most))
    hours = Self.span(shown) * 2 <= Self.span(all[...]) ? Array(shown) : all
  }

  /// How many of the first of `hours` have `most` events or fewer together.
  private static func few(_ hours: [HourCounts.Hour], _ most: Int) -> Int {
    var left = most
    return hours.prefix { hour in
      left -= hour.events
      return left >= 0
    }.count
  }

  private static func span(_ hours: ArraySlice<HourCounts.Hour>) -> Int {
    guard let first = hours.first, let last = hours.last else { return 0 }
    return last.number - first.number + 1
  }
}

/// Times in milliseconds since 1970 in the form of a report's page, in UTC.
enum ReportClock {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `1 Jun 2024`
  static func day(_ time: Int) -> String { "\(shortDay(time)) \(Timestamp.text(time).prefix(4))" }

  /// `1 Jun`
  static func shortDay(_ time: Int) -> String {
    let parts = Timestamp.text(time).prefix(10).split(separator: "-").map { Int($0) ?? 1 }
    return "\(parts[2]) \(months[parts[1] - 1])"
  }

  /// `05:00`
  static func clock(_ time: Int) -> String { String(Timestamp.text(time).dropFirst(11).prefix(5)) }
  static func minute(_ time: Int) -> String { "\(day(time)) \(clock(time))" }
}
