import TestSupport
import Testing

@testable import Pipeline

@Suite struct ZstdDecoderTests {
  struct Outcome: Equatable {
    var bytes: [UInt8] = []
    var frames = 0
    var error: ZstdError?
  }

  /// Decompresses `input`, given `piece` bytes at a time with room for `room`.
  static func decode(_ input: [UInt8], piece: Int = 1 << 20, room: Int = 1 << 20) -> Outcome {
    var outcome = Outcome()
    var output = ByteBuffer()
    guard var decoder = try? ZstdDecoder() else { return outcome }
    do {
      for start in stride(from: 0, to: max(input.count, 1), by: piece) {
        let end = min(start + piece, input.count)
        try withByteView(of: Array(input[start..<end])) { view throws(ZstdError) in
          var consumed = 0
          while try decoder.decode(view, consumed: &consumed, room: room, into: &output) > 0 {}
          #expect(consumed == view.count, "zero bytes mean that all was taken")
        }
      }
      try decoder.finish()
      let produced = decoder.produced
      #expect(produced == output.count)
    } catch {
      outcome.error = error
    }
    outcome.frames = decoder.frame
    outcome.bytes = output.view.array
    return outcome
  }

  static func lines(_ count: Int, _ random: inout RepeatableRandom) -> [UInt8] {
    Array(
      (0..<count).map { _ in "line \(UInt32.random(in: 0...9999, using: &random))\n" }.joined().utf8
    )
  }

  @Test func framesOfAllKindsFollowEachOther() throws {
    var random = RepeatableRandom(seed: 1)
    let first = Self.lines(50, &random)
    let second = Self.lines(40_000, &random)
    let input =
      try skippableFrame(0) + zstdFrame(first) + zstdFrame([]) + skippableFrame(200)
      + zstdFrame(second, checksum: false, contentSize: false)
      + zstdFrame([], checksum: false, contentSize: false) + skippableFrame(1)
    for (piece, room) in [(1 << 20, 1 << 20), (1, 1 << 20), (7, 11), (1 << 20, 1000), (4096, 1)] {
      let outcome = Self.decode(input, piece: piece, room: room)
      #expect(outcome.bytes == first + second, "pieces of \(piece), room for \(room)")
      #expect(outcome.error == nil && outcome.frames == 4)
    }
    #expect(Self.decode([]) == Outcome())
    #expect(Self.decode(skippableFrame(3)) == Outcome())
  }

  @Test func everyTruncationIsAnErrorUnlessItIsBetweenFrames() throws {
    var random = RepeatableRandom(seed: 2)
    let parts = [Self.lines(30, &random), [], Self.lines(9, &random)]
    // The second is behind a skippable frame.
    let frames = try [zstdFrame(parts[0]), skippableFrame(5) + zstdFrame([]), zstdFrame(parts[2])]
    let ends = frames.indices.map { frames[...$0].joined().count }
    let (input, plain) = (Array(frames.joined()), Array(parts.joined()))
    for end in 0...input.count {
      let outcome = Self.decode(Array(input[..<end]))
      let isWhole = [0, ends[0], ends[0] + skippableFrame(5).count, ends[1], ends[2]].contains(end)
      #expect(outcome.error?.reason == (isWhole ? nil : .truncated), "cut at \(end)")
      #expect(outcome.frames == ends.count { $0 <= end }, "cut at \(end)")
      #expect(outcome.bytes == Array(plain[..<outcome.bytes.count]), "cut at \(end)")
      let least = parts[..<outcome.frames].joined().count
      #expect(isWhole ? outcome.bytes.count == least : outcome.bytes.count >= least)
      if let error = outcome.error {
        #expect(error.frame == outcome.frames && error.offset == outcome.bytes.count)
      }
      #expect(Self.decode(Array(input[..<end]), piece: 1, room: 3) == outcome, "cut at \(end)")
    }
  }

