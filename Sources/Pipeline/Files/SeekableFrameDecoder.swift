/// Decompresses the frames of ``FrameFile``s one by one, and says of those that are not as they
/// should be what is wrong with them. For one thread at a time.
package struct SeekableFrameDecoder: ~Copyable {
  /// Longest frame that should be read, in bytes of the file: what a full frame of text that does
  /// not compress takes.
  package static var longestFrame: Int { SeekTable.maxFrameContent + 8 << 20 }
  /// The largest window of a frame, as a power of two: that of the longest content.
  private static let windowLog = 30

  private let decoder: ZstdDecompressor

  /// - Throws: `io`, when there is no memory.
  package init() throws(Failure) {
    decoder = try ZstdDecompressor()
  }

  /// Compares the headers of `frame`, which should be one whole frame, with what the table says at
  /// `place`. Complexity: O(blocks of the frame); nothing is decompressed.
  ///
  /// - Returns: what is otherwise, in words to stand behind "it …"; nil when nothing is.
  package static func mismatch(of frame: ByteView, at place: SeekTable.Frame) -> String? {
    let limits = ZstdFrameExtent.Limits(
      compressed: frame.count, content: SeekTable.maxFrameContent, windowLog: windowLog)
    guard
      case .whole(let compressed, let content, let isSkippable) = ZstdFrameExtent.of(
        frame, within: limits), !isSkippable
    else { return "is no whole zstd frame of known length" }
    if compressed == frame.count, content == place.decompressed { return nil }
    return "has \(compressed) bytes for \(content) bytes of text; the seek table says "
      + "\(place.compressed) for \(place.decompressed)"
  }

  /// Appends the content of `frame`, which should be one whole frame, as the table says at `place`.
  ///
  /// - Returns: why not, in words to stand behind "it …"; nil when it is what the table says. Then
  ///   its checksum, if it has one, is right, too.
  package func decode(
    _ frame: ByteView, at place: SeekTable.Frame, into text: inout ByteBuffer
  ) -> String? {
    if let mismatch = SeekableFrameDecoder.mismatch(of: frame, at: place) { return mismatch }
    return decoder.decode(frame, content: place.decompressed, into: &text)
      ? nil : "is damaged: it cannot be decompressed, or its checksum is wrong"
  }
}
