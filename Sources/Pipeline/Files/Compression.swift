/// How an input is compressed; detected by its first bytes, never by its name.
package enum Compression: String, DocumentWord, Sendable {
  case none, zstd, gzip, bzip2, xz

  /// Number of first bytes that ``detect(_:)`` needs, if the file has as many.
  static let longestMagic = 10

  /// The form of a file that begins with `start`.
  package static func detect(_ start: ByteView) -> Compression {
    func begins(_ magic: UInt8..., at offset: Int = 0) -> Bool {
      start.count >= offset + magic.count
        && magic.indices.allSatisfy { start[offset + $0] == magic[$0] }
    }
    if start.count >= 4, ZstdMagic.opensFrame(start.word32(at: 0)) { return .zstd }
    if begins(0x1F, 0x8B) { return .gzip }
    // `BZh`, the size of blocks, and the magic of a block, or that of the end of an empty stream.
    if begins(0x42, 0x5A, 0x68), start.count > 3, 0x31...0x39 ~= start[3],
      begins(0x31, 0x41, 0x59, 0x26, 0x53, 0x59, at: 4)
        || begins(0x17, 0x72, 0x45, 0x38, 0x50, 0x90, at: 4)
    {
      return .bzip2
    }
    if begins(0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00) { return .xz }
    return .none
  }

  /// The compression that the suffix of `path` indicates, in either case; nil for another suffix.
  package static func promised(by path: String) -> Compression? { promise(of: path)?.form }

  /// The same, and the suffix in lower case.
  static func promise(of path: String) -> (form: Compression, suffix: String)? {
    for form in allCases {
      for suffix in form.facts.suffixes where path.endsIgnoringCase(in: suffix) {
        return (form, suffix)
      }
    }
    return nil
  }

  /// The suffixes of such files, what they begin with, and the program that decompresses them.
  private var facts: (suffixes: [String], opening: String, tool: ToolSource.Tool?) {
    switch self {
    case .none: ([], "a line", nil)
    case .zstd: ([".zst", ".zstd"], "a zstd frame", nil)
    case .gzip: ([".gz", ".gzip"], "a gzip member", .init(command: "gzip", package: "gzip"))
    case .bzip2: ([".bz2", ".bzip2"], "a bzip2 stream", .init(command: "bzip2", package: "bzip2"))
    case .xz: ([".xz"], "an xz stream", .init(command: "xz", package: "xz-utils"))
    }
  }

  var opening: String { facts.opening }
  var tool: ToolSource.Tool? { facts.tool }
}

// MARK: - Appended logs

extension Compression {
  /// The first magic bytes in `text`, whole lines and the beginning of another, that are at the
  /// beginning of a line, or follow an object or the beginning of a torn one. With `added`, the
  /// same for records over several lines, in what was added there: JSON has no such bytes but those
  /// of bzip2, which count at the beginning of a line, and behind a bracket. Complexity:
  /// O(`text.count`), many bytes at a time where none is a hint.
  static func findAppended(
    in text: inout ByteBuffer, toRecordsFrom added: Int? = nil
  ) -> (position: Int, form: Compression)? {
    let recordEnds = [JSONByte.lineFeed, JSONByte.closeBrace, JSONByte.closeBracket]
    /// The end of the line searched last, and where compressed bytes may begin in it.
    var (lineEnd, possible): (Int, ClosedRange<Int>?) = (0, nil)
    var next = max((added ?? 0) - longestMagic, 0)
    while let hint = text.view.magicHint(from: next) {
      next = hint + 1
      for position in stride(from: hint - 3, through: hint, by: 3) where position >= 0 {
        let form = Compression.detect(text.view.dropFirst(position))
        if form == .none { continue }
        if added != nil {
          if form == .bzip2, position > 0, !recordEnds.contains(text[position - 1]) { continue }
          return (position, form)
        }
        if position >= lineEnd {
          let start = text[0..<position].lastIndex(of: JSONByte.lineFeed).map { $0 + 1 } ?? 0
          let rest = text.view.dropFirst(position)
          lineEnd = position + (rest.firstIndex(of: JSONByte.lineFeed) ?? rest.count)
          possible = ends(in: start..<lineEnd, of: &text)
        }
        if possible?.contains(position) ?? false { return (position, form) }
      }
    }
    return nil
  }

  /// The position of the first byte of the line that is not white space, or of the first one behind
  /// the objects that begin there, or those of all valid UTF-8 of a torn one that is followed by
  /// something else; nil if the last object is whole, or the line is text.
  private static func ends(in line: Range<Int>, of text: inout ByteBuffer) -> ClosedRange<Int>? {
    guard var first = line.first(where: { !JSONByte.isSpace(text[$0]) }) else { return nil }
    // A scanned line ends with a line feed.
    let isLast = line.upperBound == text.count
    if isLast { text.append(JSONByte.lineFeed) }
    defer { if isLast { text.truncate(to: line.upperBound) } }
    let tape = Tape(numbersNames: false)
    tape.bind(to: text.view)
    while text[first] == JSONByte.openBrace {
      let rest = first..<line.upperBound
      guard case .fault(let fault) = Scanner.scan(line: rest, into: tape) else { return nil }
      guard fault.kind == .moreText else {
        let end = first + text[rest].utf8Length
        return first < end && end < line.upperBound ? first + 1...end : nil
      }
      first += fault.offset
    }
    return first...first
  }
}

extension StringProtocol {
  /// Whether the text ends with `suffix`, lower-case ASCII, in either case.
  func endsIgnoringCase(in suffix: String) -> Bool {
    utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) { Characters.lowercased($0) == $1 }
  }
}