  @Test func damageHasTheSameReasonInPiecesOfAnySize() throws {
    var random = RepeatableRandom(seed: 3)
    let plain = [Self.lines(20, &random), Self.lines(30, &random)]
    let good = try zstdFrame(plain[0]) + zstdFrame(plain[1])
    for round in 0..<1500 {
      var bad = good
      let position = round < good.count ? round : Int.random(in: 0..<good.count, using: &random)
      bad[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      let outcome = Self.decode(bad)
      // Some bits of a frame mean nothing; the checksum says that the content is right then.
      let isWhole = outcome.bytes == Array(plain.joined())
      #expect(outcome.error != nil || isWhole, "seed 3, byte \(position) is \(bad[position])")
      let piece = Int.random(in: 1...20, using: &random)
      let other = Self.decode(bad, piece: piece, room: 64)
      let label: Comment = "seed 3, byte \(position) is \(bad[position]), piece \(piece)"
      #expect(other.error?.reason == outcome.error?.reason, label)
      #expect(other.frames == outcome.frames, label)
      // Small pieces may bring out more of a block that is not compressed.
      #expect(other.bytes.starts(with: outcome.bytes), label)
    }
  }

  @Test func blocksBeforeADamagedOneAreKept() throws {
    // Four blocks of 128 KiB that do not compress: the frame contains their bytes unchanged.
    let plain = noise(512 << 10, seed: 4)
    var input = try zstdFrame(plain, level: 1)
    let header = input.count - plain.count - 4 - 4 * 3
    // The header of the third block: a block type that does not exist.
    input[header + 2 * (3 + 128 << 10)] |= 0x06
    for piece in [1 << 20, 128 << 10, 5000] {
      let outcome = Self.decode(input, piece: piece)
      #expect(outcome.bytes == Array(plain[..<(256 << 10)]), "pieces of \(piece)")
      #expect(outcome.error?.offset == 256 << 10)
    }
  }

  @Test func garbageIsNoFrame() throws {
    let good = try zstdFrame(Array("a\n".utf8))
    for garbage in ["x", "{}\n", "\0", "(", "(\u{1}\u{1}\u{1}\u{1}\u{1}"] {
      let outcome = Self.decode(good + Array(garbage.utf8))
      #expect(outcome.bytes == Array("a\n".utf8))
      #expect(outcome.error?.frame == 1 && outcome.error?.offset == 2)
      #expect(
        outcome.error?.reason == (garbage == "(" ? .truncated : .noFrame), "behind: \(garbage)")
    }
  }

  private let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
  private let emptyLastBlock: [UInt8] = [1, 0, 0]

  /// What follows the magic bytes. In the byte of a window the upper five bits are its exponent
  /// minus 10, and the lower three eighths; with one segment the length of the content follows. The
  /// last row has the id of a dictionary behind the window.
  @Test(
    arguments: [
      ([0, 18 << 3], .windowTooLarge(needed: 256 << 20, limit: 128 << 20), "a window of 256 MiB;"),
      ([0, 17 << 3 | 1], .windowTooLarge(needed: 144 << 20, limit: 128 << 20), "of 144 MiB; the"),
      (
        [0xA0, 0, 0, 0x80, 0x0C], .windowTooLarge(needed: 200 << 20, limit: 128 << 20),
        "the frame needs a window of 200 MiB; the limit is 128 MiB"
      ),
      (
        [3, 0, 0x12, 0x34, 0x56, 0], .dictionary(0x563412),
        "the frame was made with a dictionary, which has the id 5649426"
      ),
    ] as [([UInt8], ZstdError.Reason, String)])
  func whatAFrameNeedsIsNamed(_ header: [UInt8], _ reason: ZstdError.Reason, _ why: String) {
    #expect(Self.decode(magic + [0, 17 << 3] + emptyLastBlock) == Outcome(frames: 1))
    let error = Self.decode(magic + header + emptyLastBlock).error
    #expect(error == ZstdError(reason: reason, frame: 0, offset: 0))
    let failure = error?.failure(doing: "reading the input", path: "a.zst")
    #expect(failure?.kind == .io && failure?.mayPass == false && failure?.why.contains(why) == true)
    let isWindow = reason != .dictionary(0x563412)
    let advice = isWindow ? "--long=28" : "zstd -dc -D DICTIONARY"
    #expect(failure?.advice.contains(advice) == true)
  }

  /// Such as `zstd --no-dictID` and `zstd --patch-from` make.
  @Test func aDictionaryWithoutAnIDMayLookLikeDamage() throws {
    // A last compressed block: 5 literals with the Huffman table of an earlier block, and no
    // sequences; and one that copies what is before the frame.
    let blocks: [[UInt8]] = [
      [0x2D, 0, 0, 0x53, 0x40, 0, 0x01, 0],
      [0x45, 0, 0, 0x08, 0x61, 0x01, 0x54, 0x00, 0x05, 0x01, 0x20],
    ]
    for block in blocks {
      for (before, frame) in [([], 0), (try zstdFrame(Array("a\n".utf8)), 1)] {
        let error = Self.decode(before + magic + [0, 0] + block).error
        #expect(error?.reason == .damagedOrDictionary && error?.frame == frame, "\(block)")
        #expect(error?.failure(doing: "", path: "").kind == .corrupt)
      }
    }
  }

  private func decodeWhole(_ bytes: [UInt8], content: Int) throws -> [UInt8]? {
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
    #expect(try decodeWhole(frames, content: 7) == Array("one two".utf8))
    #expect(try decodeWhole(skippableFrame(2), content: 0) == [])
  }

  @Test func allOrNothing() throws {
    let frames = try zstdFrame(Array("one".utf8)) + zstdFrame(Array(" two".utf8))
    #expect(try decodeWhole(frames, content: 6) == nil)
    #expect(try decodeWhole(frames, content: 8) == nil)
    for end in 1..<frames.count where end != frames.count / 2 {
      #expect(try decodeWhole(Array(frames[..<end]), content: 7) == nil, "cut at \(end)")
    }
    var wrong = frames
    wrong[wrong.count - 1] ^= 1
    #expect(try decodeWhole(wrong, content: 7) == nil, "the checksum")
  }
}
