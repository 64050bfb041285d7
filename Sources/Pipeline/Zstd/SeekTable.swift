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
package struct SeekTable: Sendable, Equatable {
  /// The position of one frame.
  package struct Frame: Sendable, Equatable {
    /// Offset of the frame in the file, in bytes.
    package let offset: Int
    /// Length of the frame in the file, in bytes.
    package let compressed: Int
    /// Offset of its content in the decompressed file, in bytes.
    package let decompressedOffset: Int
    /// Length of its content, in bytes.
    package let decompressed: Int
  }

  /// The result of searching the tail of a file for its table.
  package enum Lookup: Sendable, Equatable {
    /// The file has no table, or one that does not match it: it must be read sequentially.
    case absent
    /// That many of the file's last bytes are needed.
    case needs(bytes: Int)
    /// The table; its frames cover the file up to the table without a gap.
    case found(SeekTable)
  }

  /// Length of the footer: the least bytes of a lookup.
  package static let footerLength = 9
  /// The most frames of a table.
  package static let maxFrames = 0x800_0000
  /// The most bytes of content of a frame in a table.
  package static let maxFrameContent = 0x4000_0000

  static let skippableMagic: UInt32 = 0x184D_2A5E
  static let magic: UInt32 = 0x8F92_EAB1
  static let headerLength = 8
  static let entryLength = 8
  static let entryLengthWithChecksum = 12

  /// The frames in order.
  package let frames: [Frame]
  /// Length of the table's own frame, in bytes.
  package let length: Int

  /// Searches `tail`, the last bytes of a file of `fileSize` bytes, for its table.
  package static func read(fromEndOf tail: ByteView, fileSize: Int) -> Lookup {
    precondition(tail.count <= fileSize, "the tail of a file is not longer than the file")
    guard fileSize >= headerLength + footerLength else { return .absent }
    guard tail.count >= footerLength else { return .needs(bytes: footerLength) }
    let footer = tail.dropFirst(tail.count - footerLength)
    let descriptor = footer[4]
    guard footer.word32(at: 5) == magic, descriptor & 0x7C == 0 else { return .absent }
    let count = Int(footer.word32(at: 0))
    let stride = descriptor & 0x80 == 0 ? entryLength : entryLengthWithChecksum
    let length = headerLength + count * stride + footerLength
    guard count <= maxFrames, length <= fileSize else { return .absent }
    guard tail.count >= length else { return .needs(bytes: length) }

    let table = tail.dropFirst(tail.count - length)
    guard table.word32(at: 0) == skippableMagic,
      Int(table.word32(at: 4)) == length - headerLength,
      let frames = frames(of: table, count: count, stride: stride, upTo: fileSize - length)
    else { return .absent }
    return .found(SeekTable(frames: frames, length: length))
  }

  /// The entries of `table`, or nil when the frames do not end where the table begins.
  private static func frames(
    of table: ByteView, count: Int, stride: Int, upTo end: Int
  ) -> [Frame]? {
    var frames: [Frame] = []
    frames.reserveCapacity(count)
    var offset = 0
    var decompressedOffset = 0
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
    return offset == end ? frames : nil
  }
}

/// Collects the entries of a ``SeekTable`` while the frames are written.
struct SeekTableWriter: ~Copyable {
  private var entries = ByteBuffer(capacity: 1024)

  var count: Int { entries.count / SeekTable.entryLength }

  /// Length of the finished table, in bytes.
  var length: Int { SeekTable.headerLength + entries.count + SeekTable.footerLength }

  mutating func append(compressed: Int, decompressed: Int) {
    precondition(count < SeekTable.maxFrames, "a seek table has room for 2^27 frames")
    precondition(
      compressed > 0 && compressed <= Int(UInt32.max) && decompressed >= 0
        && decompressed <= SeekTable.maxFrameContent,
      "a frame in a seek table holds 1 GiB at most")
    entries.append(word32: UInt32(compressed))
    entries.append(word32: UInt32(decompressed))
  }

  func append(to bytes: inout ByteBuffer) {
    bytes.append(word32: SeekTable.skippableMagic)
    bytes.append(word32: UInt32(length - SeekTable.headerLength))
    bytes.append(entries.view)
    bytes.append(word32: UInt32(count))
    bytes.append(0)
    bytes.append(word32: SeekTable.magic)
  }
}
