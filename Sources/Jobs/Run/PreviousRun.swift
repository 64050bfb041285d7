import Pipeline
import Stages

/// The output of an earlier run whose state this one goes on from (`--previous`).
struct PreviousRun {
  static let doing = PreviousSnapshot.doing

  /// A file of it, as the manifest lists it.
  struct Part {
    let path: String
    let bytes: Int
    let hash: UInt64
  }

  /// What the output was made of.
  let manifest: ManifestFile
  let system: System
  /// The state's parts, in their order.
  let parts: [Part]
  private let profiles: [Part]
  /// The indexes of the parts.
  private let indexes: [Part]
  /// What the state knows beside its keys.
  private let totals: Part

  /// Opens the output in the directory `path`. A file of it has to be there when it is read, and no
  /// sooner: a task of many may have brought those only that it needs.
  ///
  /// - Throws: `usage` when the directory is no output; `corrupt` when it is one of another format,
  ///   or its manifest is damaged.
  init(_ path: String, system: System = .real) throws(Failure) {
    self.system = system
    let manifest = try ManifestFile(path, doing: PreviousRun.doing, system: system)
    self.manifest = manifest
    if let problem = manifest.formatProblem {
      throw Failure(
        .corrupt, doing: PreviousRun.doing, path: path, why: problem,
        advice: "use the version of eventmill that wrote it, or make the chain again from its logs")
    }
    let partitions = manifest.option("partitions")?.int ?? 0
    func part(_ name: String) throws(Failure) -> Part {
      guard 1...max(1, manifest.files.count) ~= partitions, let file = manifest[name] else {
        throw Failure(
          .corrupt, doing: PreviousRun.doing, path: path, why: "its manifest lists no whole state",
          advice: "name the whole output of an earlier run")
      }
      return Part(path: "\(path)/\(file.path)", bytes: file.bytes, hash: file.xxh64)
    }
    func parts(_ name: (Int) -> String) throws(Failure) -> [Part] {
      try (0..<partitions).map { number throws(Failure) in try part(name(number)) }
    }
    totals = try part(RunFiles.totals)
    self.parts = try parts { RunFiles.part($0, of: partitions, in: RunFiles.state) }
    profiles = try parts { RunFiles.part($0, of: partitions, in: RunFiles.profiles) }
    indexes = try parts { RunFiles.index($0, of: partitions) }
  }

  private static func checkSize(_ part: Part, _ system: System) throws(Failure) {
    let size = try system.statusIfAny(of: part.path, doing: doing)?.size
    guard size == part.bytes else {
      throw damaged(
        part.path,
        size.map { "it has \($0) bytes, its manifest says \(part.bytes)" }
          ?? "it is missing or cannot be read")
    }
  }

  /// The hashes of the state's files, in their order: what the manifest of the next run names.
  var stateHashes: [UInt64] { parts.map(\.hash) + [totals.hash] }

  static func damaged(_ path: String, _ why: String) -> Failure {
    Failure(
      .corrupt, doing: doing, path: path, why: why,
      advice: "restore it from a copy, or begin without --previous")
  }

  /// Whether what a run with these options does not change is what stands there: only then it is
  /// copied instead of rendered.
  func isCopyable(by options: RunOptions, _ tool: ToolVersion) -> Bool {
    manifest.tool == (tool.version, tool.zstd)
      && RunOptions.texts { options.write(.copies, to: &$0) }
        .allSatisfy(manifest.optionTexts.contains)
      && parts.count == options.snapshot.partitions
  }

  /// What the state knows beside its keys.
  ///
  /// - Throws: `corrupt`, `io`.
  func readTotals(_ names: RunNames) throws(Failure) -> StateTotals {
    try PreviousRun.check(totals, system)
    return try StateTotals(
      reading: totals.path, doing: PreviousRun.doing, names: names, system: system)
  }

  /// Opens what is copied from, after it was compared with the manifest: the parts `partitions`, or
  /// all.
  ///
  /// - Throws: `corrupt` for files that do not fit the manifest or each other; `io`.
  func snapshot(
    _ partitions: Range<Int>, jobs: Int
  ) throws(Failure) -> PreviousSnapshot {
    let files = Array(parts[partitions] + profiles[partitions] + indexes[partitions])
    let system = system
    let checked = ThreadPool.shared.map(min(jobs, files.count)) { job in
      Result { () throws(Failure) in
        for index in stride(from: job, to: files.count, by: min(jobs, files.count)) {
          try PreviousRun.check(files[index], system)
        }
      }
    }
    for result in checked { try result.get() }
    var opened: [Int: SortedRun] = [:]
    for partition in partitions {
      opened[partition] = try open(partition)
    }
    return PreviousSnapshot(parts: opened)
  }

  /// Opens a part, of which no more than the length was compared with the manifest.
  ///
  /// - Throws: `corrupt`, `io`.
  func open(_ partition: Int) throws(Failure) -> SortedRun {
    for files in [parts, profiles, indexes] {
      try PreviousRun.checkSize(files[partition], system)
    }
    return try SortedRun(
      state: parts[partition].path, profiles: profiles[partition].path,
      index: indexes[partition].path, partition: partition, partitions: parts.count,
      system: system)
  }

  private static func check(_ part: Part, _ system: System) throws(Failure) {
    try checkSize(part, system)
    let file = try PositionedFile(part.path, doing: doing, system: system)
    guard file.size == part.bytes, try file.hash() == part.hash else {
      throw damaged(part.path, "its content is not what its manifest says")
    }
  }
}
