import Pipeline
import Stages

/// A published directory and its manifest. A file is compared with its entry when it is opened: a
/// parallel task may have fetched only some of them.
struct Output {
  static let doing = SortedRun.doing

  let path: String
  var manifest: Manifest
  private let doing: String
  let system: System

  /// Opens the directory `path`. That of a run must list a whole state.
  init(
    _ path: String, kind: OutputKind = .output, doing: String = Self.doing, system: System = .real
  ) throws(Failure) {
    let path = system.settled(path)
    (self.path, self.doing, self.system) = (path, doing, system)
    manifest = try Manifest(path, kind: kind, doing: doing, system: system)
    guard kind == .output else { return }
    guard partitions > 0 else {
      throw damaged(RunFiles.manifest, "it does not say of how many parts its state is")
    }
    let ofState = RunFiles.published(partitions: partitions, withDays: false, isChained: false)
      .filter { ![.text, .rejects].contains($0.content) }
    for file in ofState { _ = try listed(file.path) }
  }

  var partitions: Int { manifest.partitions ?? 0 }

  func damaged(_ file: String? = nil, _ why: String) -> Failure {
    manifest.kind.damaged(file.map { "\(path)/\($0)" } ?? path, why, doing: doing)
  }

  func listed(_ name: String) throws(Failure) -> WrittenFile {
    guard let file = manifest[name] else {
      throw damaged(RunFiles.manifest, "it does not list \(name)")
    }
    return file
  }

  /// The path of the file that `run` calls `name`, whose length is compared with its entry.
  private func path(of name: String) throws(Failure) -> String {
    let listed = try listed(name)
    let path = "\(path)/\(listed.path)"
    guard let size = try system.statusIfAny(of: path, doing: doing)?.size else {
      throw damaged(listed.path, "it is missing or cannot be read")
    }
    guard size == listed.bytes else {
      throw damaged(
        listed.path,
        "it has \(NumberFormat.count(size, "byte")), its manifest says "
          + NumberFormat.grouped(listed.bytes))
    }
    return path
  }

  /// Opens the file that `run` calls `name`, and compares all of it with its entry.
  func file(_ name: String) throws(Failure) -> PositionedFile {
    let (listed, path) = (try listed(name), try path(of: name))
    let file = try PositionedFile(path, doing: doing, system: system)
    guard try file.matches(listed) else {
      throw damaged(listed.path, "its content does not match its manifest")
    }
    return file
  }

  func document<Value: Document>(_ name: String, _ type: Value.Type) throws(Failure) -> Value {
    let file = try file(name)
    let root = try JSONDocument(reading: file, repair: manifest.kind.repair).root
    do throws(DocumentDamage) {
      return try Value(root)
    } catch { throw damaged(name, error.why) }
  }

  /// The hashes of the state's files, for the manifest of the next run.
  var stateHashes: [UInt64] {
    ((0..<partitions).map { RunFiles.part($0, of: partitions, in: RunFiles.state) }
      + [RunFiles.totals]).compactMap { manifest[$0]?.xxh64 }
  }

  /// The contents of the state besides its keys, in the file that `run` calls `name`.
  func totals(_ names: RunNames, in name: String = RunFiles.totals) throws(Failure) -> StateTotals {
    try StateTotals(reading: file(name).path, doing: doing, names: names, system: system)
  }

  /// A part of the state. Each of its frames is compared with its index when it is read.
  func part(_ number: Int) throws(Failure) -> SortedRun {
    func part(in folder: String) -> String { RunFiles.part(number, of: partitions, in: folder) }
    return try SortedRun(
      state: path(of: part(in: RunFiles.state)), profiles: path(of: part(in: RunFiles.profiles)),
      index: file(RunFiles.index(number, of: partitions)).path, partition: number,
      partitions: partitions, system: system)
  }

  func snapshot(_ numbers: Range<Int>) throws(Failure) -> [Int: SortedRun] {
    var parts: [Int: SortedRun] = [:]
    for number in numbers { parts[number] = try part(number) }
    return parts
  }

  /// Compares all frames of the parts with the manifest.
  func checkFrames(jobs: Int) throws(Failure) {
    let parts = try snapshot(0..<partitions)
    let checked = try CoreQueues(jobs).map(partitions) { number in
      Result { () throws(Failure) in try parts[number]?.checkFrames() }
    }
    for result in checked { try result.get() }
  }

  /// Whether unchanged keys have the same bytes in a run with these options, and can be copied.
  func isCopyable(by options: RunOptions, _ tool: ToolVersion) -> Bool {
    manifest.tool == tool.versions
      && options.recorded(.copies).texts.allSatisfy(manifest.options.texts.contains)
      && partitions == options.snapshot.partitions
  }
}

extension RunOptions {
  func openTracking(_ system: System) throws(Failure) -> TrackingPlan? {
    try tracking.map { path throws(Failure) in try TrackingPlan(reading: path, system: system) }
  }

  func openPrevious(_ system: System) throws(Failure) -> Output? {
    try merge.previous.map { path throws(Failure) in try Output(path, system: system) }
  }
}

extension PositionedFile {
  func matches(_ listed: WrittenFile) throws(Failure) -> Bool {
    guard size == listed.bytes else { return false }
    return try hash() == listed.xxh64
  }
}
