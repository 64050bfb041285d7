import CZstd
import TestSupport
import Testing

@testable import Pipeline

enum FrameText {
  /// Text that compresses about as well as a log.
  static func log(bytes: Int, seed: UInt64) -> [UInt8] {
    var random = RepeatableRandom(seed: seed)
    var text: [UInt8] = []
    while text.count < bytes {
      let user = UInt64.random(in: 0..<5000, using: &random)
      let name = ["ad_seen", "purchased", "opened"].randomElement(using: &random) ?? ""
      text += "{\"id\":\"user-\(user)\",\"name\":\"\(name)\",\"n\":\(random.next() % 1000)}\n".utf8
    }
    return Array(text.prefix(bytes))
  }

  /// The content of all frames in `bytes`, by libzstd itself.
  static func decompress(_ bytes: [UInt8], capacity: Int) throws -> [UInt8] {
    var text = [UInt8](repeating: 0, count: capacity)
    let length = unsafe ZSTD_decompress(&text, capacity, bytes, bytes.count)
    try #require(ZSTD_isError(length) == 0)
    return Array(text.prefix(length))
  }

  static func compress(
    _ text: [UInt8], _ encoder: ZstdEncoder
  ) throws -> [UInt8] {
    var frame = ByteBuffer()
    try withByteView(of: text) { try encoder.compress($0, into: &frame) }
    return frame.view.array
  }
}

@Suite struct ZstdEncoderTests {
  @Test(arguments: [0, 1, 255, 256, 65_791, 65_792, 300_000])
  func aFrameReadsBack(_ length: Int) throws {
    let text = FrameText.log(bytes: length, seed: 1)
    let frame = try FrameText.compress(text, try ZstdEncoder(level: 3))
    #expect(try FrameText.decompress(frame, capacity: length + 1) == text)
    #expect(unsafe ZSTD_getFrameContentSize(frame, frame.count) == UInt64(length))
    #expect(unsafe ZSTD_findFrameCompressedSize(frame, frame.count) == frame.count)
  }

  @Test func aFrameHasASumAndNoWindowOfItsOwn() throws {
    let frame = try FrameText.compress(
      FrameText.log(bytes: 5000, seed: 2), try ZstdEncoder(level: 19))
    withByteView(of: frame) { view in
      #expect(view.word32(at: 0) == 0xFD2F_B528)
      // Single segment: the window is the content. Checksum.
      #expect(view[4] & 0b10_0000 != 0)
      #expect(view[4] & 0b100 != 0)
    }
    let last = frame.count - 1
    var damaged = frame
    damaged[last] ^= 1
    var text = [UInt8](repeating: 0, count: 5000)
    let result = unsafe ZSTD_decompress(&text, 5000, damaged, damaged.count)
    #expect(ZSTD_getErrorCode(result) == ZSTD_error_checksum_wrong)
  }

  private static let texts = [
    FrameText.log(bytes: 40_000, seed: 4), FrameText.log(bytes: 300, seed: 5), [],
    FrameText.log(bytes: 20_000, seed: 4), FrameText.log(bytes: 40_000, seed: 6),
    FrameText.log(bytes: 40_000, seed: 4),
  ]

  @Test(arguments: ZstdEncoder.levels)
  func aFrameDoesNotDependOnTheOnesBefore(_ level: Int) throws {
    let reused = try ZstdEncoder(level: level)
    for text in Self.texts {
      let alone = try FrameText.compress(text, try ZstdEncoder(level: level))
      #expect(try FrameText.compress(text, reused) == alone, "\(text.count) bytes")
    }
  }

  @Test func framesAreAppended() throws {
    let text = FrameText.log(bytes: 1000, seed: 7)
    var frames = ByteBuffer()
    frames.append("before")
    try withByteView(of: text) { view in
      try ZstdEncoder(level: 1).compress(view[0..<400], into: &frames)
      try ZstdEncoder(level: 19).compress(view[400..<1000], into: &frames)
    }
    #expect(frames.view.starts(with: "before"))
    #expect(try FrameText.decompress(frames.view.dropFirst(6).array, capacity: 1000) == text)
  }

  @Test(arguments: [0, 20, -2])
  func levelsThatAreNoneTrap(_ level: Int) async {
    await #expect(processExitsWith: .failure) { [level] in _ = try ZstdEncoder(level: level) }
  }
}
