import Pipeline
import Stages

extension RunReport: PagedReport {
  static var words: (job: String, output: String) { ("run", "Night") }
  var counted: Int? { snapshot?.accepted }
  var recorded: RecordedOptions { options.recorded(erasures) }

  var sections: [PageSection?] {
    [
      refusalSection, lostSection, comparisonSection, nightsSection, peopleSection, ledgerSection,
      timeSection, namesSection, rejectsSection, lossesSection, remarksSection, trackingSection,
      duplicatesSection, hotSection, latenessSection, stagesSection, inputsSection, ignoredSection,
      lateFilesSection, unknownFieldsSection, stampSection, optionsSection,
    ]
  }

  var tiles: [PageTile] {
    let (total, count) = (ingest.total, NumberFormat.grouped)
    let published =
      snapshot.map {
        [
          ("Profiles", count($0.tally.lines), "published"),
          ("Event names", count($0.eventNames), "of all nights"),
        ]
      } ?? []
    return [
      linesTile,
      ("Events accepted", count(total.accepted), part(total.accepted, of: total.events)),
      ("Duplicates", count(total.duplicates), part(total.duplicates, of: total.events)),
      rejectsTile,
    ] + published + timeTiles(written: outputBytes)
  }
}

/// When, where and how the job ran, and why nothing was published.
extension PagedReport {
  private static var longestCommand: Int { 2000 }

  var refusalSection: PageSection? {
    guard let refusal else { return nil }
    let reasons = ingest.tally.reasons.mostFrequentFirst(by: \.count).prefix(3)
      .map { "\($0.code.text) (\(NumberFormat.grouped($0.count)))" }
    return PageSection(
      "Why nothing was published", note: "The \(Self.words.job) ended with exit code 3.",
      PagePart { html in
        html.element("p", "\(HTMLWriter.clipped(refusal)).")
        if !reasons.isEmpty {
          html.element("p", "Most frequent: \(reasons.joined(separator: ", ")).")
        }
        html.paragraph(
          "The rejected lines are in ", RunFiles.rejects,
          " beside this page. Fix the logs, or allow more with ", "--max-rejects", ".")
      })
  }

  var stampSection: PageSection? {
    let title = Self.words.job.prefix(1).uppercased() + Self.words.job.dropFirst()
    let text = stamp.commandText
    let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longestCommand)))
    return PageSection(
      title,
      .facts(title, [(Self.words.output, HTMLWriter.clipped(stamp.night)), ("When", stamp.text)]),
      stamp.command.isEmpty
        ? nil
        : PagePart { html in
          html.element("h3", "Command line")
          html.element("pre", text.unicodeScalars.count > Self.longestCommand ? shown + "…" : shown)
        })
  }

  var optionsSection: PageSection? {
    PageSection(
      "Options", isFolded: true,
      PagePart { html in
        var json = JSONWriter(.pretty)
        recorded.with(jobs: options.read.jobs).write(to: &json)
        html.element("pre") { html in html.lines(json.bytes.text) }
      })
  }
}

extension PagePart {
  static func facts(_ caption: String, _ facts: [(name: String, value: String)]) -> PagePart? {
    table(caption, of: facts, .text("Fact", \.name), .code("", \.value))
  }
}

extension RunReport {
  private static var mostListed: Int { 50 }
  /// Reasons of rejects that are compared in a table.
  private static var mostReasons: Int { 10 }

  var comparisonSection: PageSection? {
    guard let comparison else { return nil }
    let when = comparison.ended.map { ", which ended \($0)" } ?? ""
    let isKnown = comparison.figures.contains { $0.before != nil }
    let changed = comparison.rejects.filter(\.count.isChange)
      .sorted { abs($0.count.difference) > abs($1.count.difference) }
    let shown = changed.prefix(Self.mostReasons)
    let (others, equal) = (changed.count - shown.count, comparison.rejects.count - changed.count)
    return PageSection(
      "Since the night before",
      note: "Compared with \(HTMLWriter.clipped(comparison.night))\(HTMLWriter.clipped(when))."
        + (isKnown ? "" : " Its report could not be read."), always: true,
      .table(
        "Since the night before",
        of: comparison.figures.filter { $0.before != 0 || $0.now != 0 }, always: true,
        .text("Figure", \.title),
        .number("Before → now") {
          ($0.before.map(NumberFormat.grouped) ?? "–") + " → " + NumberFormat.grouped($0.now)
        }, .number("Change") { $0.shareText ?? "–" }),
      comparison.profiles.map { .note("Profiles: \($0.text).") },
      comparison.rejects.isEmpty ? nil : .heading("Rejects by reason"),
      .table(
        "Rejects by reason", of: shown, .input("Reason", \.code),
        .number("Before → now") {
          "\(NumberFormat.grouped($0.count.old)) → \(NumberFormat.grouped($0.count.new))"
        }, .number("Change", \.count.text)),
      .notes(others > 0 ? ["Reasons that changed less: \(others)."] : []),
      .notes(equal > 0 ? ["Reasons as frequent as before: \(equal)."] : []),
      Self.list(
        comparison.newNames, "New event names", more: comparison.otherNewNames,
        none: "No new event names."),
      Self.list(
        comparison.vanishedNames, "Vanished event names",
        none: isKnown ? "No event name of the night before is missing." : ""))
  }

  private static func list(
    _ names: [String], _ title: String, more: Int = 0, none: String
  ) -> PagePart? {
    if names.isEmpty { return none.isEmpty ? nil : .note(none) }
    return PagePart { html in
      html.element("h3", title)
      html.element("p", ["class": "names"]) { html in
        for name in names.prefix(mostListed) {
          html.element("code", HTMLWriter.clipped(name))
          html.text(" ")
        }
      }
      PagePart.rest(names.count - mostListed + more, "event names")?.write(&html)
    }
  }
}

extension NightComparison.Figure {
  /// `+12` or `−3`; nil when the earlier count is unknown.
  package var changeText: String? { before.map { Change($0, now).text } }

  /// The same with the size of the change in percent, where there is one.
  var shareText: String? {
    guard let changeText, let before, before > 0, before != now else { return changeText }
    let share = abs(Double(now - before)) / Double(before)
    let percent =
      share < 0.1
      ? NumberFormat.percent(share)
      : "\(NumberFormat.grouped(Int((share * 100).rounded()))) %"
    return "\(changeText) (\(percent))"
  }
}
