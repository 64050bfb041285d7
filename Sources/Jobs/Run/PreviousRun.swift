import Pipeline
import Stages

/// The output of an earlier run whose state this one continues (`--previous`).
struct PreviousRun {
  static let doing = PreviousSnapshot.doing

  /// A file of it, as the manifest lists it.
  struct Part {
    let path: String
    let bytes: Int
    let hash: UInt64
  }

  /// The manifest of the output.
  let manifest: Manifest
  let system: System
  /// The parts of the state, in order.
  let parts: [Part]
  private let profiles: [Part]
  /// The indexes of the parts.
  private let indexes: [Part]
  /// The file with the contents of the state besides its keys.
  private let totals: Part

  /// Opens the output in the directory `path`. Its files are only needed when they are read: a
  /// parallel task may have fetched only some of them.
  ///
  /// - Throws: `usage` when the directory is not an output; `corrupt` when its format is another
  ///   one or its manifest is damaged.
  init(_ path: String, system: System = .real) throws(Failure) {
    self.system = system
    let manifest = try Manifest(path, doing: PreviousRun.doing, system: system)
    self.manifest = manifest
    if let problem = manifest.formatProblem {
      throw Failure(
        .corrupt, doing: PreviousRun.doing, path: path, why: problem,
        advice: "use the version of eventmill that wrote it, or make the chain again from its logs")
    }
    let partitions = manifest.partitions ?? 0
    func part(_ name: String) throws(Failure) -> Part {
      guard partitions > 0, let file = manifest[name] else {
        throw Failure(
          .corrupt, doing: PreviousRun.doing, path: path,
          why: "its manifest lists an incomplete state",
          advice: "name the complete output of an earlier run")
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
        size.map {
          "it has \(NumberFormat.count($0, "byte")), its manifest says \(NumberFormat.grouped(part.bytes))"
        }
          ?? "it is missing or cannot be read")
    }
  }

  /// The hashes of the state's files, in order, for the manifest of the next run.
  var stateHashes: [UInt64] { parts.map(\.hash) + [totals.hash] }

  static func damaged(_ path: String, _ why: String) -> Failure {
    Failure(
      .corrupt, doing: doing, path: path, why: why,
      advice: OutputKind.output.repair)
  }

  /// Whether unchanged keys have the same bytes in a run with these options; only then they are
  /// copied instead of rendered.
  func isCopyable(by options: RunOptions, _ tool: ToolVersion) -> Bool {
    manifest.tool == tool.versions
      && options.recorded(.copies).texts.allSatisfy(manifest.options.texts.contains)
      && parts.count == options.snapshot.partitions
  }

  /// Reads the contents of the state besides its keys.
  ///
  /// - Throws: `corrupt`, `io`.
  func readTotals(_ names: RunNames) throws(Failure) -> StateTotals {
    try PreviousRun.check(totals, system)
    return try StateTotals(
      reading: totals.path, doing: PreviousRun.doing, names: names, system: system)
  }

  /// Opens the parts `partitions`, or all, to copy from, after comparing them with the manifest.
  ///
  /// - Throws: `corrupt` for files that do not match the manifest or each other; `io`.
  func snapshot(
    _ partitions: Range<Int>, jobs: Int
  ) throws(Failure) -> PreviousSnapshot {
    let files = Array(parts[partitions] + profiles[partitions] + indexes[partitions])
    let system = system
    let checked = try CoreQueues(jobs).map(files.count) { index in
      Result { () throws(Failure) in try PreviousRun.check(files[index], system) }
    }
    for result in checked { try result.get() }
    var opened: [Int: SortedRun] = [:]
    for partition in partitions {
      opened[partition] = try open(partition)
    }
    return PreviousSnapshot(parts: opened)
  }

  /// Opens a part; only its length is compared with the manifest.
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
      throw damaged(part.path, "its content does not match its manifest")
    }
  }
}
