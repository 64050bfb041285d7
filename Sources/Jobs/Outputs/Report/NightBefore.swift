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
  fileprivate private(set) var topEvents: [TopEvent] = []
  /// The nights up to it, the oldest first.
  fileprivate private(set) var recent: [RecentNight] = []
  /// Its event names, and those of all nights.
  private(set) var names = RunActivity.EarlierNames(known: [], last: [])

  private static let doing = "comparing with"
  /// Most reasons read from a report; there are fewer codes.
  private static let mostReasons = 1000

  fileprivate struct TopEvent: Document {
    var name = ""
    var events = 0

    static let fields: [Field<TopEvent>] = [.value("name", \.name), .count("events", \.events)]
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
    .list("top_events", \.topEvents), .list("recent_nights", \.recent),
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
    recent = recent.suffix(RecentNight.most)
    if recent.isEmpty, let events { recent = [RecentNight(night: night ?? "", events: events)] }
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

/// How many events a night has accepted. A report has those of a week.
struct RecentNight: Document, Sendable {
  /// The name of its output.
  private(set) var night = ""
  private(set) var events = 0

  static let most = 7

  static let fields: [Field<RecentNight>] = [
    .value("night", \.night), .count("events", \.events),
  ]

  init() {}

  init(night: String, events: Int) { (self.night, self.events) = (night, events) }
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
  /// The nights up to this one, the oldest first.
  var recentNights: [RecentNight] {
    (before?.recent ?? []).suffix(RecentNight.most - 1)
      + [RecentNight(night: stamp.night, events: ingest.total.accepted)]
  }

  /// How many fewer events there are than on the same weekday before, or than in the night before
  /// where no such night is known, as a share of these; nil without either.
  var fewerEvents: (share: Double, than: String)? {
    let recent = before?.recent ?? []
    let week = recent.count == RecentNight.most ? recent.first : nil
    for (night, name) in [(week, "seven nights before"), (recent.last, "the night before")] {
      guard let night, night.events > 0 else { continue }
      return (1 - Double(ingest.total.accepted) / Double(night.events), name)
    }
    return nil
  }

  /// Event names that had a usual share of the events of the night before, and have none now.
  var vanishedNames: [String] {
    let usual = max(Self.fewestEvents, Double(before?.events ?? 0) * Self.usualShare)
    let counts = Dictionary(
      (before?.topEvents ?? []).map { ($0.name, $0.events) }, uniquingKeysWith: max)
    return ingest.activity.changes.vanished.filter { Double(counts[$0] ?? 0) >= usual }
  }

  /// The events that a name has to have to be missed, which do not stay away by chance, and their
  /// share of all.
  private static let (fewestEvents, usualShare) = (10.0, 0.01)

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
