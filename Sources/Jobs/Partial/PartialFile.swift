import Pipeline

/// The single file of a partial: the rejects, a spill for each partition, and last the manifest
/// with the facts, so that a reader finds any of it with two reads
/// (docs/reference/file-formats.md).
///
/// ```
/// rejects │ spill │ … │ manifest │ its length │ its XXH64 │ "partial" │ format version
///                                  8 bytes      8 bytes     7 bytes     1 byte
/// ```
struct PartialFile {
  /// Version of the layout of partials, of their facts, and of merged partitions.
  static let formatVersion = 14

  private static let magic: StaticString = "partial"
  /// Bytes after the manifest.
  private static let trailer = 24

  let file: PositionedFile
  let range: Range<Int>
  let xxh64: UInt64
  private let version: UInt8

  /// Finds the manifest in the directory `output`, of a partial of any version; nil when the file
  /// does not exist, or is not one.
  init?(in output: String, doing: String, system: System) throws(Failure) {
    let path = "\(output)/\(RunFiles.partial)"
    guard try system.statusIfAny(of: path, doing: doing)?.kind == .regular else { return nil }
    file = try PositionedFile(path, doing: doing, system: system)
    let end = file.size - Self.trailer
    guard end >= 0 else { return nil }
    var trailer = ByteBuffer()
    try file.read(end..<file.size, into: &trailer)
    let length = trailer.view.word64(at: 0)
    guard length <= UInt64(end), trailer[16..<23] == ByteView(Self.magic) else { return nil }
    range = end - Int(length)..<end
    xxh64 = trailer.view.word64(at: 8)
    version = trailer[23]
  }

  func manifest() throws(Failure) -> JSONDocument {
    guard version == Self.formatVersion else {
      throw PartialDirectory.damaged(file.path, "it is not that of a partial of this format")
    }
    let text = file.window(range)
    guard try text.hash() == xxh64 else {
      throw PartialDirectory.damaged(file.path, "its manifest is damaged")
    }
    return try JSONDocument(reading: text, repair: OutputKind.partial.repair)
  }

  /// Ends `file`, whose parts are written, with the manifest `text`.
  static func end(_ file: OutputFile, with text: borrowing ByteBuffer) throws(Failure) {
    var trailer = ByteBuffer(capacity: Self.trailer)
    trailer.append(word64: UInt64(text.count))
    trailer.append(word64: XXH64.hash(text.view))
    trailer.append(magic)
    trailer.append(UInt8(formatVersion))
    try file.append(text.view)
    try file.append(trailer.view)
    _ = try file.finish()
  }
}
