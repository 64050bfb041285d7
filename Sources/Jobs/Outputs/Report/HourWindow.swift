import Stages

extension RunActivity {
  /// The hours that summary and page name and show, in order.
  var shownHours: [HourCounts.Hour] { HourWindow(likelyHours).hours }
}

/// The hours that a chart shows: where nearly all events are. Otherwise a few events from a clock
/// that is years wrong would squeeze all others into one column.
struct HourWindow {
  /// One in this many events may be omitted at each end.
  private static let oneOf = 200

  /// The hours that are shown, in order.
  let hours: [HourCounts.Hour]

  /// The window of `all`, which are in order. Hours are omitted only when that shortens the shown
  /// time by half or more.
  init(_ all: [HourCounts.Hour]) {
    let most = all.reduce(0) { $0 + $1.events } / HourWindow.oneOf
    let inner = all.dropFirst(HourWindow.few(all, most))
    let shown = inner.dropLast(HourWindow.few(inner.reversed(), most))
    hours = HourWindow.span(shown) * 2 <= HourWindow.span(all[...]) ? Array(shown) : all
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
