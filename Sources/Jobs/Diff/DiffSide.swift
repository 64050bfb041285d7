import Pipeline
import Stages

/// One of the compared outputs.
struct DiffSide {
  let run: Output
  let events: [String: EventFigures]
  /// The counts by day; nil for an output without days.
  let days: DailyFigures?
  /// The attribute names in its state, a superset of those of its profiles.
  let attributes: Set<String>
  /// Its rejects, as listed in the manifest.
  let rejects: WrittenFile

  /// Opens the output in the directory `path`.
  init(_ path: String, _ control: JobControl) throws(Failure) {
    run = try Output(path, system: control.system)
    let (state, names) = try run.namedTotals()
    let (totals, lists) = (state.totals, names.lists)
    rejects = try run.listed(RunFiles.rejects)
    // The counts are taken from the state: no other step reads all of these files to their ends.
    for name in RunFiles.Counts.allCases.map(\.rawValue) + [RunFiles.rejects]
    where name != RunFiles.totals && run.manifest[name] != nil {
      try control.check()
      _ = try run.file(name)
    }
    events = Dictionary(
      totals.map { (lists.events[$0.name].text, EventFigures($0)) }, uniquingKeysWith: { $1 })
    days = state.daysFrom.map { start in
      let days = PackedDays.ByName(state.days.packed)
      return DailyFigures(
        start: start, active: state.active,
        events: totals.map { (lists.events[$0.name].text, days[$0.name].map { Array($0) } ?? []) })
    }
    attributes = lists.attributes.names
  }

  static let totals: [(name: String, count: @Sendable (DiffSide) -> Int)] = [
    ("profiles", { $0.profileFiles.reduce(0) { $0 + $1.lines } }),
    ("events", { $0.events.values.reduce(0) { $0 + $1.count } }),
    ("duplicates", { $0.events.values.reduce(0) { $0 + $1.duplicates } }),
    ("event_names", { $0.events.count }),
    ("rejects", { $0.rejects.lines }),
  ]

  /// The parts of the profiles, as listed in the manifest.
  var profileFiles: [WrittenFile] {
    (0..<run.partitions).compactMap { run.manifest[profiles($0)] }
  }

  /// The name of a part of the profiles.
  func profiles(_ part: Int) -> String {
    RunFiles.part(part, of: run.partitions, in: RunFiles.profiles)
  }

  /// Reads a line of the profiles.
  func profile(_ line: ByteView?) throws(Failure) -> JSONValue? {
    try line.map { line throws(Failure) in try run.profile(line[0..<line.count - 1]) }
  }

  /// Counts the reasons in the rejects, by code. Holds one frame in memory.
  func countReasons(_ control: JobControl) throws(Failure) -> [String: Int] {
    let file = try FrameFile(
      "\(run.path)/\(rejects.path)", doing: Output.doing, system: control.system)
    let tape = Tape(numbersNames: false)
    var counts: [String: Int] = [:]
    try control.forEachLine(of: file) { text, line, frame throws(Failure) in
      tape.bind(to: text)
      guard case .value(let root) = Scanner.scan(line: line, into: tape),
        let reasons = tape.member("reasons", of: root)
      else { throw file.file.damaged("a line is not a reject entry", frame: frame) }
      for reason in tape.items(of: reasons) {
        if let code = tape.string(at: tape.member("code", of: reason)) {
          counts[code.text, default: 0] += 1
        }
      }
    }
    return counts
  }
}
