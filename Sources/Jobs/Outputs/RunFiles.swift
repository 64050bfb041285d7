import Pipeline

/// The files of a published run, by their paths in it (docs/reference/file-formats.md).
/// ``Manifest/subscript(_:)`` finds those listed by their content by the same paths.
package enum RunFiles {
  package static let countsJSON = Counts.json.rawValue
  package static let countsCSV = Counts.csv.rawValue
  package static let dailyCounts = Counts.days.rawValue
  package static let profiles = "profiles"
  package static let state = "state"
  /// Only of a run that continues another.
  package static let changes = "changes"
  package static let totals = Counts.totals.rawValue
  package static let work = "work"
  package static let redriven = "redriven.ndjson.zst"
  package static let rejects = "rejects.ndjson.zst"
  /// The losses of a migration or a redrive, one line per code.
  package static let losses = "losses.ndjson"
  package static let report = "report.json"
  package static let page = "report.html"
  /// The files that differ from run to run.
  package static let reports = [report, page]
  package static let manifest = "manifest.json"
  /// The files of an archive, beside its logs.
  static let ofArchive = [rejects, losses, report, page, manifest]
  static let unlisted = reports + [manifest, nightBefore]

  package static let partial = "partial"
  /// Facts of partials about their inputs.
  package static let facts = "facts.json"

  package static let optOuts = "opt-outs.bin"

  /// The counts of a merged partition.
  package static let tally = "tally.json"
  /// The people whose profiles may have changed, as far as a partition knows.
  package static let persons = "persons.bin"
  /// The installations that a partition hands over to one of their people's partitions.
  private static let members = "members-#-of-#.spill"
  /// The totals of the state that a merged partition continues.
  package static let previousTotals = "previous-totals.ndjson.zst"
  /// The extract of the earlier run's report that a merged partition continues. It contains times.
  package static let nightBefore = "night-before.json"

  /// The kind of content, and so the way in which persons may be named in a file.
  enum Content {
    case profiles, changes, state, index, totals, rejects
    /// Lines that name no person.
    case text
  }

  /// The files that follow from the totals of a state (``PublishedCounts``), as they are written.
  enum Counts: String, CaseIterable {
    /// The contents of the state besides its keys.
    case totals = "state/totals.ndjson.zst"
    case json = "event_counts.ndjson"
    case csv = "event_counts.csv"
    /// Not with `--no-days`.
    case days = "daily_counts.ndjson"
  }

  /// The files that an output has and its manifest lists, `#` for the numbers of a part; `verify`
  /// expects, compares and searches each.
  private static let published: [(path: String, content: Content)] =
    Counts.allCases.map { (path: $0.rawValue, content: $0 == .totals ? Content.totals : .text) } + [
      (rejects, .rejects), (profilePart, .profiles), (changePart, .changes), (statePart, .state),
      (index, .index),
    ]
  private static let profilePart = "\(profiles)/part-#-of-#.ndjson.zst"
  private static let changePart = "\(changes)/part-#-of-#.ndjson.zst"
  private static let statePart = "\(state)/part-#-of-#.zst"
  private static let index = "\(state)/index-#-of-#.zst"
  private static let spill = "\(state)/part-#-of-#.spill"

  /// The files that every output with `partitions` partitions has and lists.
  static func published(
    partitions: Int, withDays: Bool, isChained: Bool
  ) -> [(path: String, content: Content)] {
    let parts = published.filter { $0.path.contains("#") && (isChained || $0.content != .changes) }
    return (0..<partitions).flatMap { part in
      parts.map { (numbered($0.path, part, of: partitions), $0.content) }
    } + published.filter { !$0.path.contains("#") && (withDays || $0.path != dailyCounts) }
  }

  /// Every file that a job writes where it makes a directory to be published, `#` for numbers;
  /// except logs of an archive, which its manifest lists before they are in their final location.
  package static let templates =
    published.map(\.path)
    + [
      redriven, losses, report, page, manifest, partial, facts, optOuts, tally,
      persons, members, previousTotals, nightBefore, spill,
    ]
    + [
      "spill-#", "fold-#", "keys-#", "members-#", "state-#", "profiles-#", "changes-#", "index-#",
    ].map { "\(work)/\($0)" }
    + ofExport

  private static let ofExport =
    ExportFormat.allCases.flatMap { format in
      ExportTable.allCases.map { $0.template(format) }
    } + [ExportDocuments.schema, ExportDocuments.load]

  /// Files of merged partitions in the directory of the output.
  static let ofPartitions = MergeStep.allCases.flatMap { step in
    templates.map { "\(step.template)/\($0)" }
  }

  /// The files of a published directory called `name`, and of its hidden siblings.
  static func around(_ name: String, _ files: [String]) -> [String] {
    files.flatMap { ["\(name)/\($0)", ".\(name).staging-#/\($0)", ".\(name).old-#/\($0)"] }
      + [".\(name).lock"]
  }

  /// The whole jobs of a benchmark, and their directories.
  static let benchmarked = ["run", "migrate"]
  /// The working directory of a benchmark: its logs, a snapshot, and whole jobs.
  static let ofBenchmark =
    ["bench.ndjson.zst"] + (benchmarked + ["snapshot"]).flatMap { around($0, templates) }
    + ArchiveCheckpoint.files.map { ".migrate.resume/\($0)" }

  package static func spill(_ part: Int, of count: Int) -> String {
    numbered(spill, part, of: count)
  }

  package static func members(_ part: Int, of count: Int) -> String {
    numbered(members, part, of: count)
  }

  package static func index(_ part: Int, of count: Int) -> String {
    numbered(index, part, of: count)
  }

  /// Profiles and changes are lines, states are not.
  package static func part(_ part: Int, of count: Int, in folder: String) -> String {
    let template = [profilePart, changePart].first { $0.hasPrefix("\(folder)/") } ?? statePart
    return numbered(template, part, of: count)
  }

  /// The part `file` under the name derived from its content, if it is in the output already.
  static func namedByContent(_ file: WrittenFile) -> WrittenFile {
    var path = file.path
    path.insert(contentsOf: contentMark(of: file), at: path.firstIndex(of: ".") ?? path.endIndex)
    return WrittenFile(path: path, bytes: file.bytes, lines: file.lines, xxh64: file.xxh64)
  }

  /// The name in `run` of the listed file `file`, which may be named by its content.
  static func usualName(of file: WrittenFile) -> String {
    guard isPart(file) else { return file.path }
    return file.path.replacing("\(contentMark(of: file)).", with: ".")
  }

  static func isPart(_ file: WrittenFile) -> Bool {
    [profiles, changes, state].contains { file.path.hasPrefix("\($0)/") }
  }

  private static func contentMark(of file: WrittenFile) -> String { "-\(XXH64.text(file.xxh64))" }

  /// The part of the profiles that belongs to a part of the state.
  static func profiles(beside state: String) -> String {
    "\(profiles)\(state.dropFirst(Self.state.count).dropLast(4)).ndjson.zst"
  }

  static func numbered(_ template: String, _ part: Int, of count: Int) -> String {
    var numbers = [part, count].map(String.init)[...]
    return template.reduce(into: "") { path, character in
      guard character == "#", let text = numbers.popFirst() else { return path.append(character) }
      path += String(repeating: "0", count: max(0, 5 - text.count)) + text
    }
  }
}
