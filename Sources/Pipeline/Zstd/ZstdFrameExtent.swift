import CZstd

/// The extent of a frame according to its headers, before anything is decompressed.
enum ZstdFrameExtent: Equatable {
  /// The frame is complete; a skippable one has no content and no number.
  case whole(compressed: Int, content: Int, isSkippable: Bool)
  /// More bytes are needed to decide.
  case incomplete
  /// Not a frame that may be decompressed in one call: larger than the limits, of unknown length,
  /// with a window above the decoder's, or not a frame.
  case unsuited

  /// The limits of a frame that is decompressed in one call.
  struct Limits {
    /// Bytes in the file.
    let compressed: Int
    /// Bytes of content, according to the frame's header.
    let content: Int
    /// The largest window, as a power of two.
    let windowLog: Int
  }

  /// The extent of the frame that begins with `bytes`.
  ///
  /// Complexity: O(blocks of the frame); a block has up to 128 KiB of content.
  static func of(_ bytes: ByteView, within limits: Limits) -> ZstdFrameExtent {
    // Skippable frames have eight bytes at least, data frames nine.
    guard bytes.count >= 8 else { return .incomplete }
    let magic = bytes.word32(at: 0)
    guard ZstdMagic.opensFrame(magic) else { return .unsuited }
    let isSkippable = magic != ZstdMagic.dataFrame
    var content = 0
    if !isSkippable {
      guard let window = ZstdFrameHeader.windowSize(bytes), let size = Zstd.contentLength(bytes)
      else {
        return bytes.count < ZstdFrameHeader.longest ? .incomplete : .unsuited
      }
      guard size <= limits.content, window <= 1 << limits.windowLog else { return .unsuited }
      content = size
    }
    let result = Zstd.frameLength(bytes)
    guard ZSTD_isError(result) == 0 else {
      let mayGrow = bytes.count < limits.compressed
      return ZSTD_getErrorCode(result) == ZSTD_error_srcSize_wrong && mayGrow
        ? .incomplete : .unsuited
    }
    guard result <= limits.compressed else { return .unsuited }
    return .whole(compressed: result, content: content, isSkippable: isSkippable)
  }
}
