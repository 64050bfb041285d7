/// How an input is compressed; detected by its first bytes, never by its name.
package enum Compression: String, DocumentWord, Sendable {
  case none
  case zstd
  case gzip
  case bzip2
  case xz

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

  /// The same, and the suffix, in lower case.
  static func promise(of path: String) -> (form: Compression, suffix: String)? {
    for form in allCases {
      for suffix in form.facts.suffixes where path.endsIgnoringCase(in: suffix) {
        return (form, suffix)
      }
    }
    return nil
  }

  /// The suffixes of such files, a description of their first bytes, and the program that
  /// decompresses them.
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

extension StringProtocol {
  /// Whether the text ends with `suffix`, lower-case ASCII, in either case.
  func endsIgnoringCase(in suffix: String) -> Bool {
    utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) { Characters.lowercased($0) == $1 }
  }
}
