import Pipeline

/// A kind of directory with a manifest (docs/reference/file-formats.md).
enum OutputKind: String, CaseIterable, Sendable {
  case output = "eventmill_output"
  case partial = "eventmill_partial"
  case optOuts = "eventmill_opt_outs"
  case partition = "eventmill_partition"
  case migration = "eventmill_migration"
  case redrive = "eventmill_redrive"
  case rejected = "eventmill_rejected"
  case export = "eventmill_export"

  /// The reason that a command refuses a directory, and what to do instead.
  typealias Refusal = (why: String, advice: String)

  struct Facts {
    let version: Int
    /// The last version without a hash at the end of its documents, if it is still read.
    var unsealed: Int?
    /// The name in messages.
    let word: String
    /// What to name when a directory is not of this kind.
    let name: String
    /// The files beside those that the manifest lists.
    var beside: [String] = []
    /// Why `verify` and `erase` refuse it.
    var unverifiable: Refusal?
    var unerasable: Refusal?
  }

  /// A directory that a merge reads and checks.
  private static let unverifiable: Refusal = (
    "it is one half of a run; merge compares it with its manifest",
    "finish the run and verify its output; then remove this directory"
  )
  private static let unerasable: Refusal = (
    "it is one half of a run",
    "erase from the finished output, or make the halves with eventmill cluster partial --requests"
  )

  var facts: Facts {
    switch self {
    case .output:
      Facts(
        version: Manifest.formatVersion, word: "output",
        name: "the directory that an earlier run published", beside: RunFiles.reports)
    case .partial:
      Facts(
        version: PartialFile.formatVersion, word: "partial",
        name: "the directory that eventmill cluster partial published",
        unverifiable: Self.unverifiable, unerasable: Self.unerasable)
    case .optOuts:
      Facts(
        version: 1, word: "collection of opt-outs",
        name:
          "the directory of the directories that eventmill cluster partial --collect-opt-outs published",
        unverifiable: Self.unverifiable, unerasable: Self.unerasable)
    case .partition:
      Facts(
        version: PartialFile.formatVersion, word: "partition",
        name: "directories that eventmill cluster merge wrote to", beside: [RunFiles.nightBefore],
        unverifiable: Self.unverifiable, unerasable: Self.unerasable)
    case .migration:
      Facts(
        version: 2, unsealed: 1, word: "migration",
        name: "the directory that eventmill migrate published", beside: RunFiles.reports,
        unerasable: (
          "it contains the logs of a migration, and logs are not rewritten",
          "remove the logs that name them, or do not use the archive; eventmill run --requests "
            + "suppresses their data"
        ))
    case .redrive:
      Facts(
        version: 2, unsealed: 1, word: "redrive",
        name: "the directory that eventmill redrive published", beside: [RunFiles.report],
        unerasable: (
          "it contains the accepted parts of a redrive",
          "merge it, remove it, and erase from the output"
        ))
    case .rejected:
      Facts(
        version: 1, word: "directory of rejects",
        name: "the directory that a job with too many rejects has left", beside: RunFiles.reports,
        unverifiable: (
          "it contains the rejects of a job that published nothing",
          "read them, or reprocess them with eventmill redrive"
        ),
        unerasable: (
          "it contains the rejects of a run that published nothing", "remove it after reading it"
        ))
    case .export:
      // Users who run load.sql write the others.
      Facts(
        version: 2, unsealed: 1, word: "export",
        name: "the directory that eventmill export published", beside: ExportDocuments.loaded,
        unerasable: (
          "it contains tables made from an output",
          "erase from the output, and export again with --replace"
        ))
    }
  }

  var article: String {
    self == .output || self == .export ? "an \(facts.word)" : "a \(facts.word)"
  }

  /// The version that the manifest `root` of a directory of this kind has; nil without one.
  func version(in root: JSONValue) -> Int? { root.members.last { $0.name == rawValue }?.value.int }
  /// The files beside those that the manifest lists.
  var beside: [String] { [RunFiles.manifest] + facts.beside }
  var advice: String { "name \(facts.name)" }

  var repair: [String] {
    self == .output
      ? ["restore it from a copy", "start a new chain without --previous"]
      : ["make it again", "restore it from a copy"]
  }

  func damaged(_ path: String, _ why: String, doing: String) -> Failure {
    Failure(.corrupt, doing: doing, path: path, why: why, advice: repair)
  }
}

extension Manifest {
  /// The kind of the directory `output` by the beginning of its manifest; nil for anything else.
  static func kind(
    of output: String, doing: String, system: System = .real
  ) throws(Failure) -> OutputKind? {
    if try PartialFile(in: output, doing: doing, system: system) != nil { return .partial }
    let path = "\(output)/\(RunFiles.manifest)"
    guard try system.statusIfAny(of: path, doing: doing)?.kind == .regular else { return nil }
    let file = try PositionedFile(path, doing: doing, system: system)
    var beginning = ByteBuffer(capacity: Manifest.opening)
    try file.read(0..<min(Manifest.opening, file.size), into: &beginning)
    return OutputKind.allCases.first { kind in
      let name = ByteBuffer(text: "\"\(kind.rawValue)\"")
      return beginning.view.contains(name.view)
    }
  }

  /// The kind of a directory with these names that has lost its manifest; nil if unknown.
  static func unlistedKind(of names: [String]) -> OutputKind? {
    if names.contains(RunFiles.countsJSON),
      names.contains(RunFiles.state) || names.contains(RunFiles.profiles)
    {
      return .output
    }
    return names.contains(ExportDocuments.schema) && names.contains(ExportDocuments.load)
      ? .export : nil
  }

  /// The kind, of any version, and the own files of the directory `output` by its manifest; nil
  /// without one, or for that of another program.
  /// - Throws: `corrupt`, when it is damaged; `io`.
  static func listed(
    in output: String, doing: String, system: System
  ) throws(Failure) -> (kind: OutputKind, paths: [String])? {
    if try PartialFile(in: output, doing: doing, system: system) != nil {
      return (.partial, [RunFiles.partial])
    }
    let path = "\(output)/\(RunFiles.manifest)"
    guard try system.statusIfAny(of: path, doing: doing)?.kind == .regular else { return nil }
    let root = try JSONDocument(reading: path, doing: doing, system: system).root
    let kinds = OutputKind.allCases.filter { kind in
      root.members.contains { $0.name == kind.rawValue && ($0.value.int ?? 0) > 0 }
    }
    guard kinds.count == 1, root["tool"]?["version"]?.text != nil else { return nil }
    let items = root["outputs"]?.items ?? []
    let paths = items.compactMap { $0["path"]?.text }
    guard root["outputs"]?.kind == .array, paths.count == items.count,
      paths.allSatisfy(ArchiveListing.isPlain)
    else {
      throw Failure(.corrupt, doing: doing, path: path, why: "its list of outputs is invalid")
    }
    return (kinds[0], paths + kinds[0].beside)
  }

  /// Number of first bytes of a manifest that identify its kind.
  private static let opening = 256
}
