/// A ``SeekableFile`` whose frames are read in any order by any thread.
package final class FrameFile: Sendable {
  package let file: PositionedFile
  package let frames: [SeekTable.Frame]

  /// The frames of the file `path`; see ``PositionedFile`` for `isHeld`.
  package convenience init(
    _ path: String, doing: String, isHeld: Bool = true, system: System = .real
  ) throws(Failure) {
    try self.init(PositionedFile(path, doing: doing, isHeld: isHeld, system: system))
  }

  /// The frames of `file`.
  /// - Throws: `corrupt`, when it has no seek table; `io`.
  package init(_ file: PositionedFile) throws(Failure) {
    self.file = file
    var tail = ByteBuffer()
    let found = try SeekTable.frames(fileSize: file.size) { length throws(Failure) in
      tail.removeAll()
      try file.read(file.size - length..<file.size, into: &tail)
      return tail.view
    }
    guard let found else { throw file.damaged("it has no seek table at its end") }
    frames = found
  }

  /// Bytes of text in all frames, according to the seek table.
  package var textLength: Int { frames.last.map { $0.decompressedOffset + $0.decompressed } ?? 0 }

  /// Checks that no frame has more text than writers give it, or, by its header, another length
  /// than the seek table says.
  package func checkLengths() throws(Failure) {
    var header = ByteBuffer(capacity: Zstd.longestHeader)
    for (index, frame) in frames.enumerated() {
      if let why = FrameFileReader.problem(frame.decompressed) {
        throw file.damaged("the frame \(why)", frame: index)
      }
      let end = frame.offset + min(frame.compressed, Zstd.longestHeader)
      header.removeAll()
      try file.read(frame.offset..<end, into: &header)
      guard Zstd.contentLength(header.view) == frame.decompressed else {
        throw file.damaged("the frame is damaged", frame: index)
      }
    }
  }

  package func read(frame index: Int, into buffer: inout ByteBuffer) throws(Failure) {
    try file.read(frames[index].range, into: &buffer)
  }
}

/// Decompresses frames of ``FrameFile``s of outputs and partials. One per thread.
package final class FrameFileReader {
  /// Most bytes of text of a frame: writers make no longer one. Checked before there is memory for
  /// the text, which compresses to next to nothing in a forged file.
  package static let longestText = 256 << 20
  /// Most bytes of such a frame in the file: full, of incompressible text.
  package static let longestFrame = longestText + 1 << 20

  /// Why a frame cannot have that many bytes of text, as the end of a sentence "it …".
  fileprivate static func problem(_ content: Int) -> String? {
    content <= longestText
      ? nil
      : "has \(NumberFormat.count(content, "byte")) of text; the most is "
        + NumberFormat.grouped(longestText)
  }

  private let decoder: ZstdDecompressor
  private var compressed = ByteBuffer()

  package init() throws(Failure) { decoder = try ZstdDecompressor() }

  /// Appends the text of frame `index` of `file` to `text`.
  /// - Throws: `corrupt`, when it is damaged or not as the seek table says; `io`.
  package func decode(
    frame index: Int, of file: FrameFile, into text: inout ByteBuffer
  ) throws(Failure) {
    let frame = file.frames[index]
    try decode(frame.range, of: file.file, content: frame.decompressed, frame: index, into: &text)
  }

  /// Appends the text of the frame in the bytes of `file` from `start` on to `text`.
  /// - Throws: `corrupt`, when it is not the frame that was written; `io`.
  package func decode(
    _ frame: WrittenFrame, of file: PositionedFile, from start: Int, into text: inout ByteBuffer
  ) throws(Failure) {
    try decode(
      start..<start + frame.compressed, of: file, content: frame.text, hash: frame.hash,
      into: &text)
  }

  /// Half of the XXH64 of the bytes of the frame that was decoded last.
  package var hash: UInt32 { XXH64.half(compressed.view) }

  private func decode(
    _ range: Range<Int>, of file: PositionedFile, content: Int, frame index: Int? = nil,
    hash known: UInt32? = nil, into text: inout ByteBuffer
  ) throws(Failure) {
    if let why = Self.problem(content) { throw file.damaged("the frame \(why)", frame: index) }
    guard range.count <= Self.longestFrame else {
      throw file.damaged("the frame is too long for its text", frame: index)
    }
    compressed.removeAll()
    try file.read(range, into: &compressed)
    if let known, hash != known { throw file.otherFrame }
    guard decoder.decode(compressed.view, content: content, into: &text) else {
      throw file.damaged("the frame is damaged", frame: index)
    }
  }

  /// Appends the content of `frame`, which should be one whole frame, as `entry` of the table says.
  /// - Returns: the mismatch, also of a checksum, as the end of a sentence "it …"; nil without.
  package func decode(
    _ frame: ByteView, at entry: SeekTable.Frame, into text: inout ByteBuffer
  ) -> String? {
    if let why = Self.problem(entry.decompressed) { return why }
    if let mismatch = entry.mismatch(of: frame) { return mismatch }
    return decoder.decode(frame, content: entry.decompressed, into: &text)
      ? nil : "is damaged: it cannot be decompressed, or its checksum is wrong"
  }
}

extension SeekTable.Frame {
  /// Longest valid frame, in bytes of the file: full, of incompressible text.
  package static var longest: Int { SeekTable.maxFrameContent + 8 << 20 }
  /// The largest window of a frame, as a power of two: that of the longest content.
  private static let windowLog = 30

  /// Compares the headers of `frame`, which should be one whole frame, with the table. Complexity:
  /// O(blocks of the frame); nothing is decompressed.
  /// - Returns: the mismatch, as the end of a sentence "it …"; nil without.
  package func mismatch(of frame: ByteView) -> String? {
    let limits = ZstdFrameExtent.Limits(
      compressed: frame.count, content: SeekTable.maxFrameContent, windowLog: Self.windowLog)
    let extent = ZstdFrameExtent.of(frame, within: limits)
    guard case .whole(let length, let content, isSkippable: false) = extent else {
      return "is not a whole zstd frame of known length"
    }
    if length == frame.count, content == decompressed { return nil }
    return
      "has \(NumberFormat.count(length, "byte")) for \(NumberFormat.count(content, "byte")) of text; the seek table says "
      + "\(NumberFormat.grouped(compressed)) for \(NumberFormat.grouped(decompressed))"
  }
}
