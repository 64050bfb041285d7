package import Pipeline

/// Writes keys, sorted by partition, section and key, into a file that can be read from any block
/// on (a *spill*): data that does not fit into memory, and data that partial runs hand over.
///
/// ```
/// frame │ frame │ … │ index, a frame │ seek table
/// ```
/// One thread at a time.
package final class RunWriter {
  private let file: SeekableFile
  private let encoders: SnapshotEncoders
  private let names: NameLists?
  private var frames = SnapshotFrames(.spill)
  private var index = ByteBuffer()
  private var position: (Int, KeySection)?

  /// A writer to `file`, which must be empty, of records whose names are in `names`; without these
  /// only this process can read it.
  package init(_ file: OutputFile, level: Int, names: NameLists? = nil) throws(Failure) {
    encoders = try SnapshotEncoders(level: level)
    self.file = SeekableFile(file)
    self.names = names
  }

  /// Appends the state of a key of `section`, whose text has the hash `hash`.
  func append(
    _ state: KeyState, section: KeySection, hash: UInt64, partition: Int
  ) throws(Failure) {
    if position.map({ $0 != (partition, section) }) ?? false { try frames.cut(encoders) }
    position = (partition, section)
    try frames.begin(state.key, hash, encoders)
    frames.state.append(state, names: names)
    guard frames.state.frames.hasFinished else { return }
    try append(frames)
    frames.removeFinished()
  }

  /// Appends the result of a lane.
  package func take(_ unit: SnapshotUnit) throws(Failure) { try append(unit.frames) }

  private func append(_ frames: borrowing SnapshotFrames) throws(Failure) {
    try frames.state.frames.append(to: file)
    index.append(frames.index.entries.view)
  }

  /// Writes the last frame and the index, and closes the file.
  /// - Throws: `io`; `limit`, when the index is too long. Then the file's content is undefined.
  @discardableResult
  package func finish() throws(Failure) -> WrittenFile {
    try frames.cut(encoders)
    try append(frames)
    try FrameText.check(index.count, isIndex: true)
    var frame = ByteBuffer()
    try encoders.profiles.compress(index.view, into: &frame)
    try file.append(frame: frame.view, decompressed: index.count, lines: 0)
    return try file.finish()
  }
}
