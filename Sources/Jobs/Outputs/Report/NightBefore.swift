package import Pipeline
package import Stages

/// The run whose output this one continues (`--previous`), by an extract of its report.
struct NightBefore: Document, Sendable {
  var night: String?
  var ended: String?
  fileprivate var lines: Int?
  fileprivate var events: Int?
  fileprivate var duplicates: Int?
  fileprivate var linesWithRejects: Int?
  fileprivate var profiles: Int?
  fileprivate var eventNames: Int?
  fileprivate var reasons: [NamedCount] = []
  fileprivate var topEvents: [TopEvent] = []
  /// The nights up to it, the oldest first.
  fileprivate var recent: [RecentNight] = []
  /// Its event names, and those of all nights.
  private(set) var names = RunActivity.EarlierNames(known: [], last: [])

  /// Most reasons read from a report; there are fewer codes.
  private static let mostReasons = 1000

  fileprivate struct TopEvent: Document {
    var name = ""
    var events = 0

    static let fields: [Field<TopEvent>] = [.value("name", \.name), .count("events", \.events)]
  }

  static let fields: [Field<NightBefore>] = [
    .group("run", [.maybe("night", \.night), .maybe("ended", \.ended)]),
    .group(
      "ledger",
      [
        .group("lines", [.figure("total", \.lines)]),
        .group("events", [.figure("accepted", \.events), .figure("duplicates", \.duplicates)]),
      ]),
    .group("rejects", [.figure("lines", \.linesWithRejects), .counts("reasons", \.reasons)]),
    .figure("profiles", \.profiles), .figure("event_names", \.eventNames),
    .list("top_events", \.topEvents), .list("recent_nights", \.recent),
  ]

  init() {}

  /// Reads the file `name` in the directory `path`: the report of an output, or what ``write(to:)``
  /// left in a merged partition. No manifest lists it: if it cannot be read, nothing is compared.
  init(_ path: String, _ name: String = RunFiles.report, totals: [StateTotal], system: System) {
    let (file, doing) = ("\(path)/\(name)", "comparing with")
    // Reading anything but a file might block endlessly.
    if (try? system.status(of: file, doing: doing))?.kind == .regular {
      let document = try? JSONDocument(reading: file, doing: doing, system: system)
      self = Self(orNil: document?.root) ?? Self()
    }
    night = night ?? RunStamp.name(of: path)
    reasons = Array(reasons.prefix(Self.mostReasons))
    topEvents = Array(topEvents.prefix(RunActivity.mostNames))
    recent = recent.suffix(RecentNight.most)
    if recent.isEmpty, let events { recent = [RecentNight(night: night ?? "", events: events)] }
    names = RunActivity.EarlierNames(known: Set(totals.map(\.name)), last: topEvents.map(\.name))
  }

  /// Writes the extract, in the form of a report, for the finish of a merge.
  func write(to staging: StagedDirectory) throws(Failure) {
    try staging.folder.write(text(), to: RunFiles.nightBefore)
  }
}

/// How many events a night has accepted. A report has those of a week.
struct RecentNight: Document, Sendable {
  var night = ""
  var events = 0

  static let most = 7

  static let fields: [Field<RecentNight>] = [.value("night", \.night), .count("events", \.events)]
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
  /// A count of both nights, under its name in reports.
  package struct Figure: Sendable {
    package let name: StaticString
    package let title: String
    /// Nil when it is unknown.
    package let before: Int?
    package let now: Int
  }

  package let night: String
  package let ended: String?
  package let figures: [Figure]
  /// Nil if unknown, as when all profiles were rendered again.
  package let profiles: ProfileCounts?
  /// By code; empty when they are unknown for the earlier night.
  package let rejects: [(code: String, count: Change)]
  /// Event names never seen before, and those that only the night before had.
  package let newNames: [String]
  package let vanishedNames: [String]
  package let otherNewNames: Int

  /// Writes the field `night_before` of the open object.
  package func write(to json: inout JSONWriter) {
    func write(_ name: some JSONScalar, _ before: Int?, _ now: Int, _ json: inout JSONWriter) {
      json.object(name) { json in
        if let before { json.member("before", before) }
        json.member("now", now)
      }
    }
    json.object("night_before") { json in
      json.member("night", night)
      if let ended { json.member("ended", ended) }
      for figure in figures { write(figure.name, figure.before, figure.now, &json) }
      profiles?.write("profile_changes", to: &json)
      if !rejects.isEmpty {
        json.object("rejects") { json in
          for (code, count) in rejects { write(code, count.old, count.new, &json) }
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

  /// The share by which there are fewer events than on the same weekday or the night before.
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

  /// The events that a name has to have to be missed, and their share of all.
  private static let (fewestEvents, usualShare) = (10.0, 0.01)

  package var comparison: NightComparison? {
    guard let before else { return nil }
    let (total, names) = (ingest.total, ingest.activity.changes)
    let figures: [(name: StaticString, title: String, before: Int?, now: Int?)] = [
      ("lines", "Lines", before.lines, total.lines),
      ("events", "Events accepted", before.events, total.accepted),
      ("duplicates", "Duplicates", before.duplicates, total.duplicates),
      (
        "lines_with_rejects", "Lines with rejects", before.linesWithRejects,
        ingest.linesWithRejects
      ), ("profiles", "Profiles", before.profiles, snapshot?.tally.lines),
      ("event_names", "Event names", before.eventNames, snapshot?.eventNames),
    ]
    func counts(_ named: [NamedCount]) -> [String: Int] {
      Dictionary(named.map { ($0.name, $0.count) }) { $1 }
    }
    let now = counts(ingest.tally.reasons.map { NamedCount($0.code.text, $0.count) })
    let old = counts(before.reasons)
    let codes = before.linesWithRejects == nil ? [] : Set(now.keys).union(old.keys)
    return NightComparison(
      night: before.night ?? "", ended: before.ended,
      figures: figures.compactMap { name, title, before, now in
        now.map { NightComparison.Figure(name: name, title: title, before: before, now: $0) }
      },
      profiles: snapshot?.tally.changes,
      rejects: codes.sorted().map { ($0, Change(old[$0] ?? 0, now[$0] ?? 0)) },
      newNames: names.new, vanishedNames: names.vanished, otherNewNames: names.otherNew)
  }
}
