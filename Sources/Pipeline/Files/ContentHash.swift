/// The identity of the decompressed content of an input, however it is named and compressed.
package struct ContentFacts: Document, Hashable, Sendable {
  package private(set) var bytes = 0
  /// XXH64 of all bytes, seed 0.
  package private(set) var xxh64: UInt64 = 0
  /// XXH64 of the first line without its line end and blanks before it; if it has only brackets,
  /// with the next one; of an array up to its first closing brace
  /// (``ContentHash/longestFirstLine``).
  package private(set) var firstLine: UInt64 = 0

  package static let fields: [Field<ContentFacts>] = [
    .size("bytes", \.bytes), .value("xxh64", \.xxh64), .value("first_line", \.firstLine),
  ]

  package init() {}

  package init(bytes: Int, xxh64: UInt64, firstLine: UInt64) {
    (self.bytes, self.xxh64, self.firstLine) = (bytes, xxh64, firstLine)
  }

  /// Whether there is a line: an input without is not a copy of another one.
  package var hasLines: Bool {
    let mark = BlockReader.byteOrderMark
    return bytes > 0 && (bytes != mark.count || xxh64 != XXH64.hash(mark))
  }
}

/// Hashes the content of an input while it is read. How it is cut into pieces does not matter.
struct ContentHash: ~Copyable {
  /// Bytes of a first line that are hashed: few logs have so many equal ones and then differ.
  static let longestFirstLine = 64 << 10

  private(set) var bytes = 0
  /// False when the hash of all bytes is known without it.
  private let hashesWhole: Bool
  private var whole = XXH64()
  private var firstLine = XXH64()
  /// Blanks of the first line, which count if something follows them.
  private var blanks = ByteBuffer()
  private var firstLineRoom = ContentHash.longestFirstLine
  /// Whether a byte of it is neither blank nor a bracket.
  private var hasText = false
  /// Whether it begins with an array; nil before its first byte that is not blank.
  private var isArray: Bool?

  /// `hashesWhole` is false for an input that is not compressed: it is hashed as a file anyway.
  init(hashesWhole: Bool = true) { self.hashesWhole = hashesWhole }

  /// Whether the first line, as far as it is hashed, has ended.
  var hasFirstLine: Bool { firstLineRoom == 0 }
  var firstLineDigest: UInt64 { firstLine.digest }

  /// What identifies the bytes so far; `file` is the hash of the file if only that is hashed.
  func facts(file: UInt64? = nil) -> ContentFacts {
    guard let hash = hashesWhole ? whole.digest : file else {
      preconditionFailure("the content or the file is hashed")
    }
    return ContentFacts(bytes: bytes, xxh64: hash, firstLine: firstLineDigest)
  }

  mutating func update(_ piece: ByteView) {
    bytes += piece.count
    if hashesWhole { whole.update(piece) }
    guard firstLineRoom > 0 else { return }
    var line = piece[0..<min(piece.count, firstLineRoom)]
    firstLineRoom -= line.count
    // A log may end before the line end, or within it, and grow by the rest; an array in one line
    // grows within its first line.
    if let end = (0..<line.count).first(where: { endsFirstLine(line[$0]) }) {
      line = line[0..<end]
      firstLineRoom = 0
    }
    var end = line.count
    while end > 0, JSONByte.isSpace(line[end - 1]) { end -= 1 }
    if end > 0 {
      firstLine.update(blanks.view)
      firstLine.update(line[0..<end])
      blanks.removeAll()
    }
    blanks.append(line.dropFirst(end))
  }

  private mutating func endsFirstLine(_ byte: UInt8) -> Bool {
    switch byte {
    case JSONByte.lineFeed, JSONByte.carriageReturn: return hasText || isArray == nil
    case JSONByte.space, JSONByte.tab: return false
    case _ where isArray == nil && BlockReader.byteOrderMark.firstIndex(of: byte) != nil:
      return false
    default:
      if isArray == nil { isArray = byte == JSONByte.openBracket }
      hasText = hasText || byte != JSONByte.openBrace && byte != JSONByte.openBracket
      return byte == JSONByte.closeBrace && isArray == true
    }
  }

  /// Adds the next bytes of `source`, at most `limit`; false at its end.
  mutating func read(_ limit: Int, of source: any ByteSource) throws(Failure) -> Bool {
    var piece = ByteBuffer(capacity: limit)
    guard try source.read(limit, into: &piece) > 0 else { return false }
    update(piece.view)
    return true
  }
}
