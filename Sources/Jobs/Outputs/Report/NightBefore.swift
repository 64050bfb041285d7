package import Pipeline
package import Stages

/// The run whose output this one continues (`--previous`).
struct NightBefore: Sendable {
  /// The name of its output.
  let night: String
  /// When it ended, according to its report.
  let ended: String?
  /// Its counts by their names in reports; empty when its report cannot be read.
  let figures: [String: Int]
  /// The counts of its reasons of rejects; empty when its report cannot be read.
  let reasons: [String: Int]
  /// Its event names, and those of all nights.
  let names: RunActivity.EarlierNames

  private static let doing = "comparing with"
  /// Most reasons read from a report; there are fewer codes.
  private static let mostReasons = 1000

  /// Reads the report of the output in the directory `path`, with the given `totals`. No output
  /// depends on that file, which the manifest does not list: if it cannot be read, nothing is
  /// compared.
  init(_ path: String, totals: [StateTotal], system: System) {
    self.init(Self.report(RunFiles.report, in: path, system), at: path, totals: totals)
  }

  /// Reads what ``write(to:)`` left in the directory `path` of a merged partition.
  init(ofPartition path: String, totals: [StateTotal], system: System) {
    self.init(Self.report(RunFiles.nightBefore, in: path, system), at: path, totals: totals)
  }

  private init(_ document: JSONDocument?, at path: String, totals: [StateTotal]) {
    let report = document?.root
    night = report?["run"]?["night"]?.text ?? RunStamp.name(of: path)
    ended = report?["run"]?["ended"]?.text
    var figures: [String: Int] = [:]
    func note(_ name: String, _ value: JSONValue?) {
      if let number = value?.count { figures[name] = number }
    }
    note("lines", report?["ledger"]?["lines"]?["total"])
    note("events", report?["ledger"]?["events"]?["accepted"])
    note("duplicates", report?["ledger"]?["events"]?["duplicates"])
    note("lines_with_rejects", report?["rejects"]?["lines"])
    note("profiles", report?["profiles"])
    note("event_names", report?["event_names"])
    self.figures = figures
    reasons = Dictionary(
      (report?["rejects"]?["reasons"]?.members ?? []).prefix(Self.mostReasons)
        .compactMap { name, value in value.count.map { (name, $0) } }, uniquingKeysWith: { $1 })
    let last = (report?["top_events"]?.items ?? []).prefix(RunActivity.mostNames)
    names = RunActivity.EarlierNames(
      known: Set(totals.map(\.name)), last: last.compactMap { $0["name"]?.text })
  }

  /// Writes the extract of the report, in the form of a report, for the finish of a merge.
  ///
  /// - Throws: `io`.
  func write(to staging: StagedDirectory) throws(Failure) {
    let text = JSONWriter.document { json in
      json.object("run") { json in
        json.member("night", night)
        if let ended { json.member("ended", ended) }
      }
      json.object("ledger") { json in
        json.object("lines") { json in write("lines", "total", to: &json) }
        json.object("events") { json in
          write("events", "accepted", to: &json)
          write("duplicates", "duplicates", to: &json)
        }
      }
      json.object("rejects") { json in
        write("lines_with_rejects", "lines", to: &json)
        json.object(
          "reasons", of: reasons.sorted { $0.key < $1.key }.map { NamedCount($0.key, $0.value) })
      }
      write("profiles", "profiles", to: &json)
      write("event_names", "event_names", to: &json)
      json.objects("top_events", of: names.last) { name, json in json.member("name", name) }
    }
    try staging.folder.write(text.view, to: RunFiles.nightBefore, lines: 1)
  }

  private func write(_ figure: String, _ key: StaticString, to json: inout JSONWriter) {
    if let number = figures[figure] { json.member(key, number) }
  }

  private static func report(_ name: String, in path: String, _ system: System) -> JSONDocument? {
    let file = "\(path)/\(name)"
    // Reading anything but a file might block endlessly.
    guard (try? system.status(of: file, doing: doing))?.kind == .regular else { return nil }
    return try? JSONDocument(reading: file, doing: doing, system: system)
  }
}

/// The differences from the night before.
package struct NightComparison: Sendable {
  /// A count of both nights.
  package struct Figure: Sendable {
    /// The name in reports.
    package let name: StaticString
    package let title: String
    /// Nil when it is unknown.
    package let before: Int?
    package let now: Int
  }

  /// The name of the earlier output.
  package let night: String
  /// When that run ended, if known.
  package let ended: String?
  package let figures: [Figure]
  /// How the profiles differ; nil if unknown, as when all of them were rendered again.
  package let profiles: ProfileCounts?
  /// The counts of each reason of rejects in both nights, sorted by code; empty when they are
  /// unknown for the earlier one.
  package let rejects: [(code: String, count: Change)]
  /// Event names without events in any earlier night, and those with events in the night before
  /// only.
  package let newNames: [String]
  package let vanishedNames: [String]
  /// New names that are not listed.
  package let otherNewNames: Int

  /// Writes the field `night_before` of the open object.
  package func write(to json: inout JSONWriter) {
    json.object("night_before") { json in
      json.member("night", night)
      if let ended { json.member("ended", ended) }
      for figure in figures {
        json.object(figure.name) { json in
          if let before = figure.before { json.member("before", before) }
          json.member("now", figure.now)
        }
      }
      profiles?.write("profile_changes", to: &json)
      if !rejects.isEmpty {
        json.object("rejects") { json in
          for (code, count) in rejects {
            json.object(named: code) { json in
              json.member("before", count.old)
              json.member("now", count.new)
            }
          }
        }
      }
      json.array("new_events", of: newNames)
      if otherNewNames > 0 { json.member("other_new_events", otherNewNames) }
      json.array("vanished_events", of: vanishedNames)
    }
  }
}

extension RunReport {
  /// The differences from the night before; nil without one.
  var comparison: NightComparison? {
    guard let before else { return nil }
    let total = merge.total
    var figures: [(StaticString, String, Int)] = [
      ("lines", "Lines", total.lines), ("events", "Events accepted", total.accepted),
      ("duplicates", "Duplicates", total.duplicates),
      ("lines_with_rejects", "Lines with rejects", merge.linesWithRejects),
    ]
    if let snapshot {
      figures.append(("profiles", "Profiles", snapshot.profiles))
      figures.append(("event_names", "Event names", snapshot.eventNames))
    }
    let names = merge.activity.changes
    let now = Dictionary(
      merge.tally.reasons.map { ($0.code.text, $0.count) }, uniquingKeysWith: { $1 })
    let codes =
      before.figures["lines_with_rejects"] == nil ? [] : Set(now.keys).union(before.reasons.keys)
    return NightComparison(
      night: before.night, ended: before.ended,
      figures: figures.map { name, title, now in
        NightComparison.Figure(
          name: name, title: title, before: before.figures["\(name)"], now: now)
      },
      profiles: snapshot?.changes,
      rejects: codes.sorted().map { ($0, Change(before.reasons[$0] ?? 0, now[$0] ?? 0)) },
      newNames: names.new, vanishedNames: names.vanished, otherNewNames: names.otherNew)
  }
}
