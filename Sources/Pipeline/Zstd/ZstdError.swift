package struct ZstdError: Error, Sendable, Equatable {
  package enum Reason: Sendable, Equatable {
    case noFrame
    case truncated
    /// A frame's window exceeds the limit. Both in bytes.
    case windowTooLarge(needed: Int, limit: Int)
    case checksum
    /// A frame was made with the dictionary that has this id.
    case dictionary(Int)
    /// A frame is damaged at its beginning, or was made with a dictionary that it does not name.
    case damagedOrDictionary
    case memory
    /// The library's text for anything else.
    case damaged(String)
  }

  package let reason: Reason
  /// Number of the frame, 0-based, skippable frames not counted.
  package let frame: Int
  /// Number of bytes decompressed before it.
  package let offset: Int

  static let refetch = ["fetch the file again", "use --keep-going to use the readable part"]

  package func failure(doing: String, path: String) -> Failure {
    var kind = Failure.Kind.corrupt
    var advice = Self.refetch
    let why: String
    switch reason {
    case .noFrame:
      why =
        frame == 0
        ? "it has no zstd frame here" : "the bytes after the last frame are not a zstd frame"
    case .truncated: why = "the file ends inside a zstd frame"
    case .windowTooLarge(let needed, let limit):
      why = "the frame needs a window of \(mebibytes(needed)); the limit is \(mebibytes(limit))"
      (kind, advice) = (.io, [decompress("--long=\(log2(needed))")])
    case .checksum: why = "the frame's checksum is wrong"
    case .dictionary(let id):
      why = "the frame was made with a dictionary, which has the id \(id)"
      (kind, advice) = (.io, [decompress("-D DICTIONARY")])
    case .damagedOrDictionary:
      why = "the zstd frame is damaged, or was made with a dictionary"
      advice.append("if it was made with one, \(decompress("-D DICTIONARY"))")
    case .memory:
      why = "there is no memory left for the frame's window"
      (kind, advice) = (.io, ["free some memory"])
    case .damaged(let words): why = "the zstd frame is damaged (\(words))"
    }
    return Failure(
      kind, doing: doing, path: path, frame: frame, offset: offset, why: why, advice: advice,
      mayPass: reason == .memory)
  }

  /// Advice to decompress the file with the `zstd` program.
  private func decompress(_ option: String) -> String {
    "decompress it first, as in zstd -dc \(option) FILE | eventmill … -"
  }

  private func mebibytes(_ bytes: Int) -> String {
    "\(bytes / (1 << 20) + (bytes % (1 << 20) > 0 ? 1 : 0)) MiB"
  }

  private func log2(_ bytes: Int) -> Int { Int.bitWidth - max(bytes - 1, 0).leadingZeroBitCount }
}
