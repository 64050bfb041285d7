/// The table of frames at the end of a file: the zstd seekable format.
///
/// ```
/// 0x184D2A5E 4 | length of the rest 4                        a skippable frame's header
/// compressed 4 | decompressed 4 [ | checksum 4 ]             for each frame
/// number of frames 4 | descriptor 1 | 0x8F92EAB1 4           footer
/// ```
/// All numbers are little-endian; bit 7 of the descriptor means that the entries have checksums,
/// bits 2 to 6 are zero. Tools that do not know the table see a frame without content.
///
/// A table matches the length of the file, but a reader must compare each frame with it.
package enum SeekTable {
  package struct Frame: Sendable, Equatable {
    package let offset: Int
    package let compressed: Int
    /// Offset of its content in the decompressed file.
    package let decompressedOffset: Int
    package let decompressed: Int

    /// Where it is in the file.
    package var range: Range<Int> { offset..<offset + compressed }
  }

  static let maxFrames = 0x800_0000
  /// The most bytes of content of a frame in a table.
  static let maxFrameContent = 0x4000_0000

  fileprivate static let skippableMagic: UInt32 = 0x184D_2A5E
  fileprivate static let magic: UInt32 = 0x8F92_EAB1
  fileprivate static let headerLength = 8
  fileprivate static let entryLength = 8
  private static let entryLengthWithChecksum = 12
  fileprivate static let footerLength = 9

  /// The frames of a file of `fileSize` bytes; `last` returns that many of its last bytes. Nil when
  /// it has no table, or one that does not match it: then it must be read sequentially.
  package static func frames(
    fileSize: Int, last: (Int) throws(Failure) -> ByteView
  ) throws(Failure) -> [Frame]? {
    guard fileSize >= headerLength + footerLength else { return nil }
    let footer = try last(footerLength)
    let descriptor = footer[4]
    guard footer.word32(at: 5) == magic, descriptor & 0x7C == 0 else { return nil }
    let count = Int(footer.word32(at: 0))
    let stride = descriptor & 0x80 == 0 ? entryLength : entryLengthWithChecksum
    let length = headerLength + count * stride + footerLength
    guard count <= maxFrames, length <= fileSize else { return nil }
    let table = try last(length)
    guard table.word32(at: 0) == skippableMagic, Int(table.word32(at: 4)) == length - headerLength
    else { return nil }
    var frames: [Frame] = []
    frames.reserveCapacity(count)
    var (offset, decompressedOffset) = (0, 0)
    for index in 0..<count {
      let position = headerLength + index * stride
      let frame = Frame(
        offset: offset, compressed: Int(table.word32(at: position)),
        decompressedOffset: decompressedOffset,
        decompressed: Int(table.word32(at: position + 4)))
      guard frame.compressed > 0, frame.decompressed <= maxFrameContent else { return nil }
      frames.append(frame)
      offset += frame.compressed
      decompressedOffset += frame.decompressed
    }
    return offset == fileSize - length ? frames : nil
  }
}

/// Collects the entries of a ``SeekTable`` while the frames are written.
struct SeekTableWriter: ~Copyable {
  /// Of a short frame, both lengths in 16 bits each; of others, two numbers of 32 bits behind
  /// ``long``: half of the table, because a file may have millions of frames.
  private var entries = ByteBuffer(capacity: 1024)
  private var count = 0

  private static let long = UInt32.max
  /// Bytes of the table that are made at once.
  private static let piece = 64 << 10

  mutating func append(compressed: Int, decompressed: Int) {
    precondition(count < SeekTable.maxFrames, "a seek table has room for 2^27 frames")
    precondition(
      compressed > 0 && compressed <= Int(UInt32.max) && decompressed >= 0
        && decompressed <= SeekTable.maxFrameContent,
      "a frame in a seek table holds 1 GiB at most")
    count += 1
    if max(compressed, decompressed) < 0xFFFF {
      return entries.append(word32: UInt32(decompressed << 16 | compressed))
    }
    for word in [Self.long, UInt32(compressed), UInt32(decompressed)] {
      entries.append(word32: word)
    }
  }

  /// Calls `body` with the pieces of the table, in order.
  func write(_ body: (ByteView) throws(Failure) -> Void) throws(Failure) {
    var bytes = ByteBuffer()
    bytes.append(word32: SeekTable.skippableMagic)
    bytes.append(word32: UInt32(count * SeekTable.entryLength + SeekTable.footerLength))
    var position = 0
    while position < entries.count {
      let word = entries.view.word32(at: position)
      position += 4
      if word == Self.long {
        bytes.append(entries[position..<position + SeekTable.entryLength])
        position += SeekTable.entryLength
      } else {
        bytes.append(word32: word & 0xFFFF)
        bytes.append(word32: word >> 16)
      }
      if bytes.count >= Self.piece {
        try body(bytes.view)
        bytes.removeAll()
      }
    }
    bytes.append(word32: UInt32(count))
    bytes.append(0)
    bytes.append(word32: SeekTable.magic)
    try body(bytes.view)
  }
}
