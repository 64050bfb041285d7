import Stages

/// The hours that a chart shows: where nearly all events are. A few events with a clock that is
/// years wrong would otherwise press all others into one column.
struct HourWindow {
  /// Events that may be left out at each end: one of so many.
  private static let oneOf = 200

  /// The hours that are shown, in order.
  let hours: [HourCounts.Hour]

  /// The window of `all`, which are in order. Hours are left out only when that makes the time that
  /// is shown shorter by half or more.
  init(_ all: [HourCounts.Hour]) {
    let most = all.reduce(0) { $0 + $1.events } / HourWindow.oneOf
    let inner = HourWindow.dropped(all[...], most, first: \.first, { $0.dropFirst() })
    let shown = HourWindow.dropped(inner, most, first: \.last, { $0.dropLast() })
    hours = HourWindow.span(shown) * 2 <= HourWindow.span(all[...]) ? Array(shown) : all
  }

  /// `hours` without those at one end that hold `most` events or fewer together.
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
