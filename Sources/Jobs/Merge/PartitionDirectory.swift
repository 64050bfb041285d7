import Pipeline
import Stages

/// The result of a step for a partition, as written by ``MergeJob``.
struct PartitionDirectory {
  let output: Output
  let tally: PartitionTally
  var path: String { output.path }
  var manifest: Manifest { output.manifest }
  var partitions: Int { output.partitions }
  var step: MergeStep { tally.step }
  var partition: Int { tally.partition }

  /// Opens the partition in the directory `path`.
  init(_ path: String, system: System) throws(Failure) {
    output = try Output(path, kind: .partition, doing: "reading the partition", system: system)
    tally = try output.document(RunFiles.tally, PartitionTally.self)
    guard 0..<partitions ~= partition else {
      throw output.damaged(nil, "partition \(partition) of \(partitions) does not exist")
    }
  }

  func facts() throws(Failure) -> PartialFacts {
    try output.document(RunFiles.facts, PartialFacts.self)
  }

  func part() throws(Failure) -> SortedRun { try output.part(partition) }

  /// The people whose profiles may have changed; nil when that does not matter.
  func persons() throws(Failure) -> DirtyPersonFilter? {
    guard manifest[RunFiles.persons] != nil else { return nil }
    let file = try output.file(RunFiles.persons)
    var bytes = ByteBuffer()
    try file.read(0..<min(file.size, DirtyPersonFilter.longest), into: &bytes)
    guard file.size <= DirtyPersonFilter.longest, let persons = DirtyPersonFilter(bytes.view) else {
      throw file.damaged("its length is not that of such a filter")
    }
    return persons
  }

  /// The totals of the state that the run continues; nil without one.
  func previousTotals(_ names: RunNames) throws(Failure) -> StateTotals? {
    guard manifest[RunFiles.previousTotals] != nil else { return nil }
    return try output.totals(names, in: RunFiles.previousTotals)
  }

  /// The installations for the partition number `people`; nil when there are none.
  func members(for people: Int) throws(Failure) -> SortedRun? {
    let name = RunFiles.members(people, of: partitions)
    guard manifest[name] != nil else { return nil }
    return try SortedRun(
      spill: output.file(name), partitions: partitions, .memberships, system: output.system)
  }

  /// The rejects of all partials, if this partition has them.
  func rejects() throws(Failure) -> FrameFile { try FrameFile(output.file(RunFiles.rejects)) }

  /// The changes of the part; nil if it continues no other one.
  func changes() throws(Failure) -> PublishedChanges? {
    let name = RunFiles.part(partition, of: partitions, in: RunFiles.changes)
    guard let listed = manifest[name] else { return nil }
    guard listed.lines <= UInt32.max else {
      throw output.damaged(RunFiles.manifest, "it says too many lines of \(name)")
    }
    return PublishedChanges(file: try FrameFile(output.file(name)), lines: listed.lines)
  }

  var published: [WrittenFile] { manifest.files.filter(RunFiles.isPart) }
}
