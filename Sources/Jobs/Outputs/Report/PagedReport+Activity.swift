import Pipeline
import Stages

/// When the events of the run happened, which were the most frequent, and which were late.
extension RunReport {
  var timeSection: PageSection? {
    let (activity, shown) = (ingest.activity, ingest.activity.shownHours)
    let bins = TimeBin.cover(shown, atMost: ColumnChart.most)
    guard let first = bins.first else { return nil }
    let width = (first.end - first.start) / HourCounts.milliseconds
    var notes = Self.outside(shown, of: activity.hours.hours)
    if activity.untimedEvents > 0 {
      notes.append(
        "Not shown: \(NumberFormat.count(activity.untimedEvents, "event")) without a time.")
    }
    notes += farEvents.sentences.map { "\($0): probably wrong clocks. They count." }
    return PageSection(
      "Events over time",
      note: "A column is \(Self.words(hours: width)) of event time, in UTC. Valid events, "
        + "duplicates included.",
      PagePart { ColumnChart(bins: bins, title: "Events over time").write(to: &$0) }, .notes(notes))
  }

  /// How many events are before and after the time of the chart.
  private static func outside(_ shown: [HourCounts.Hour], of hours: [HourCounts.Hour]) -> [String] {
    guard shown.count < hours.count, let first = shown.first, let last = shown.last else {
      return []
    }
    let earlier = hours.prefix { $0.number < first.number }
    let later = hours.drop { $0.number <= last.number }
    return [(earlier, "earlier", earlier.first), (later, "later", later.last)].compactMap {
      part, word, edge in
      guard let edge else { return nil }
      let events = part.reduce(0) { $0 + $1.events }
      return "Not shown: \(NumberFormat.count(events, "\(word) event")), as far as "
        + "\(ReportClock.day(edge.start))."
    }
  }

  var peopleSection: PageSection? {
    guard let people = snapshot?.people, !people.isEmpty else { return nil }
    let most = people.reduce(1) { max($0, $1.active) }
    return PageSection(
      "People by day", note: "Profiles with an event on the day, and those first seen on it.",
      .table(
        "People by day", of: people.reversed(), .name("Day") { DayNumber.text($0.day) },
        .count("Active", \.active), .bar { Double($0.active) / Double(most) },
        .count("New", \.new)))
  }

  var nightsSection: PageSection? {
    let nights = recentNights
    guard nights.count > 1 else { return nil }
    let most = nights.reduce(1) { max($0, $1.events) }
    return PageSection(
      "Events by night", note: "Accepted events of this night and of those before it.",
      .table(
        "Events by night", of: nights.reversed(), .name("Night", \.night),
        .count("Events", \.events), .bar { Double($0.events) / Double(most) }))
  }

  private static var mostNames: Int { 30 }

  var namesSection: PageSection? {
    let activity = ingest.activity
    guard let most = activity.names.first?.count else { return nil }
    let all = activity.names.reduce(activity.otherEvents) { $0 + $1.count }
    let rest = activity.names.dropFirst(Self.mostNames).reduce(activity.otherEvents) {
      $0 + $1.count
    }
    return PageSection(
      "Most frequent events", note: "Valid events of this run, duplicates included.",
      .table(
        "Most frequent events", of: activity.names.prefix(Self.mostNames), .name("Event", \.name),
        .count("Events", \.count), .bar { Double($0.count) / Double(most) },
        .percent("Share") { Double($0.count) / Double(max(all, 1)) }),
      .rest(
        activity.names.count - Self.mostNames + activity.otherNames,
        "event names, with \(NumberFormat.count(rest, "event")); all of them are in "
          + RunFiles.countsJSON))
  }

  var latenessSection: PageSection? {
    let (lateness, hours) = (lateness, ingest.activity.hours.hours)
    let all = hours.reduce(0) { $0 + $1.events }
    // There are no hours if all events are suppressed.
    guard let newest = lateness.newest, all > 0 else { return nil }
    let share = { (bucket: Lateness.Bucket) in Double(bucket.events) / Double(all) }
    return PageSection(
      "Lateness",
      note: "How long before the newest time of the run, which is in the hour from "
        + "\(ReportClock.minute(newest)) UTC, the events happened. Counted in whole hours.",
      .table(
        "Lateness", of: lateness.buckets.filter { $0.events > 0 }, .text("Late by", Self.words),
        .count("Events", \.events), .bar(share), .percent("Share", share)))
  }

