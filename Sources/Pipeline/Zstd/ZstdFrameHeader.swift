/// The first four bytes of the two kinds of frames, read as a little-endian word (RFC 8878, 3.1).
enum ZstdMagic {
  static let dataFrame: UInt32 = 0xFD2F_B528
  /// A skippable frame, for any lowest four bits.
  static let skippableFrame: UInt32 = 0x184D_2A50
  static let skippableMask: UInt32 = 0xFFFF_FFF0

  static func opensFrame(_ word: UInt32) -> Bool {
    word == dataFrame || word & skippableMask == skippableFrame
  }

  static func opensDataFrame(_ byte: UInt8) -> Bool { byte == UInt8(truncatingIfNeeded: dataFrame) }

  static func opensSkippableFrame(_ byte: UInt8) -> Bool {
    byte & UInt8(truncatingIfNeeded: skippableMask) == UInt8(truncatingIfNeeded: skippableFrame)
  }
}

/// The requirements in the header of a data frame (RFC 8878, 3.1.1.1).
///
/// ```
/// magic 4 | descriptor 1 | window 0–1 | dictionary id 0–4 | content size 0–8
/// ```
enum ZstdFrameHeader {
  /// Bytes in the longest header.
  static let longest = 18

  /// The window size of the frame in bytes; nil when `header` is incomplete.
  static func windowSize(_ header: ByteView) -> Int? {
    guard header.count > 5 else { return nil }
    let descriptor = header[4]
    let isSingleSegment = descriptor & 0x20 != 0
    guard isSingleSegment else {
      let window = header[5]
      let base = 1 << (10 + Int(window >> 3))
      return base + base / 8 * Int(window & 7)
    }
    // One segment: the window is the whole content.
    let sizeBytes = [1, 2, 4, 8][Int(descriptor >> 6)]
    guard var size = number(sizeBytes, at: 5 + dictionaryBytes(descriptor), of: header)
    else { return nil }
    // The two-byte form counts from 256.
    if sizeBytes == 2 { size += 256 }
    return Int(clamping: size)
  }

  /// The id of the dictionary that the frame needs; 0 when `header` is incomplete or has none.
  static func dictionary(_ header: ByteView) -> Int {
    guard header.count > 5 else { return 0 }
    let start = header[4] & 0x20 != 0 ? 5 : 6
    return Int(number(dictionaryBytes(header[4]), at: start, of: header) ?? 0)
  }

  private static func dictionaryBytes(_ descriptor: UInt8) -> Int {
    [0, 1, 2, 4][Int(descriptor & 3)]
  }

  /// A little-endian number; nil when `header` is incomplete.
  private static func number(_ bytes: Int, at start: Int, of header: ByteView) -> UInt64? {
    guard header.count >= start + bytes else { return nil }
    return (start..<start + bytes).reversed().reduce(0) { $0 << 8 | UInt64(header[$1]) }
  }
}
