import Pipeline
import Stages

/// The result of a step for a partition, as written by ``MergeJob``.
struct PartitionDirectory {
  private static let doing = "reading the partition"

  let path: String
  let manifest: Manifest
  /// Number of partitions.
  let partitions: Int
  let tally: PartitionTally
  private let system: System
  var step: MergeStep { tally.step }
  var partition: Int { tally.partition }

  /// Opens the partition in the directory `path`.
  ///
  /// - Throws: `usage` when it is not a partition; `corrupt` when it is damaged or files are
  ///   missing; `io`.
  init(_ path: String, system: System) throws(Failure) {
    self.path = path
    self.system = system
    manifest = try Manifest(
      path, kind: .partition, doing: Self.doing, system: system)
    let document = try JSONDocument(
      reading: "\(path)/\(RunFiles.tally)", doing: Self.doing, system: system)
    do throws(DocumentDamage) {
      tally = try PartitionTally(document.root, most: PartitionTally.mostCounted)
    } catch {
      throw PartialDirectory.damaged("\(path)/\(RunFiles.tally)", error.why)
    }
    partitions = manifest.options["partitions"]?.int ?? 0
    guard 1...StateHeader.maximumPartitions ~= partitions, 0..<partitions ~= tally.partition else {
      throw PartialDirectory.damaged(
        path, "partition \(tally.partition) of \(partitions) does not exist")
    }
    try check(RunFiles.tally)
  }

  /// Checks that this program has made it.
  ///
  /// - Throws: `usage`.
  func check(_ tool: ToolVersion) throws(Failure) { try manifest.check(tool, path: path) }

  /// The facts of all partials.
  ///
  /// - Throws: `corrupt`, `io`.
  func facts() throws(Failure) -> PartialFacts {
    let file = try check(RunFiles.facts)
    let document = try JSONDocument(reading: file, repair: OutputKind.partition.repair)
    do throws(DocumentDamage) {
      return try PartialFacts(document.root)
    } catch {
      throw PartialDirectory.damaged(file.path, error.why)
    }
  }

  /// The parts of state and profiles.
  ///
  /// - Throws: `corrupt`, `io`.
  func part() throws(Failure) -> SortedRun {
    try SortedRun(
      state: try check(RunFiles.part(partition, of: partitions, in: RunFiles.state)).path,
      profiles: try check(RunFiles.part(partition, of: partitions, in: RunFiles.profiles)).path,
      index: try check(RunFiles.index(partition, of: partitions)).path,
      partition: partition, partitions: partitions, system: system)
  }

  /// The people whose profiles may have changed; nil when that does not matter.
  ///
  /// - Throws: `corrupt`, `io`.
  func persons() throws(Failure) -> DirtyPersonFilter? {
    guard manifest[RunFiles.persons] != nil else { return nil }
    let file = try check(RunFiles.persons)
    var bytes = ByteBuffer()
    try file.read(0..<min(file.size, DirtyPersonFilter.longest), into: &bytes)
    guard file.size <= DirtyPersonFilter.longest, let persons = DirtyPersonFilter(bytes.view) else {
      throw file.damaged("its length is not that of such a filter")
    }
    return persons
  }

  /// The totals of the state that the run continues; nil without one.
  ///
  /// - Throws: `corrupt`, `io`.
  func previousTotals(_ names: RunNames) throws(Failure) -> StateTotals? {
    guard manifest[RunFiles.previousTotals] != nil else { return nil }
    let path = try check(RunFiles.previousTotals).path
    return try StateTotals(reading: path, doing: Self.doing, names: names, system: system)
  }

  /// The installations for the partition number `people`; nil when there are none.
  ///
  /// - Throws: `corrupt`, `io`.
  func members(for people: Int) throws(Failure) -> SortedRun? {
    let name = RunFiles.members(people, of: partitions)
    guard manifest[name] != nil else { return nil }
    return try SortedRun(
      spill: check(name), partitions: partitions, .memberships, system: system)
  }

  /// The rejects of all partials, if this partition has them.
  ///
  /// - Throws: `corrupt`, `io`.
  func rejects() throws(Failure) -> FrameFile {
    try FrameFile(check(RunFiles.rejects))
  }

  /// The files of the finished part.
  var published: [WrittenFile] {
    manifest.files.filter { file in
      [RunFiles.profiles, RunFiles.state].contains { file.path.hasPrefix("\($0)/") }
    }
  }

  @discardableResult
  private func check(_ name: String) throws(Failure) -> PositionedFile {
    try manifest.open(name, in: path, doing: Self.doing, system)
  }
}