  /// `1 day to 7 days`, `under 1 hour`, `365 days or more`.
  private static func words(_ bucket: Lateness.Bucket) -> String {
    switch (bucket.from.map(words(hours:)), bucket.under.map(words(hours:))) {
    case (let from?, let under?): "\(from) to \(under)"
    case (nil, let under?): "under \(under)"
    case (let from?, nil): "\(from) or more"
    case (nil, nil): "any"
    }
  }

  private static func words(hours: Int) -> String {
    let (count, unit) = hours.isMultiple(of: 24) ? (hours / 24, "day") : (hours, "hour")
    return NumberFormat.count(count, unit)
  }
}

/// Events that were delivered more than once.
extension RunReport {
  /// The inputs with events that others had delivered, and skipped inputs.
  var duplicatesSection: PageSection? {
    PageSection(
      "Delivered again",
      note: "Events with an id that was counted before, and logs that were read before.",
      .table(
        "Duplicates by input", of: redeliveries, atMost: Self.mostInputs, rest: "pairs of inputs",
        .input("Dropped from", \.input), .input("Counted in") { $0.counted ?? "unknown" },
        .text("Earlier night") { $0.isEarlier ? "yes" : "no" }, .count("Events", \.events)),
      .table(
        "Skipped files", of: selection.alreadyRead, atMost: Self.mostInputs, rest: "files",
        .input("Skipped", \.path), .input("Same content, read as", \.earlier)),
      .table(
        "Grown files", of: ingest.outcomes.filter { $0.file.start != nil },
        atMost: Self.mostInputs, rest: "files", .input("Read", \.file.path),
        .count("Lines read before") { $0.file.start?.lines ?? 0 }))
  }

  /// How the folders of earlier nights differ from what was read.
  var lateFilesSection: PageSection? {
    PageSection(
      "Late files", note: "What differs from what earlier nights have read.",
      .table(
        "Late files", of: late.outcomes.flatMap { text, paths in paths.map { ($0, text) } },
        atMost: Self.mostInputs, rest: "files; all of them are in \(RunFiles.report)",
        .input("File", \.0), .text("Tonight", \.1)))
  }

  var hotSection: PageSection? {
    let hot = snapshot?.tally.hot ?? HotIDs()
    return PageSection(
      "Ids with the most data",
      note: "A placeholder that programs write without an id joins strangers: exclude it with "
        + "--nobody.", isFolded: hotIDs == nil,
      .table(
        "Keys by events", of: hot.events.entries, atMost: HotKeys.most, rest: "ids",
        always: !hot.isEmpty, .input("Id", \.id),
        .text("Kind") { $0.isPerson ? "person" : "installation" }, .count("Events", \.count)),
      .table(
        "Installations by people", of: hot.people.entries.filter { $0.count > 1 },
        atMost: HotKeys.most, rest: "installations", .input("Installation", \.id),
        .count("People", \.count)))
  }
}

extension RunReport {
  private static var mostFindings: Int { 100 }

  var trackingSection: PageSection? {
    ingest.tracking.flatMap { tracking in
      PageSection(
        "Tracking plan",
        note: "Where events differ from the plan: \(tracking.summary). Nothing was dropped because "
          + "of them.", always: true,
        .table(
          "Findings", of: tracking.rows, atMost: Self.mostFindings, rest: "findings",
          .name("Finding", \.kind.rawValue), .name("Event") { HTMLWriter.clipped($0.event) },
          .name("Attribute") { HTMLWriter.clipped($0.attribute ?? "") }, .count("Count", \.count),
          .input("First at") { "\($0.file):\($0.line)" }, .code("Expected") { $0.expected ?? "" },
          .code("Found") { $0.found ?? "" }))
    }
  }
}
