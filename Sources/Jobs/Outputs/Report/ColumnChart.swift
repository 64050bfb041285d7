import Pipeline
import Stages

/// Draws events over time as columns: axes, ticks, labels, and a tooltip for each column.
struct ColumnChart {
  static let most = 200
  private static let fill = 0.8

  /// The values of the columns, from the first to the last without a gap; at least one.
  let bins: [TimeBin]
  let title: String

  private var greatest: TimeBin { bins.max { $0.events < $1.events } ?? bins[0] }
  private var start: Int { bins[0].start }
  private var end: Int { bins[bins.count - 1].end }

  func write(to html: inout HTMLWriter) {
    let attributes: HTMLWriter.Attributes = [
      "class": "columns", "role": "img", "aria-labelledby": "chart-title chart-text",
    ]
    html.element("svg", attributes) { html in
      html.element("title", ["id": "chart-title"], title)
      html.element("desc", ["id": "chart-text"], description)
      let scale = AxisScale(upTo: greatest.events)
      writeTicks(of: scale, to: &html)
      for index in bins.indices { writeColumn(index, scale, to: &html) }
      html.endLine()
      writeTimes(to: &html)
    }
  }

  private var description: String {
    let events = bins.reduce(0) { $0 + $1.events }
    return "\(NumberFormat.count(events, "event")) from \(ReportClock.minute(start)) to "
      + "\(ReportClock.minute(end)) UTC. Most, "
      + "\(NumberFormat.grouped(greatest.events)), are those of \(Self.span(greatest))."
  }

  /// Horizontal lines at the ticks, with their numbers.
  private func writeTicks(of scale: AxisScale, to html: inout HTMLWriter) {
    for tick in scale.ticks {
      let height = HTMLWriter.percent(1 - Double(tick) / Double(scale.top))
      writeLine("grid", from: ("0%", height), to: ("100%", height), &html)
      html.element(
        "text", ["x": "-8", "y": height, "dy": "4", "text-anchor": "end"],
        NumberFormat.short(tick))
    }
    html.endLine()
  }

  private func writeColumn(_ index: Int, _ scale: AxisScale, to html: inout HTMLWriter) {
    let bin = bins[index]
    let room = 1 / Double(bins.count)
    let height = Double(bin.events) / Double(scale.top)
    html.element("g") { html in
      html.element("title", "\(Self.span(bin)): \(NumberFormat.count(bin.events, "event"))")
      // The whole height shows the tooltip, however small the column is.
      html.rect("over", x: Double(index) * room, y: 0, width: room, height: HTMLWriter.percent(1))
      if bin.events > 0 {
        html.rect(
          "column", x: (Double(index) + (1 - Self.fill) / 2) * room, y: 1 - height,
          width: room * Self.fill, height: HTMLWriter.percent(height))
      }
    }
  }

  private func writeTimes(to html: inout HTMLWriter) {
    writeLine("axis", from: ("0%", "100%"), to: ("100%", "100%"), &html)
    for (index, tick) in TimeAxis(from: start, to: end).ticks.enumerated() {
      let x = HTMLWriter.percent(Double(tick.time - start) / Double(end - start))
      // On narrow screens every second mark is hidden.
      html.element("g", ["class": index.isMultiple(of: 2) ? "first" : "second"]) { html in
        html.element("svg", ["x": x, "y": "100%", "overflow": "visible"]) { html in
          writeLine("tick", from: ("0", "0"), to: ("0", "5"), &html)
          html.element("text", ["y": "20", "text-anchor": "middle"], tick.label)
        }
      }
    }
  }

  private func writeLine(
    _ style: String, from start: (x: String, y: String), to end: (x: String, y: String),
    _ html: inout HTMLWriter
  ) {
    html.element(
      "line", ["class": style, "x1": start.x, "y1": start.y, "x2": end.x, "y2": end.y], "")
  }

  /// The time of a column: an hour of a day, hours, or days.
  private static func span(_ bin: TimeBin) -> String {
    let day = 24 * HourCounts.milliseconds
    if bin.end - bin.start < day {
      return "\(ReportClock.minute(bin.start))–\(ReportClock.clock(bin.end)) UTC"
    }
    if bin.end - bin.start == day { return ReportClock.day(bin.start) }
    return "\(ReportClock.day(bin.start)) – \(ReportClock.day(bin.end - day))"
  }
}

/// The scale of an axis that begins at zero, with ticks at round numbers.
struct AxisScale: Equatable {
  /// Distance of two ticks: 1, 2 or 5 times a power of ten.
  let step: Int
  /// The last tick, at or above the greatest value.
  let top: Int

  private static let ticks = 4

  init(upTo greatest: Int) {
    let greatest = max(greatest, 1)
    var step = 1
    // Counts never exceed a fifth of the range of numbers.
    while step < Int.max / 100, greatest > step * Self.ticks { step = Self.next(step) }
    self.step = step
    top = (greatest - 1) / step * step + step
  }

  var ticks: StrideThrough<Int> { stride(from: step, through: top, by: step) }

  /// 1, 2, 5, 10, 20, 50, …
  private static func next(_ step: Int) -> Int {
    var leading = step
    while leading >= 10 { leading /= 10 }
    return leading == 2 ? step / 2 * 5 : step * 2
  }
}

/// The marks of an axis of time, and their labels; times are milliseconds since 1970.
struct TimeAxis {
  private static let steps = [
    1, 2, 3, 6, 12, 24, 2 * 24, 7 * 24, 14 * 24, 30 * 24, 91 * 24, 365 * 24, 5 * 365 * 24,
    10 * 365 * 24, 25 * 365 * 24,
  ]
  /// Most marks of an axis.
  static let most = 8

  let ticks: [(time: Int, label: String)]

  /// Marks for the time from `start` to `end`, both whole hours.
  init(from start: Int, to end: Int) {
    let hour = HourCounts.milliseconds
    let last = Self.steps[Self.steps.count - 1]
    let step = (Self.steps.first { (end - start) / ($0 * hour) < Self.most } ?? last) * hour
    // Short steps are at round hours, long ones count from the first bar.
    let origin = step <= 24 * hour ? (start + step - 1) / step * step : start
    ticks = stride(from: origin, to: end, by: step).map {
      ($0, Self.label($0, step: step / hour, span: (end - start) / hour))
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
    return String(step < 365 * 24 ? day.drop { $0 != " " }.dropFirst() : day.suffix(4))
  }
}
