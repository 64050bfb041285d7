import Pipeline
import Stages

/// A merged partition, as ``MergeJob`` has written it.
struct PartitionDirectory {
  private static let doing = "reading the partition"

  let path: String
  let manifest: ManifestFile
  let partition: Int
  /// How many partitions there are.
  let partitions: Int
  let tally: PartitionTally
  private let system: System

  /// Opens the partition in the directory `path`.
  ///
  /// - Throws: `usage` when it is none; `corrupt` when it is damaged or files of it are missing;
  ///   `io`.
  init(_ path: String, system: System) throws(Failure) {
    self.path = path
    self.system = system
    manifest = try ManifestFile(
      path, kind: .partition, doing: Self.doing, system: system)
    let document = try JSONDocument(
      reading: "\(path)/\(RunFiles.tally)", doing: Self.doing, system: system)
    do throws(FactsDamage) {
      tally = try PartitionTally(document.root)
    } catch {
      throw PartialDirectory.damaged("\(path)/\(RunFiles.tally)", error.why)
    }
    partition = tally.partition
    partitions = manifest.option("partitions")?.int ?? 0
    guard 1...StateHeader.maximumPartitions ~= partitions, 0..<partitions ~= partition else {
      throw PartialDirectory.damaged(
        path, "there is no partition \(partition) of \(partitions)")
    }
    try check(RunFiles.tally)
  }

  /// What all partitions of one run have in common.
  var identity: [String] {
    let facts = manifest.files.first { $0.path == RunFiles.facts }
    return manifest.optionTexts + [manifest.tool.version, manifest.tool.zstd]
      + manifest.previousState.map { XXH64.text($0) }
      + [XXH64.text(facts?.xxh64 ?? 0)]
  }

  /// The facts of all partials.
  ///
  /// - Throws: `corrupt`, `io`.
  func facts() throws(Failure) -> PartialFacts {
    let file = try check(RunFiles.facts)
    let document = try JSONDocument(reading: file.path, doing: Self.doing, system: system)
    do throws(FactsDamage) {
      return try PartialFacts(document.root)
    } catch {
      throw PartialDirectory.damaged(file.path, error.why)
    }
  }

  /// The parts of state and profiles.
  ///
  /// - Throws: `corrupt`, `io`.
  func part(jobs: Int) throws(Failure) -> PreviousPart {
    try PreviousPart(
      state: try check(RunFiles.part(partition, of: partitions, in: RunFiles.state)).path,
      profiles: try check(RunFiles.part(partition, of: partitions, in: RunFiles.profiles)).path,
      index: try check(RunFiles.index(partition, of: partitions)).path,
      partition: partition, partitions: partitions, jobs: jobs, system: system)
  }

  /// The people whose profiles are not final; nil when all are.
  ///
  /// - Throws: `corrupt`, `io`.
  func persons() throws(Failure) -> DirtyPersonFilter? {
    guard manifest.files.contains(where: { $0.path == RunFiles.persons }) else { return nil }
    let file = try check(RunFiles.persons)
    var text = ByteBuffer()
    try FrameFileReader().decode(
      0..<file.size, of: file, content: 8 * DirtyPersonFilter.usualWords, frame: 0, into: &text)
    guard let persons = DirtyPersonFilter(text.view) else {
      throw file.damaged("it has another length than such a filter")
    }
    return persons
  }

  /// What the state that the run goes on from knows beside its keys; nil when there was no such
  /// state.
  ///
  /// - Throws: `corrupt`, `io`.
  func previousTotals(_ names: RunNames) throws(Failure) -> StateTotals? {
    guard manifest.files.contains(where: { $0.path == RunFiles.previousTotals }) else { return nil }
    let path = try check(RunFiles.previousTotals).path
    return try StateTotals(reading: path, doing: Self.doing, names: names, system: system)
  }

  /// The rejects of all partials, if it is the partition that has them.
  ///
  /// - Throws: `corrupt`, `io`.
  func rejects() throws(Failure) -> FrameFile {
    try FrameFile(try check(RunFiles.rejects).path, doing: Self.doing, system: system)
  }

  @discardableResult
  private func check(_ name: String) throws(Failure) -> PositionedFile {
    try manifest.open(name, in: path, doing: Self.doing, system)
  }
}
