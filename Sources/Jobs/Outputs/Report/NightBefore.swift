package import Pipeline
package import Stages

/// The run whose output this one continues (`--previous`), by an extract of its report; what that
/// lacks is unknown.
struct NightBefore: Document, Sendable {
  /// The name of its output.
  private(set) var night: String?
  /// When it ended.
  private(set) var ended: String?
  fileprivate private(set) var lines: Int?
  fileprivate private(set) var events: Int?
  fileprivate private(set) var duplicates: Int?
  fileprivate private(set) var linesWithRejects: Int?
  fileprivate private(set) var profiles: Int?
  fileprivate private(set) var eventNames: Int?
  /// The counts of its reasons of rejects.
  fileprivate private(set) var reasons: [NamedCount] = []
  private var topEvents: [TopEvent] = []
  /// Its event names, and those of all nights.
  private(set) var names = RunActivity.EarlierNames(known: [], last: [])

  private static let doing = "comparing with"
  /// Most reasons read from a report; there are fewer codes.
  private static let mostReasons = 1000

  private struct TopEvent: Document {
    var name = ""

    static let fields: [Field<TopEvent>] = [.value("name", \.name)]
  }

  /// Those of a report that an extract has.
  static let fields: [Field<NightBefore>] = [
    .group("run", [.maybe("night", \.night), .maybe("ended", \.ended)]),
    .group(
      "ledger",
      [
        .group("lines", [.figure("total", \.lines)]),
        .group(
          "events", [.figure("accepted", \.events), .figure("duplicates", \.duplicates)]),
      ]),
    .group("rejects", [.figure("lines", \.linesWithRejects), .counts("reasons", \.reasons)]),
    .figure("profiles", \.profiles), .figure("event_names", \.eventNames),
    .list("top_events", \.topEvents),
  ]

  init() {}

  /// Reads the report of the output in the directory `path`, with the given `totals`. No output
  /// depends on that file, which the manifest does not list: if it cannot be read, nothing is
  /// compared.
  init(_ path: String, totals: [StateTotal], system: System) {
    self.init(RunFiles.report, in: path, totals: totals, system)
  }

  /// Reads what ``write(to:)`` left in the directory `path` of a merged partition.
  init(ofPartition path: String, totals: [StateTotal], system: System) {
    self.init(RunFiles.nightBefore, in: path, totals: totals, system)
  }

  private init(_ name: String, in path: String, totals: [StateTotal], _ system: System) {
    self = Self(orNil: Self.document("\(path)/\(name)", system)?.root) ?? Self()
    night = night ?? RunStamp.name(of: path)
    reasons = Array(reasons.prefix(Self.mostReasons))
    topEvents = Array(topEvents.prefix(RunActivity.mostNames))
    names = RunActivity.EarlierNames(
      known: Set(totals.map(\.name)), last: topEvents.map(\.name))
  }

  /// Writes the extract, in the form of a report, for the finish of a merge.
  ///
  /// - Throws: `io`.
  func write(to staging: StagedDirectory) throws(Failure) {
    let text = text()
    try staging.folder.write(text.view, to: RunFiles.nightBefore, lines: 1)
  }

  private static func document(_ file: String, _ system: System) -> JSONDocument? {
    // Reading anything but a file might block endlessly.
    guard (try? system.status(of: file, doing: doing))?.kind == .regular else { return nil }
    return try? JSONDocument(reading: file, doing: doing, system: system)
  }
}

extension Field where Owner == NightBefore {
  /// A count of a file that nothing else depends on: unknown when it is not credible.
  fileprivate static func figure(_ name: StaticString, _ path: Path<Int?>) -> Field {
    row(name, path, omits: { $0 == nil }, write: { $1.item($0) }) {
      value, _ throws(DocumentDamage) in value.count
    }
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
            json.object(code) { json in
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
  package var comparison: NightComparison? {
    guard let before else { return nil }
    let total = ingest.total
    let figures: [(name: StaticString, title: String, before: Int?, now: Int?)] = [
      ("lines", "Lines", before.lines, total.lines),
      ("events", "Events accepted", before.events, total.accepted),
      ("duplicates", "Duplicates", before.duplicates, total.duplicates),
      (
        "lines_with_rejects", "Lines with rejects", before.linesWithRejects,
        ingest.linesWithRejects
      ), ("profiles", "Profiles", before.profiles, snapshot?.profiles),
      ("event_names", "Event names", before.eventNames, snapshot?.eventNames),
    ]
    let names = ingest.activity.changes
    let now = counts(ingest.tally.reasons.map { NamedCount($0.code.text, $0.count) })
    let old = counts(before.reasons)
    let codes = before.linesWithRejects == nil ? [] : Set(now.keys).union(old.keys)
    return NightComparison(
      night: before.night ?? "", ended: before.ended,
      figures: figures.compactMap { name, title, before, now in
        now.map { NightComparison.Figure(name: name, title: title, before: before, now: $0) }
      },
      profiles: snapshot?.changes,
      rejects: codes.sorted().map { ($0, Change(old[$0] ?? 0, now[$0] ?? 0)) },
      newNames: names.new, vanishedNames: names.vanished, otherNewNames: names.otherNew)
  }

  private func counts(_ named: [NamedCount]) -> [String: Int] {
    Dictionary(named.map { ($0.name, $0.count) }) { $1 }
  }
}
