package import Pipeline

/// Which directories are this program's own, and which files in them
/// (`docs/reference/file-formats.md`).
///
/// Of a published directory these are the files that its manifest lists, and those that are always
/// beside them; of a hidden one, in which such a directory is made, what jobs write there.
extension Ownership {
  private static let doing = "looking at the output"

  /// Of directories with a manifest of that kind.
  static func of(_ kind: ManifestFile.Kind) -> Ownership {
    Ownership(
      published: { path, system throws(Failure) in
        try OwnFiles(published: kind, at: path, doing: doing, system: system)
      }, hidden: hidden, isOutput: isOutput)
  }

  /// Of the directory in which the merged partitions `names` are, which the output of them
  /// replaces; with `replaces` also of an earlier output.
  static func ofPartitions(_ names: [String], replaces: Bool) -> Ownership {
    Ownership(
      published: { path, system throws(Failure) in
        let manifest = "\(path)/\(RunFiles.manifest)"
        var own = OwnFiles([])
        if try system.statusIfAny(of: manifest, doing: doing) != nil {
          own = try OwnFiles(published: .output, at: path, doing: doing, system: system)
          if !replaces { own.refusal = own.refusal ?? "is a finished output" }
        }
        for name in names {
          let inner = try OwnFiles(
            published: .partition, at: "\(path)/\(name)", below: "\(name)/", doing: doing,
            system: system)
          own.add(inner)
        }
        return own
      }, hidden: hidden, isOutput: isOutput)
  }

  /// Of directories of synthetic logs.
  package static let generated = Ownership(
    published: { path, system throws(Failure) in
      try GeneratedLogs.files(in: path, doing: doing, system: system)
        ?? .none("is not a directory of synthetic logs")
    },
    hidden: { path, system in
      var own = OwnFiles([], templates: GeneratedLogs.templates)
      let listed = try? GeneratedLogs.files(in: path, doing: doing, system: system)
      if let listed { own.add(listed) }
      own.mark = GeneratedLogs.mark
      return own
    }, isOutput: isOutput)

  /// Of the directory in which a benchmark works, which is never published.
  package static let bench = Ownership(
    published: { _, _ in .none("is not a directory of eventmill") },
    hidden: { path, system in
      var own = OwnFiles([], templates: RunFiles.ofBenchmark)
      for job in RunFiles.benchmarked {
        let files = try? OwnFiles(
          published: nil, at: "\(path)/\(job)", below: "\(job)/", doing: doing, system: system)
        if let files { own.add(files) }
      }
      return own
    }, isOutput: isOutput)

  private static let hidden: @Sendable (String, System) -> OwnFiles = { path, system in
    // What an output held that was replaced: the run died before it had removed that.
    let earlier = try? OwnFiles(published: nil, at: path, doing: doing, system: system)
    var own = earlier ?? OwnFiles([])
    own.add(OwnFiles([], templates: RunFiles.templates + RunFiles.ofPartitions))
    own.refusal = nil
    own.mark = RunFiles.manifest
    return own
  }

  /// Whether the directory is one that this program publishes. One that may not be looked at is
  /// not.
  static let isOutput: @Sendable (String, System) throws(Failure) -> Bool = { path, system in
    (try? ManifestFile.kind(of: path, doing: doing, system: system)) != nil
  }
}

extension OwnFiles {
  /// The files of the output of a run in the directory `path`; none, with the reason, when it is
  /// something else.
  ///
  /// - Throws: `io`.
  init(ofOutput path: String, doing: String, system: System) throws(Failure) {
    try self.init(published: .output, at: path, doing: doing, system: system)
  }

  /// The files of the published directory `path`, which has a manifest of that `kind`, or of any
  /// kind, by their paths with `prefix` before them.
  ///
  /// - Returns: none, with the reason, when it is not such a directory.
  /// - Throws: `io`.
  fileprivate init(
    published kind: ManifestFile.Kind?, at path: String, below prefix: String = "", doing: String,
    system: System
  ) throws(Failure) {
    let manifest: (kind: ManifestFile.Kind, paths: [String])?
    do throws(Failure) {
      manifest = try ManifestFile.listed(in: path, doing: doing, system: system)
    } catch {
      guard error.kind == .corrupt else { throw error }
      self = .none("has a \(RunFiles.manifest) that is damaged: \(error.why)")
      return
    }
    guard let manifest else {
      self = .none("is not \(kind?.article ?? "a directory") of eventmill")
      return
    }
    if let kind, manifest.kind != kind {
      self = .none("is \(manifest.kind.article) of eventmill, not \(kind.article)")
      return
    }
    self.init(manifest.paths.map { prefix + $0 })
    mark = prefix + RunFiles.manifest
  }
}

/// What `generate` leaves beside its logs: how they were made, and which they are.
package enum GeneratedLogs {
  /// The file's name.
  package static let mark = "generated.txt"
  /// How it begins, and what stands before the list of files.
  package static let opening = "Synthetic logs, made by:\n"
  package static let list = "Files:\n"

  /// The files that are made, before they are listed.
  fileprivate static let templates =
    [mark]
    + ["app-00.ndjson.zst", "app-01.ndjson.zst", "app-02.ndjson", "redelivered.ndjson.zst"]
    .map { "night-#/\($0)" }
    + ["json", "ndjson", "ndjson.zst", "json.zst"].map { "#/q#.\($0)" }
    + ["crash", "import-crm", "retry"].map { "#/\($0).ndjson" }

  /// Longest text that is read, in bytes.
  private static let longest = 64 << 20

  /// The own files of the directory `path`; nil when it holds no list of them.
  fileprivate static func files(
    in path: String, doing: String, system: System
  ) throws(Failure) -> OwnFiles? {
    guard try isMarked(path, doing: doing, system: system) else { return nil }
    let text = try text(path, limit: longest, doing: doing, system: system)
    let lines = text.split(separator: "\n")
    guard let start = lines.firstIndex(of: list.dropLast()) else { return nil }
    var own = OwnFiles(lines[(start + 1)...].map(String.init) + [mark])
    own.mark = mark
    return own
  }

  /// Whether the directory `path` says that it holds synthetic logs.
  fileprivate static func isMarked(
    _ path: String, doing: String, system: System
  ) throws(Failure) -> Bool {
    guard try system.statusIfAny(of: "\(path)/\(mark)", doing: doing)?.kind == .regular else {
      return false
    }
    return try text(path, limit: opening.utf8.count, doing: doing, system: system) == opening
  }

  private static func text(
    _ path: String, limit: Int, doing: String, system: System
  ) throws(Failure) -> String {
    let file = try PositionedFile("\(path)/\(mark)", doing: doing, system: system)
    var bytes = ByteBuffer()
    try file.read(0..<min(limit, file.size), into: &bytes)
    return bytes.view.text
  }
}
