import CZstd

/// The first four bytes of the two kinds of frames, read as a little-endian word (RFC 8878, 3.1).
enum ZstdMagic {
  static let dataFrame: UInt32 = 0xFD2F_B528
  /// A skippable frame, for any lowest four bits.
  private static let skippableFrame: UInt32 = 0x184D_2A50
  private static let skippableMask: UInt32 = 0xFFFF_FFF0

  static func opensFrame(_ word: UInt32) -> Bool {
    word == dataFrame || word & skippableMask == skippableFrame
  }

  static func opensDataFrame(_ byte: UInt8) -> Bool { byte == UInt8(truncatingIfNeeded: dataFrame) }

  static func opensSkippableFrame(_ byte: UInt8) -> Bool {
    byte & UInt8(truncatingIfNeeded: skippableMask) == UInt8(truncatingIfNeeded: skippableFrame)
  }
}

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
    let compressed: Int
    let content: Int
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
      guard let window = Zstd.windowSize(bytes), let size = Zstd.contentLength(bytes) else {
        return bytes.count < Zstd.longestHeader ? .incomplete : .unsuited
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
