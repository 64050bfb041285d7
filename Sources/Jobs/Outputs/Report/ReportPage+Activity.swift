import Pipeline
import Stages

/// When the events of the run happened, which were the most frequent, and which were late.
extension ReportPage where Report == RunReport {
  /// Writes the chart of events over time.
  func writeActivity(to html: inout HTMLWriter) {
    let hours = merge.activity.hours.hours
    let shown = merge.activity.shownHours
    let bins = TimeBin.cover(shown, atMost: ColumnChart.most)
    guard !bins.isEmpty else { return }
    let width = (bins[0].end - bins[0].start) / HourCounts.milliseconds
    section(
      "Events over time",
      "A column is \(ReportPage.words(hours: width)) of event time, in UTC. Valid events, "
        + "duplicates included.", to: &html
    ) { html in
      ColumnChart(bins: bins, title: "Events over time").write(to: &html)
      writeOutside(shown, of: hours, to: &html)
      let untimed = merge.activity.untimedEvents
      if untimed > 0 {
        writeNote(
          "Not shown: \(NumberFormat.count(untimed, "event")) without a time.", to: &html)
      }
      for sentence in report.farEvents.sentences {
        writeNote("\(sentence): probably wrong clocks. They count.", to: &html)
      }
    }
  }

  /// Writes how many events are before and after the time of the chart.
  private func writeOutside(
    _ shown: [HourCounts.Hour], of hours: [HourCounts.Hour], to html: inout HTMLWriter
  ) {
    guard shown.count < hours.count, let first = shown.first, let last = shown.last else { return }
    let earlier = hours.prefix { $0.number < first.number }
    let later = hours.drop { $0.number <= last.number }
    for (part, word, edge) in [
      (earlier, "earlier", earlier.first), (later, "later", later.last),
    ] {
      guard let edge else { continue }
      let events = part.reduce(0) { $0 + $1.events }
      writeNote(
        "Not shown: \(NumberFormat.count(events, "\(word) event")), as far as "
          + "\(ReportClock.day(edge.number * HourCounts.milliseconds)).", to: &html)
    }
  }

  /// Number of event names shown.
  static var mostNames: Int { 30 }

  /// Writes the most frequent event names.
  func writeNames(to html: inout HTMLWriter) {
    let activity = merge.activity
    guard let most = activity.names.first?.events else { return }
    let all = activity.names.reduce(activity.otherEvents) { $0 + $1.events }
    section(
      "Most frequent events", "Valid events of this run, duplicates included.", to: &html
    ) { html in
      writeTable(
        "Most frequent events",
        [("Event", .name), ("Events", .number), ("", .bar), ("Share", .number)],
        of: activity.names.prefix(Self.mostNames), to: &html
      ) { name in
        [
          .text(name.name), .count(name.events), .share(Double(name.events) / Double(most)),
          .percent(Double(name.events) / Double(max(all, 1))),
        ]
      }
      let rest = activity.names.dropFirst(Self.mostNames).reduce(activity.otherEvents) {
        $0 + $1.events
      }
      writeRest(
        activity.names.count - Self.mostNames + activity.otherNames,
        "event names, with \(NumberFormat.count(rest, "event")); all of them are in "
          + RunFiles.countsJSON, to: &html)
    }
  }

  /// Writes how late the events were.
  func writeLateness(to html: inout HTMLWriter) {
    let hours = merge.activity.hours.hours
    let lateness = report.lateness
    let all = hours.reduce(0) { $0 + $1.events }
    // There are no hours if all events are suppressed.
    guard let newest = lateness.newest, all > 0 else { return }
    section(
      "Lateness",
      "How long before the newest time of the run, which is in the hour from "
        + "\(ReportClock.minute(newest)) UTC, the events happened. Counted in whole hours.",
      to: &html
    ) { html in
      writeTable(
        "Lateness", [("Late by", .text), ("Events", .number), ("", .bar), ("Share", .number)],
        of: lateness.buckets, to: &html
      ) { bucket in
        let share = Double(bucket.events) / Double(all)
        return [
          .text(ReportPage.words(bucket)), .count(bucket.events), .share(share), .percent(share),
        ]
      }
    }
  }

  /// `1 day to 7 days`, `under 1 hour`, `365 days or more`.
  private static func words(_ bucket: Lateness.Bucket) -> String {
    switch (bucket.from.map(words), bucket.under.map(words)) {
    case (let from?, let under?): "\(from) to \(under)"
    case (nil, let under?): "under \(under)"
    case (let from?, nil): "\(from) or more"
    case (nil, nil): "any"
    }
  }

  /// `1d` as `1 day`.
  private static func words(_ bound: String) -> String {
    let number = Int(bound.dropLast()) ?? 0
    return words(hours: bound.hasSuffix("d") ? 24 * number : number)
  }

  private static func words(hours: Int) -> String {
    let (count, unit) = hours.isMultiple(of: 24) ? (hours / 24, "day") : (hours, "hour")
    return NumberFormat.count(count, unit)
  }
}
