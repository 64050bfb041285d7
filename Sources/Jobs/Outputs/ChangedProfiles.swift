import Pipeline
import Stages

extension SnapshotPublisher {
  /// Writes the changes of a finished part by comparing it with `previous`, whose profiles are not
  /// at hand and whose number of parts may differ. Returns what they count.
  func writeChanges(_ partition: Int, after previous: Output) throws(Failure) -> ProfileCounts {
    let (partitions, stitch) = (options.snapshot.partitions, options.snapshot.stitch)
    let new = try SortedRun(partition, of: partitions, in: staging.folder)
    let writer = try ChangeWriter(
      partition, of: partitions, stitch, in: staging.folder, level: options.publish.level)
    // Keys of this part are in those with the same remainder by the greatest common divisor.
    var (step, rest) = (previous.partitions, partitions)
    while rest != 0 { (step, rest) = (rest, step % rest) }
    let earlier = try stride(from: partition % step, to: previous.partitions, by: step)
      .map { number throws(Failure) in try previous.part(number) }
    var walk = try ProfileWalk(earlier, [new])
    let states = try RunCursor(names: RunNames())
    var counts = ProfileCounts()
    while let difference = try walk.next() {
      try control.check()
      guard let key = walk.key,
        KeyHash.partition(XXH64.hash(key), of: partitions) == partition
      else { continue }
      try writer.append(difference, of: key, states, in: new)
      switch difference {
      case (nil, _): counts.added += 1
      case (_, nil): counts.gone += 1
      default: counts.changed += 1
      }
    }
    try writer.finish()
    return counts
  }
}

/// The changes of a part that was published before.
struct PublishedChanges {
  let file: FrameFile
  let lines: Int
}

/// Writes the changes of a finished part into a file of their own. One thread at a time.
final class ChangeWriter {
  private let stitch: Stitch
  private let writer: SeekableTextWriter
  private var text = ByteBuffer()
  private var name = ByteBuffer()

  init(
    _ partition: Int, of partitions: Int, _ stitch: Stitch, in folder: StagedFolder, level: Int
  ) throws(Failure) {
    self.stitch = stitch
    writer = try SeekableTextWriter(
      folder.create(RunFiles.part(partition, of: partitions, in: RunFiles.changes)), level: level)
  }

  func append(_ change: ChangeLine) throws(Failure) {
    text.removeAll()
    change.append(to: &text)
    try writer.append(text.view)
  }

  /// Appends a difference of the profile of a key; `states` finds its state in the part `new`.
  func append(
    _ difference: ProfileWalk.Difference, of key: ByteView, _ states: RunCursor, in new: SortedRun
  ) throws(Failure) {
    if let line = difference.new {
      try append(ChangeLine(difference.old == nil ? .added : .changed, line: line))
    } else {
      try append(gone: key, if: states.find(key, in: new))
    }
  }

  /// Appends that the profile of a key is gone, unless an erasure has removed its `state`.
  func append(gone key: ByteView, if state: KeyState?) throws(Failure) {
    guard let state, state.isInProfile(stitch), let section = KeySection(of: key) else { return }
    try append(ChangeLine(gone: key, section, in: &name))
  }

  func finish() throws(Failure) { try writer.finish() }
}

extension SortedRun {
  /// The part that was just written into `folder`.
  convenience init(_ partition: Int, of partitions: Int, in folder: StagedFolder) throws(Failure) {
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }
    try self.init(
      state: path(RunFiles.part(partition, of: partitions, in: RunFiles.state)),
      profiles: path(RunFiles.part(partition, of: partitions, in: RunFiles.profiles)),
      index: path(RunFiles.index(partition, of: partitions)), partition: partition,
      partitions: partitions, system: folder.system)
  }
}
