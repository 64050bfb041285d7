import TestSupport
import Testing

@testable import Pipeline

@Suite struct FrameFileTests {
  private let scratch = ScratchDirectory.fresh

  /// A file with a frame for each text. Its seek table may claim another length for each.
  @discardableResult
  private func write(
    _ texts: [String], to name: String = "a", claiming length: Int? = nil
  ) throws -> FrameFile {
    let encoder = try ZstdEncoder(level: 1)
    let file = SeekableFile(try OutputFile(path: name, in: scratch.path))
    for text in texts {
      let plain = ByteBuffer(text: text)
      var frame = ByteBuffer()
      try encoder.compress(plain.view, into: &frame)
      try file.append(frame: frame.view, decompressed: length ?? plain.count, lines: 1)
    }
    _ = try file.finish()
    return try FrameFile(scratch(name), doing: "testing")
  }

  private static func text(_ file: FrameFile, _ frame: Int) throws(Failure) -> String {
    var text = ByteBuffer()
    try FrameFileReader().decode(frame: frame, of: file, into: &text)
    return text.view.text
  }

  private static let texts =
    ["", "one\n", String(repeating: "two\n", count: 5000), "", "three\n"]

  @Test func framesAreReadInAnyOrder() throws {
    let file = try write(Self.texts)
    #expect(file.frames.count == 5)
    for frame in [3, 0, 4, 2, 1, 2] { #expect(try Self.text(file, frame) == Self.texts[frame]) }
    let reader = try FrameFileReader()
    var all = ByteBuffer()
    for frame in file.frames.indices { try reader.decode(frame: frame, of: file, into: &all) }
    #expect(all.view.text == Self.texts.joined())
    let frame = file.frames[2]
    var bytes = ByteBuffer()
    try file.read(frame: 2, into: &bytes)
    let written = WrittenFrame(bytes.view, text: 20_000, lines: 0)
    var text = ByteBuffer()
    try reader.decode(written, of: file.file, from: frame.offset, into: &text)
    #expect(text.view.text == Self.texts[2])
    let other = WrittenFrame(compressed: bytes.count, text: 20_000, lines: 0, hash: ~written.hash)
    let failure = #expect(throws: Failure.self) {
      try reader.decode(other, of: file.file, from: frame.offset, into: &text)
    }
    #expect(failure?.why == "a frame does not match the index")
  }

  /// Such a frame compresses to next to nothing: readers took memory for whatever it claimed.
  @Test func aFrameLongerThanTheBoundIsDamagedBeforeItIsRead() throws {
    let most = FrameFileReader.longestText
    let (file, reader) = (try write([""], claiming: most + 1), try FrameFileReader())
    var empty = ByteBuffer()
    var text = ByteBuffer()
    try file.read(frame: 0, into: &empty)
    let why = "has 268,435,457 bytes of text; the most is 268,435,456"
    let failure = #expect(throws: Failure.self) {
      try reader.decode(frame: 0, of: file, into: &text)
    }
    #expect(failure?.kind == .corrupt && failure?.frame == 0 && failure?.why == "the frame \(why)")
    #expect(reader.decode(empty.view, at: file.frames[0], into: &text) == why)
    #expect(text.capacity < most)
  }

  /// Readers that do not decode frame by frame took the length for what the seek table says.
  @Test func aFrameOfAnotherLengthThanInTheSeekTableIsDamage() throws {
    let whole = try write(Self.texts)
    try whole.checkLengths()
    #expect(whole.textLength == Self.texts.joined().utf8.count)
    let file = try write(["one\n"], to: "b", claiming: 3)
    let failure = #expect(throws: Failure.self) { try file.checkLengths() }
    #expect(failure?.kind == .corrupt && failure?.why == "the frame is damaged")
  }

  @Test func cutAtAnyByteItIsCorrupt() throws {
    try write(["one\n", "two two\n"])
    let bytes = try scratch.bytes("a")
    for length in 0..<bytes.count {
      let path = try scratch.write(Array(bytes[..<length]), to: "cut")
      let failure = #expect(throws: Failure.self) { try FrameFile(path, doing: "testing") }
      #expect(failure?.kind == .corrupt && failure?.path == path, "\(length) bytes")
    }
  }

  /// A byte changed anywhere is found at the latest when the frames are decoded, or changes
  /// nothing.
  @Test func changedAnywhereItIsCorruptOrTheSame() throws {
    let texts = ["one one\n", "", "two two two\n"]
    try write(texts)
    let bytes = try scratch.bytes("a")
    for position in bytes.indices {
      for change in [1, 0x80, 0xFF] as [UInt8] {
        var changed = bytes
        changed[position] ^= change
        let path = try scratch.write(changed, to: "changed")
        var (found, frame): ([String], Int?) = ([], nil)
        do throws(Failure) {
          let file = try FrameFile(path, doing: "testing")
          for index in file.frames.indices {
            frame = index
            found.append(try Self.text(file, index))
          }
          #expect(found == texts, "byte \(position)")
        } catch {
          #expect(found[...] == texts.prefix(found.count), "byte \(position)")
          #expect(error.kind == .corrupt && error.path == path, "byte \(position)")
          #expect(error.frame == frame, "byte \(position)")
        }
      }
    }
  }
}
