import Pipeline
import Stages

/// Writes the changes of a part by comparing its profiles with those of the previous output: for a
/// run that renders all of them again, and so has none of the earlier ones at hand.
struct ChangedProfiles {
  private let previous: Output
  private let partition: Int
  private let partitions: Int
  private let stitch: Stitch
  private let control: JobControl

  /// The changes of a part of an output of `partitions` parts after `previous`, which may have
  /// another number of them.
  init(
    after previous: Output, _ partition: Int, of partitions: Int, _ stitch: Stitch,
    control: JobControl
  ) {
    (self.previous, self.partition, self.partitions) = (previous, partition, partitions)
    (self.stitch, self.control) = (stitch, control)
  }

  /// Writes the file into `folder`, which has the part, and returns what it counts.
  /// - Throws: `corrupt`, `io`; the failure that the job was cancelled with.
  func write(to folder: StagedFolder, level: Int) throws(Failure) -> ProfileCounts {
    let new = try SortedRun(partition, of: partitions, in: folder)
    let writer = try ChangeWriter(partition, of: partitions, stitch, in: folder, level: level)
    var walk = try ProfileWalk(earlierParts(), [new])
    let states = try RunCursor(names: RunNames())
    var counts = ProfileCounts()
    while let (before, after) = try walk.next() {
      try control.check()
      guard let key = walk.key,
        KeyHash.partition(XXH64.hash(key), of: partitions) == partition
      else { continue }
      if let after {
        try writer.append(ChangeLine(before == nil ? .added : .changed, line: after))
        if before == nil { counts.added += 1 } else { counts.changed += 1 }
      } else {
        try writer.append(gone: key, if: states.find(key, in: new))
        counts.gone += 1
      }
    }
    try writer.finish()
    return counts
  }

  /// The earlier parts that may have keys of this one: those with the same remainder by the
  /// greatest common divisor of the numbers of parts.
  private func earlierParts() throws(Failure) -> [SortedRun] {
    var (step, rest) = (previous.partitions, partitions)
    while rest != 0 { (step, rest) = (rest, step % rest) }
    return try stride(from: partition % step, to: previous.partitions, by: step)
      .map { number throws(Failure) in try previous.part(number) }
  }
}

/// The changes of a part that was published before.
struct PublishedChanges {
  let file: FrameFile
  let lines: Int
}

/// Writes the lines of changes of a part that is finished into a file of their own. One thread at a
/// time.
final class ChangeWriter {
  private let stitch: Stitch
  private let writer: SeekableTextWriter
  private var text = ByteBuffer()
  private var name = ByteBuffer()

  /// A writer of the changes of part number `partition` of `partitions` in `folder`.
  /// - Throws: `io`.
  init(
    _ partition: Int, of partitions: Int, _ stitch: Stitch, in folder: StagedFolder, level: Int
  ) throws(Failure) {
    self.stitch = stitch
    writer = try SeekableTextWriter(
      folder.create(RunFiles.part(partition, of: partitions, in: RunFiles.changes)), level: level)
  }

  /// - Throws: `io`.
  func append(_ change: ChangeLine) throws(Failure) {
    text.removeAll()
    change.append(to: &text)
    try writer.append(text.view)
  }

  /// Appends that the profile of a key is gone, unless an erasure has removed its `state`.
  /// - Throws: `io`.
  func append(gone key: ByteView, if state: KeyState?) throws(Failure) {
    guard let state, state.isInProfile(stitch), let section = KeySection(of: key) else { return }
    try append(ChangeLine(gone: key, section, in: &name))
  }

  /// - Throws: `io`.
  func finish() throws(Failure) { try writer.finish() }
}

extension SortedRun {
  /// Part number `partition` of `partitions`, as it was just written into `folder`.
  /// - Throws: `corrupt`, `io`.
  convenience init(_ partition: Int, of partitions: Int, in folder: StagedFolder) throws(Failure) {
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }
    try self.init(
      state: path(RunFiles.part(partition, of: partitions, in: RunFiles.state)),
      profiles: path(RunFiles.part(partition, of: partitions, in: RunFiles.profiles)),
      index: path(RunFiles.index(partition, of: partitions)), partition: partition,
      partitions: partitions, system: folder.system)
  }
}
