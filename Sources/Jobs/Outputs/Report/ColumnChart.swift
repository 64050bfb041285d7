import Pipeline
import Stages

/// Draws events over time as columns: axes, ticks, labels, and a tooltip for each column.
struct ColumnChart {
  /// Most columns of a chart.
  static let most = 200
  /// Share of a column's width that it fills.
  private static let fill = 0.8

  /// The values of the columns, from the first to the last without a gap; at least one.
  let bins: [TimeBin]
  /// The title of the chart.
  let title: String

  private var greatest: TimeBin { bins.max { $0.events < $1.events } ?? bins[0] }

  private var scale: AxisScale { AxisScale(upTo: greatest.events) }

  /// Draws the chart.
  func write(to html: inout HTMLWriter) {
    html.element(
      "svg", ["class": "columns", "role": "img", "aria-labelledby": "chart-title chart-text"]
    ) { html in
      html.element("title", ["id": "chart-title"], title)
      html.element("desc", ["id": "chart-text"], description)
      writeScale(to: &html)
      for index in bins.indices { writeColumn(index, to: &html) }
      html.endLine()
      writeTimes(to: &html)
    }
  }

  /// A description of the chart.
  private var description: String {
    let events = bins.reduce(0) { $0 + $1.events }
    return "\(NumberFormat.count(events, "event")) from \(ReportClock.minute(bins[0].start)) to "
      + "\(ReportClock.minute(bins[bins.count - 1].end)) UTC. Most, "
      + "\(NumberFormat.grouped(greatest.events)), are those of \(ColumnChart.span(greatest))."
  }

  /// Horizontal lines at the ticks, with their numbers.
  private func writeScale(to html: inout HTMLWriter) {
    for tick in scale.ticks {
      let height = HTMLWriter.percent(1 - Double(tick) / Double(scale.top))
      writeLine("grid", from: ("0%", height), to: ("100%", height), &html)
      html.element(
        "text", ["x": "-8", "y": height, "dy": "4", "text-anchor": "end"],
        NumberFormat.short(tick))
    }
    html.endLine()
  }

  private func writeColumn(_ index: Int, to html: inout HTMLWriter) {
    let bin = bins[index]
    let room = 1 / Double(bins.count)
    let height = Double(bin.events) / Double(scale.top)
    html.element("g") { html in
      html.element("title", "\(ColumnChart.span(bin)): \(NumberFormat.count(bin.events, "event"))")
      // The whole height shows the tooltip, however small the column is.
      writeRect("over", x: Double(index) * room, y: 0, width: room, height: 1, &html)
      if bin.events > 0 {
        writeRect(
          "column", x: (Double(index) + (1 - ColumnChart.fill) / 2) * room, y: 1 - height,
          width: room * ColumnChart.fill, height: height, &html)
      }
    }
  }

  /// The axis of time with its marks.
  private func writeTimes(to html: inout HTMLWriter) {
    let (start, end) = (bins[0].start, bins[bins.count - 1].end)
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

  private func writeRect(
    _ style: String, x: Double, y: Double, width: Double, height: Double,
    _ html: inout HTMLWriter
  ) {
    html.element(
      "rect",
      [
        "class": style, "x": HTMLWriter.percent(x), "y": HTMLWriter.percent(y),
        "width": HTMLWriter.percent(width), "height": HTMLWriter.percent(height),
      ], "")
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
