import Pipeline

extension Manifest {
  /// The kind of a directory with a manifest.
  enum Kind: String, CaseIterable, Sendable {
    /// The output of a run.
    case output = "eventmill_output"
    /// The first half of a run.
    case partial = "eventmill_partial"
    /// Opt-outs collected for partials.
    case optOuts = "eventmill_opt_outs"
    /// One partition, merged.
    case partition = "eventmill_partition"
    /// Canonical logs.
    case migration = "eventmill_migration"
    /// Parts of rejects that were accepted.
    case redrive = "eventmill_redrive"
    /// The rejects and reports of a job with too many rejects.
    case rejected = "eventmill_rejected"
    /// Flat tables, made from an output.
    case export = "eventmill_export"

    /// The name in messages.
    var word: String {
      switch self {
      case .output: "output"
      case .partial: "partial"
      case .optOuts: "collection of opt-outs"
      case .partition: "partition"
      case .migration: "migration"
      case .redrive: "redrive"
      case .rejected: "directory of rejects"
      case .export: "export"
      }
    }

    /// The same, with its article.
    var article: String { self == .output || self == .export ? "an \(word)" : "a \(word)" }

    /// The files that are always beside those that the manifest lists.
    var beside: [String] {
      switch self {
      case .output, .rejected, .migration: [RunFiles.manifest] + RunFiles.reports
      case .redrive: [RunFiles.manifest, RunFiles.report]
      // Partials of versions before 8.
      case .partial, .optOuts: [RunFiles.manifest]
      case .partition: [RunFiles.manifest, RunFiles.nightBefore]
      // Written by users who run load.sql.
      case .export: [RunFiles.manifest] + ExportDocuments.loaded
      }
    }

    /// What to do when a directory is not of this kind.
    var advice: String {
      switch self {
      case .output: "name the directory that an earlier run published"
      case .partial: "name the directory that eventmill partial published"
      case .optOuts:
        "name the directory of the directories that eventmill partial --collect-opt-outs published"
      case .partition: "name directories that eventmill merge wrote to"
      case .migration: "name the directory that eventmill migrate published"
      case .redrive: "name the directory that eventmill redrive published"
      case .rejected: "name the directory that a job with too many rejects has left"
      case .export: "name the directory that eventmill export published"
      }
    }

    /// What to do when it is damaged.
    var repair: [String] {
      switch self {
      case .output: ["restore it from a copy", "start a new chain without --previous"]
      case .partial, .optOuts, .partition, .migration, .redrive, .rejected, .export:
        ["make it again", "restore it from a copy"]
      }
    }

    /// The last version without a hash at the end of its documents (``JSONWriter/sealed(_:)``), if
    /// it is still read.
    var unsealedVersion: Int? {
      switch self {
      case .migration, .redrive, .export: 1
      case .output, .partial, .optOuts, .partition, .rejected: nil
      }
    }

    /// The version that is written.
    var version: Int {
      switch self {
      case .output: Manifest.formatVersion
      case .partial, .partition: PartialFile.formatVersion
      case .optOuts: CollectedOptOuts.formatVersion
      case .migration: 2
      case .redrive: RedriveReport.formatVersion
      case .rejected: RejectedOutput.formatVersion
      case .export: ExportJob.formatVersion
      }
    }
  }
}

// MARK: - Detecting the kind

extension Manifest {
  /// The kind of the directory `output` according to its manifest; nil without one, or for an
  /// unknown beginning.
  ///
  /// - Throws: `io` when it cannot be read.
  static func kind(
    of output: String, doing: String, system: System = .real
  ) throws(Failure) -> Kind? {
    if try PartialFile(in: output, doing: doing, system: system) != nil { return .partial }
    let path = "\(output)/\(RunFiles.manifest)"
    guard try system.statusIfAny(of: path, doing: doing)?.kind == .regular else { return nil }
    let file = try PositionedFile(path, doing: doing, system: system)
    var beginning = ByteBuffer(capacity: Manifest.opening)
    try file.read(0..<min(Manifest.opening, file.size), into: &beginning)
    return Kind.allCases.first { kind in
      let name = ByteBuffer(text: "\"\(kind.rawValue)\"")
      return beginning.view.contains(name.view)
    }
  }

  /// The kind of a directory with these names that has lost its manifest; nil where that cannot be
  /// seen.
  static func unlistedKind(of names: [String]) -> Kind? {
    if names.contains(RunFiles.countsJSON),
      names.contains(RunFiles.state) || names.contains(RunFiles.profiles)
    {
      return .output
    }
    return names.contains(ExportDocuments.schema) && names.contains(ExportDocuments.load)
      ? .export : nil
  }

  /// The kind, of any version, and the own files of the directory `output` according to its
  /// manifest; nil without one, or for the manifest of another program.
  ///
  /// - Throws: `corrupt`, when it is damaged; `io`.
  static func listed(
    in output: String, doing: String, system: System
  ) throws(Failure) -> (kind: Kind, paths: [String])? {
    if try PartialFile(in: output, doing: doing, system: system) != nil {
      return (.partial, [RunFiles.partial])
    }
    let path = "\(output)/\(RunFiles.manifest)"
    guard try system.statusIfAny(of: path, doing: doing)?.kind == .regular else { return nil }
    let root = try JSONDocument(reading: path, doing: doing, system: system).root
    let kinds = Kind.allCases.filter { kind in
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
