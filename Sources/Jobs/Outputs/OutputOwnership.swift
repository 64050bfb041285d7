package import Pipeline

/// The directories that this program owns, and the files in them
/// (`docs/reference/file-formats.md`): in a published directory those that its manifest lists and
/// those always beside them; in a hidden one, in which such a directory is made, the files that
/// jobs write.
extension Ownership {
  private static let doing = "inspecting the output"

  static func of(_ kind: OutputKind) -> Ownership {
    Ownership(
      published: { path, system throws(Failure) in
        try OwnFiles(published: kind, at: path, doing: doing, system: system)
      }, hidden: hidden, isOutput: isOutput)
  }

  /// For the directory of the merged partitions `names`; with `replaces` also of an output.
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

  /// For directories of synthetic logs.
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

  /// For the working directory of a benchmark, which is never published.
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
    // The files of a replaced output: the run died before it had removed them.
    let earlier = try? OwnFiles(published: nil, at: path, doing: doing, system: system)
    var own = earlier ?? OwnFiles([])
    own.add(OwnFiles([], templates: RunFiles.templates + RunFiles.ofPartitions))
    own.refusal = nil
    own.mark = RunFiles.manifest
    return own
  }

  /// Whether the directory is one that this program publishes. An inaccessible one is not.
  static let isOutput: @Sendable (String, System) throws(Failure) -> Bool = { path, system in
    (try? Manifest.kind(of: path, doing: doing, system: system)) != nil
  }
}

extension OwnFiles {
  /// The files of the published directory `path`, which has a manifest of that `kind`, or of any
  /// kind, by their paths after `prefix`; none, with the reason, if it is not such a directory.
  init(
    published kind: OutputKind?, at path: String, below prefix: String = "", doing: String,
    system: System
  ) throws(Failure) {
    let manifest: (kind: OutputKind, paths: [String])?
    do throws(Failure) {
      manifest = try Manifest.listed(in: path, doing: doing, system: system)
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

/// The file of `generate` beside its logs: the command line, and the list of files.
package enum GeneratedLogs {
  package static let mark = "generated.txt"
  package static let opening = "Synthetic logs, made by:\n"
  package static let list = "Files:\n"

  /// The files that are made, before they are listed.
  fileprivate static let templates =
    [mark]
    + ["app-00.ndjson.zst", "app-01.ndjson.zst", "app-02.ndjson", "redelivered.ndjson.zst"]
    .map { "night-#/\($0)" }

  private static let longest = 64 << 20

  /// The own files of the directory `path`; nil when it has no list of them.
  fileprivate static func files(
    in path: String, doing: String, system: System
  ) throws(Failure) -> OwnFiles? {
    let path = "\(path)/\(mark)"
    guard try system.statusIfAny(of: path, doing: doing)?.kind == .regular else { return nil }
    let file = try PositionedFile(path, doing: doing, system: system)
    var bytes = ByteBuffer()
    try file.read(0..<min(longest, file.size), into: &bytes)
    let text = bytes.view.text
    guard text.hasPrefix(opening) else { return nil }
    let lines = text.split(separator: "\n")
    guard let start = lines.firstIndex(of: list.dropLast()) else { return nil }
    var own = OwnFiles(lines[(start + 1)...].map(String.init) + [mark])
    own.mark = mark
    return own
  }
}
