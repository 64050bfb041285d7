import Pipeline

/// One frame of a spill: key states of one section of one partition, sorted by their keys.
struct SpillFrame {
  let partition: Int
  let section: KeySection
  /// Whether a group begins with its first state, so that the merge may be cut there. Not when the
  /// frame goes on with the key that the one before ends with.
  let beginsGroup: Bool
  /// Where it lies in the file.
  let range: Range<Int>
  /// Bytes of its text.
  let length: Int
  /// Keys in it.
  let keys: Int
  /// Where its first key stands among the keys of the index.
  let firstKey: Range<Int>
}

/// The frames of a spill and their first keys: its index, from which the others are told.
///
/// ```
/// frame    partition (32) │ section (8) │ begins a group (8) │ 16     8 bytes, little-endian
///          offset in the file                                         8
///          length in the file (32) │ length of the text (32)          8
///          keys (32) │ length of the first key (32)                   8
///          first key
/// ```
struct SpillIndex: ~Copyable {
  private(set) var frames: [SpillFrame] = []
  private var keys = ByteBuffer()

  init() {}

  /// The first key of a frame.
  func firstKey(_ frame: Int) -> ByteView { keys[frames[frame].firstKey] }

  /// Adds a frame with the first key `key`.
  mutating func append(
    partition: Int, section: KeySection, beginsGroup: Bool, range: Range<Int>, length: Int,
    keys count: Int, firstKey key: ByteView
  ) {
    let start = keys.count
    keys.append(key)
    frames.append(
      SpillFrame(
        partition: partition, section: section, beginsGroup: beginsGroup, range: range,
        length: length, keys: count, firstKey: start..<keys.count))
  }

  /// Appends the index to `bytes`.
  func append(to bytes: inout ByteBuffer) {
    for (number, frame) in frames.enumerated() {
      let labels = UInt64(frame.section.rawValue) << 32 | (frame.beginsGroup ? 1 << 40 : 0)
      bytes.append(word64: labels | UInt64(frame.partition))
      bytes.append(word64: UInt64(frame.range.lowerBound))
      bytes.append(word64: UInt64(frame.length) << 32 | UInt64(frame.range.count))
      bytes.append(word64: UInt64(frame.firstKey.count) << 32 | UInt64(frame.keys))
      bytes.append(firstKey(number))
    }
  }

  /// Reads an index of frames that lie before `end`; nil when `bytes` are none.
  init?(_ bytes: ByteView, before end: Int) {
    self.init()
    var offset = 0
    while offset < bytes.count {
      guard offset + 32 <= bytes.count else { return nil }
      let start = Int(truncatingIfNeeded: bytes.word64(at: offset + 8))
      let length = Int(bytes.word32(at: offset + 16))
      let keyLength = Int(bytes.word32(at: offset + 28))
      guard let section = KeySection(rawValue: Int(bytes[offset + 4])), start >= 0, start <= end,
        start + length <= end, offset + 32 + keyLength <= bytes.count
      else { return nil }
      append(
        partition: Int(bytes.word32(at: offset)), section: section,
        beginsGroup: bytes[offset + 5] & 1 != 0, range: start..<start + length,
        length: Int(bytes.word32(at: offset + 20)), keys: Int(bytes.word32(at: offset + 24)),
        firstKey: bytes[offset + 32..<offset + 32 + keyLength])
      offset += 32 + keyLength
    }
  }
}

/// The last bytes of a spill.
///
/// ```
/// "EMSPILL1"                                      8
/// offset of the index                             8
/// its length in the file (32) │ of its text (32)  8
/// ```
struct SpillTrailer {
  static let magic: UInt64 = 0x314C_4C49_5053_4D45
  static let length = 24

  let offset: Int
  let compressed: Int
  let text: Int

  init(offset: Int, compressed: Int, text: Int) {
    self.offset = offset
    self.compressed = compressed
    self.text = text
  }

  func append(to bytes: inout ByteBuffer) {
    bytes.append(word64: Self.magic)
    bytes.append(word64: UInt64(offset))
    bytes.append(word64: UInt64(text) << 32 | UInt64(compressed))
  }

  /// Reads the trailer of a file of `size` bytes; nil when `bytes` are none.
  init?(_ bytes: ByteView, size: Int) {
    guard bytes.count == Self.length, bytes.word64(at: 0) == Self.magic else { return nil }
    offset = Int(truncatingIfNeeded: bytes.word64(at: 8))
    compressed = Int(bytes.word32(at: 16))
    text = Int(bytes.word32(at: 20))
    guard offset >= 0, offset <= size, offset + compressed + Self.length == size else {
      return nil
    }
  }
}
