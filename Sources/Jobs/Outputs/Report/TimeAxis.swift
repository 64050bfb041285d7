import Stages

/// The marks of an axis of time, and their labels.
struct TimeAxis {
  /// A mark of the axis.
  struct Tick: Equatable {
    /// Milliseconds since 1970.
    let time: Int
    let label: String
  }

  /// Distances of marks, in hours.
  private static let steps = [
    1, 2, 3, 6, 12, 24, 2 * 24, 7 * 24, 14 * 24, 30 * 24, 91 * 24, 365 * 24, 5 * 365 * 24,
    10 * 365 * 24, 25 * 365 * 24,
  ]
  /// Most marks of an axis.
  static let most = 8

  /// The marks, in order.
  let ticks: [Tick]

  /// Marks for the time from `start` to `end`, in milliseconds since 1970; both are whole hours.
  init(from start: Int, to end: Int) {
    let hour = HourCounts.milliseconds
    let last = TimeAxis.steps[TimeAxis.steps.count - 1]
    let step = (TimeAxis.steps.first { (end - start) / ($0 * hour) < TimeAxis.most } ?? last) * hour
    // Short steps are at round hours, long ones count from the first bar.
    let origin = step <= 24 * hour ? (start + step - 1) / step * step : start
    ticks = stride(from: origin, to: end, by: step).map {
      Tick(time: $0, label: TimeAxis.label($0, step: step / hour, span: (end - start) / hour))
    }
  }

  /// The time of day within a day, the day within a year, the year beyond.
  private static func label(_ time: Int, step: Int, span: Int) -> String {
    if step < 24 {
      return time.isMultiple(of: 24 * HourCounts.milliseconds)
        ? ReportClock.shortDay(time) : ReportClock.clock(time)
    }
    if span < 300 * 24 { return ReportClock.shortDay(time) }
    let day = ReportClock.day(time)
    return step < 365 * 24
      ? String(day.drop { $0 != " " }.dropFirst()) : String(day.suffix(4))
  }
}
