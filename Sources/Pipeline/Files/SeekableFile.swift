/// A file of independent zstd frames with a seek table at its end (docs/reference/file-formats.md):
/// any zstd tool reads it, and frames can be decoded in parallel.
///
/// Frames may be made in parallel; they are appended in order. One thread at a time.
package final class SeekableFile {
  private let file: OutputFile
  private var table = SeekTableWriter()

  /// A file without frames in `file`, which must be empty.
  package init(_ file: OutputFile) {
    precondition(file.bytes == 0, "a seek table describes a file from its beginning")
    self.file = file
  }

  package func append(
    _ frames: ArraySlice<WrittenFrame>, _ bytes: ByteView
  ) throws(Failure) {
    var lines = 0
    for frame in frames {
      table.append(compressed: frame.compressed, decompressed: frame.text)
      lines += frame.lines
    }
    try file.append(bytes, lines: lines)
  }

  /// Appends all frames of `source`, unchanged: `lines` lines. A frame does not contain its number
  /// of lines; only the sum is needed.
  /// - Throws: `io`.
  package func append(_ source: FrameFile, lines: Int) throws(Failure) {
    var bytes = ByteBuffer()
    for (index, frame) in source.frames.enumerated() {
      bytes.removeAll()
      try source.read(frame: index, into: &bytes)
      try append(frame: bytes.view, decompressed: frame.decompressed, lines: index == 0 ? lines : 0)
    }
  }

  /// Writes the seek table and closes the file.
  /// - Throws: `io`; then the content of the file is undefined.
  @discardableResult
  package func finish() throws(Failure) -> WrittenFile {
    try table.write { bytes throws(Failure) in try file.append(bytes) }
    return try file.finish()
  }
}
