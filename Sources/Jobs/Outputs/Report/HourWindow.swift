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
    let inner = HourWindow.dropped(all[...], most, first: \.first, { $0.dropFirst() })
    let shown = HourWindow.dropped(inner, most, first: \.last, { $0.dropLast() })
    hours = HourWindow.span(shown) * 2 <= HourWindow.span(all[...]) ? Array(shown) : all
  }

  /// `hours` without those at one end that have `most` events or fewer together.
  private static func dropped(
    _ hours: ArraySlice<HourCounts.Hour>, _ most: Int,
    first: (ArraySlice<HourCounts.Hour>) -> HourCounts.Hour?,
    _ drop: (ArraySlice<HourCounts.Hour>) -> ArraySlice<HourCounts.Hour>
  ) -> ArraySlice<HourCounts.Hour> {
    var (rest, left) = (hours, most)
    while let hour = first(rest), hour.events <= left {
      left -= hour.events
      rest = drop(rest)
    }
    return rest
  }

  private static func span(_ hours: ArraySlice<HourCounts.Hour>) -> Int {
    guard let first = hours.first, let last = hours.last else { return 0 }
    return last.number - first.number + 1
  }
}
