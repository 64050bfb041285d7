import Stages
import Pipeline

extension RunReport: PagedReport {
  static var words: (job: String, output: String) { ("run", "Night") }

  var ingest: IngestOutcome { merge }
  var counted: Int? { snapshot?.accepted }

  var recorded: RecordedOptions { options.recorded(erasures) }

  func sections(on page: ReportPage<RunReport>) -> [PageSection] {
    [
      page.writeRefusal, page.writeLost, page.writeComparison, page.writeLedger,
      page.writeActivity, page.writeNames, page.writeRejects, page.writeLosses,
      page.writeRemarks, page.writeTracking, page.writeDuplicates, page.writeHotIDs,
      page.writeLateness, page.writeStages, page.writeInputs, page.writeLateFiles,
      page.writeUnknownFields, page.writeStamp, page.writeOptions,
    ]
  }

  func tiles(on page: ReportPage<RunReport>) -> [PageTile] {
    let total = merge.total
    var tiles = [
      page.linesTile,
      (
        "Events accepted", NumberFormat.grouped(total.accepted),
        page.part(total.accepted, of: total.events)
      ),
      (
        "Duplicates", NumberFormat.grouped(total.duplicates),
        page.part(total.duplicates, of: total.events)
      ),
      page.rejectsTile,
    ]
    if let snapshot {
      tiles.append(("Profiles", NumberFormat.grouped(snapshot.profiles), "published"))
      tiles.append(("Event names", NumberFormat.grouped(snapshot.eventNames), "of all nights"))
    }
    return tiles + page.timeTiles(written: outputBytes)
  }
}

/// When, where and how the job ran, and why nothing was published.
extension ReportPage {
  /// Characters of a command line that are shown.
  private static var longestCommand: Int { 2000 }

  /// Writes why nothing was published, if so.
  func writeRefusal(to html: inout HTMLWriter) {
    guard let refusal = report.refusal else { return }
    section(
      "Why nothing was published", "The \(Report.words.job) ended with exit code 3.", to: &html
    ) { html in
      html.element("p", "\(HTMLWriter.clipped(refusal)).")
      let reasons = merge.tally.reasons.mostFrequentFirst(by: \.count).prefix(3)
      if !reasons.isEmpty {
        html.element(
          "p",
          "Most frequent: "
            + reasons.map { "\($0.code.text) (\(NumberFormat.grouped($0.count)))" }
            .joined(separator: ", ") + ".")
      }
      html.element("p") { html in
        html.text("The rejected lines are in ")
        html.element("code", RunFiles.rejects)
        html.text(" beside this page. Fix the logs, or allow more with ")
        html.element("code", "--max-rejects")
        html.text(".")
      }
    }
  }

  /// Writes when and where the job ran, and its command line.
  func writeStamp(to html: inout HTMLWriter) {
    let stamp = report.stamp
    let title = Report.words.job.prefix(1).uppercased() + Report.words.job.dropFirst()
    section(title, to: &html) { html in
      let facts = [
        (Report.words.output, HTMLWriter.clipped(stamp.night)), ("When", stamp.text),
      ]
      writeTable(title, [("Fact", .text), ("", .code)], of: facts, to: &html) {
        [.text($0.0), .text($0.1)]
      }
      if !stamp.command.isEmpty {
        html.element("h3", "Command line")
        let text = stamp.commandText
        let isLong = text.unicodeScalars.count > Self.longestCommand
        let scalars = text.unicodeScalars.prefix(Self.longestCommand)
        html.element(
          "pre", String(String.UnicodeScalarView(scalars)) + (isLong ? "…" : ""))
      }
    }
  }

}

/// The changes since the night before.
extension ReportPage where Report == RunReport {
  /// Number of event names shown in a list.
  private static var mostListed: Int { 50 }
  /// Reasons of rejects that are compared in a table.
  private static var mostReasons: Int { 10 }

  /// Writes the differences from the night before, if there was one.
  func writeComparison(to html: inout HTMLWriter) {
    guard let comparison = report.comparison else { return }
    let when = comparison.ended.map { ", which ended \($0)" } ?? ""
    let isKnown = comparison.figures.contains { $0.before != nil }
    section(
      "Since the night before",
      "Compared with \(HTMLWriter.clipped(comparison.night))\(HTMLWriter.clipped(when))."
        + (isKnown ? "" : " Its report could not be read."), to: &html
    ) { html in
      writeTable(
        "Since the night before",
        [("Figure", .text), ("Before", .number), ("Now", .number), ("Change", .number)],
        of: comparison.figures, to: &html
      ) {
        [
          .text($0.title), .text($0.before.map(NumberFormat.grouped) ?? "–"), .count($0.now),
          .text($0.changeText ?? "–"),
        ]
      }
      if let profiles = comparison.profiles {
        writeNote("Profiles: \(profiles.text).", to: &html)
      }
      writeRejects(of: comparison, to: &html)
      write(
        comparison.newNames, "New event names", more: comparison.otherNewNames,
        none: "No new event names.", to: &html)
      write(
        comparison.vanishedNames, "Vanished event names",
        none: isKnown ? "No event name of the night before is missing." : "", to: &html)
    }
  }

  /// Writes the reasons that are more or less frequent than before, those that changed most first.
  private func writeRejects(of comparison: NightComparison, to html: inout HTMLWriter) {
    guard !comparison.rejects.isEmpty else { return }
    let changed = comparison.rejects.filter(\.count.isChange)
      .sorted { abs($0.count.difference) > abs($1.count.difference) }
    html.element("h3", "Rejects by reason")
    let shown = changed.prefix(Self.mostReasons)
    if !shown.isEmpty {
      writeTable(
        "Rejects by reason",
        [("Reason", .code), ("Before", .number), ("Now", .number), ("Change", .number)],
        of: shown, to: &html
      ) {
        [
          .text(HTMLWriter.clipped($0.code)), .count($0.count.old), .count($0.count.new),
          .text($0.count.text),
        ]
      }
    }
    let (others, equal) = (changed.count - shown.count, comparison.rejects.count - changed.count)
    if others > 0 { writeNote("Reasons that changed less: \(others).", to: &html) }
    if equal > 0 { writeNote("Reasons as frequent as before: \(equal).", to: &html) }
  }

  private func write(
    _ names: [String], _ title: String, more: Int = 0, none: String, to html: inout HTMLWriter
  ) {
    guard !names.isEmpty else {
      if !none.isEmpty { writeNote(none, to: &html) }
      return
    }
    html.element("h3", title)
    html.element("p", ["class": "names"]) { html in
      for name in names.prefix(Self.mostListed) {
        html.element("code", HTMLWriter.clipped(name))
        html.text(" ")
      }
    }
    writeRest(names.count - Self.mostListed + more, "event names", to: &html)
  }
}

extension NightComparison.Figure {
  /// `+12` or `−3`; nil when the earlier count is unknown.
  package var changeText: String? {
    before.map { Change($0, now).text }
  }
}
