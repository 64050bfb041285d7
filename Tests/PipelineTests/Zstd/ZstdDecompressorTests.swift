import TestSupport
import Testing

@testable import Pipeline

@Suite struct ZstdDecompressorTests {
  private func decode(_ bytes: [UInt8], content: Int) throws -> [UInt8]? {
    let decoder = try ZstdDecompressor()
    var output = ByteBuffer()
    output.append(UInt8(ascii: ">"))
    let isWhole = withByteView(of: bytes) { decoder.decode($0, content: content, into: &output) }
    if !isWhole { #expect(output.count == 1, "nothing of a damaged frame is handed out") }
    return isWhole ? Array(output.view.array.dropFirst()) : nil
  }

  @Test func severalFramesAreOneText() throws {
    let frames =
      try zstdFrame(Array("one".utf8)) + skippableFrame(3) + zstdFrame([])
      + zstdFrame(Array(" two".utf8), checksum: false)
    #expect(try decode(frames, content: 7) == Array("one two".utf8))
    #expect(try decode(skippableFrame(2), content: 0) == [])
  }

  @Test func allOrNothing() throws {
    let frames = try zstdFrame(Array("one".utf8)) + zstdFrame(Array(" two".utf8))
    #expect(try decode(frames, content: 6) == nil)
    #expect(try decode(frames, content: 8) == nil)
    for end in 1..<frames.count where end != frames.count / 2 {
      #expect(try decode(Array(frames[..<end]), content: 7) == nil, "cut at \(end)")
    }
    var wrong = frames
    wrong[wrong.count - 1] ^= 1
    #expect(try decode(wrong, content: 7) == nil, "the checksum")
  }
}
