import Pipeline
import Stages

/// A published directory, opened: its manifest, and the files that this lists. A file is compared
/// with its entry when it is opened: a parallel task may have fetched only some of them.
struct Output {
  static let doing = SortedRun.doing

  let path: String
  let manifest: Manifest
  private let doing: String
  let system: System

  /// Opens the directory `path`, which must be of the kind `kind`. That of a run must list a whole
  /// state.
  ///
  /// - Throws: `usage` when the directory is of another kind; `corrupt` when its format is another
  ///   one or its manifest is damaged.
  init(
    _ path: String, kind: OutputKind = .output, doing: String = Self.doing, system: System = .real
  ) throws(Failure) {
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

  /// Number of partitions; 0 when its manifest does not say.
  var partitions: Int { manifest.partitions ?? 0 }

  /// The failure for damage of the directory, or of a file in it.
  func damaged(_ file: String? = nil, _ why: String) -> Failure {
    manifest.kind.damaged(file.map { "\(path)/\($0)" } ?? path, why, doing: doing)
  }

  /// The entry of the file that `run` calls `name`.
  ///
  /// - Throws: `corrupt`, when the manifest lists none.
  func listed(_ name: String) throws(Failure) -> WrittenFile {
    guard let file = manifest[name] else {
      throw damaged(RunFiles.manifest, "it does not list \(name)")
    }
    return file
  }

  /// The file that `run` calls `name`.
  ///
  /// - Throws: `corrupt`, when it is not what the manifest lists; `io`.
  func file(_ name: String) throws(Failure) -> PositionedFile { try entry(name).open() }

  private func entry(_ name: String) throws(Failure) -> Entry {
    let listed = try listed(name)
    return Entry(
      path: "\(path)/\(listed.path)", listed: listed, kind: manifest.kind, doing: doing,
      system: system)
  }

  /// A file that is listed.
  private struct Entry: Sendable {
    let path: String
    let listed: WrittenFile
    let kind: OutputKind
    let doing: String
    let system: System

    /// Compares the length only.
    func checkLength() throws(Failure) {
      guard let size = try system.statusIfAny(of: path, doing: doing)?.size else {
        throw kind.damaged(path, "it is missing or cannot be read", doing: doing)
      }
      guard size == listed.bytes else {
        let bytes = NumberFormat.count(size, "byte")
        throw kind.damaged(
          path, "it has \(bytes), its manifest says \(NumberFormat.grouped(listed.bytes))",
          doing: doing)
      }
    }

    /// Opens the file, and compares all of it.
    func open() throws(Failure) -> PositionedFile {
      try checkLength()
      let file = try PositionedFile(path, doing: doing, system: system)
      guard try file.matches(listed) else {
        throw kind.damaged(path, "its content does not match its manifest", doing: doing)
      }
      return file
    }
  }

  /// The document `name`.
  ///
  /// - Throws: `corrupt`, when it is not what the manifest lists, or is damaged; `io`.
  func document<Value: Document>(_ name: String, _ type: Value.Type) throws(Failure) -> Value {
    let file = try file(name)
    let root = try JSONDocument(reading: file, repair: manifest.kind.repair).root
    do throws(DocumentDamage) {
      return try Value(root)
    } catch {
      throw damaged(name, error.why)
    }
  }

  // MARK: - The state of a run, or a part of it

  /// The hashes of the state's files, in order, for the manifest of the next run.
  var stateHashes: [UInt64] {
    ((0..<partitions).map { RunFiles.part($0, of: partitions, in: RunFiles.state) }
      + [RunFiles.totals]).compactMap { manifest[$0]?.xxh64 }
  }

  /// The contents of the state besides its keys, in the file that `run` calls `name`.
  ///
  /// - Throws: `corrupt`, `io`.
  func totals(
    _ names: RunNames, in name: String = RunFiles.totals
  ) throws(Failure) -> StateTotals {
    try StateTotals(reading: file(name).path, doing: doing, names: names, system: system)
  }

  /// A part of the state, with its profiles and its index. Its index is compared with the manifest,
  /// and each frame with the index when it is read.
  ///
  /// - Throws: `corrupt`, when one is not what the manifest lists; `io`.
  func part(_ number: Int) throws(Failure) -> SortedRun {
    try Self.part(number, of: partitions, entries(of: number), system)
  }

  private static func part(
    _ number: Int, of partitions: Int, _ files: [Entry], _ system: System
  ) throws(Failure) -> SortedRun {
    for file in files[..<2] { try file.checkLength() }
    return try SortedRun(
      state: files[0].path, profiles: files[1].path, index: files[2].open().path,
      partition: number, partitions: partitions, system: system)
  }

  private func entries(of part: Int) throws(Failure) -> [Entry] {
    [
      try entry(RunFiles.part(part, of: partitions, in: RunFiles.state)),
      try entry(RunFiles.part(part, of: partitions, in: RunFiles.profiles)),
      try entry(RunFiles.index(part, of: partitions)),
    ]
  }

  /// Opens the parts `numbers` to copy from.
  ///
  /// - Throws: `corrupt` for files that do not match the manifest or each other; `io`.
  func snapshot(_ numbers: Range<Int>, jobs: Int) throws(Failure) -> [Int: SortedRun] {
    let files = try numbers.map(entries)
    let opened = try CoreQueues(jobs).map(files.count) {
      [first = numbers.lowerBound, partitions, system] index in
      Result { () throws(Failure) in
        try Self.part(first + index, of: partitions, files[index], system)
      }
    }
    var parts: [Int: SortedRun] = [:]
    for (number, part) in zip(numbers, opened) { parts[number] = try part.get() }
    return parts
  }

  /// Compares all frames of the parts with the manifest.
  ///
  /// - Throws: `corrupt` for those that do not match it; `io`.
  func checkFrames(jobs: Int) throws(Failure) {
    let parts = try snapshot(0..<partitions, jobs: jobs)
    let checked = try CoreQueues(jobs).map(partitions) { number in
      Result { () throws(Failure) in try parts[number]?.checkFrames() }
    }
    for result in checked { try result.get() }
  }

  /// Whether unchanged keys have the same bytes in a run with these options; only then they are
  /// copied instead of rendered.
  func isCopyable(by options: RunOptions, _ tool: ToolVersion) -> Bool {
    manifest.tool == tool.versions
      && options.recorded(.copies).texts.allSatisfy(manifest.options.texts.contains)
      && partitions == options.snapshot.partitions
  }
}

extension RunOptions {
  /// The output that is continued; nil for the first night.
  ///
  /// - Throws: as ``Output/init(_:kind:doing:system:)``.
  func openPrevious(_ system: System) throws(Failure) -> Output? {
    try merge.previous.map { path throws(Failure) in try Output(path, system: system) }
  }
}

extension PositionedFile {
  /// Whether the file is the one that a manifest lists.
  func matches(_ listed: WrittenFile) throws(Failure) -> Bool {
    guard size == listed.bytes else { return false }
    return try hash() == listed.xxh64
  }
}
