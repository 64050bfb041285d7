import TestSupport
import Testing

@testable import Pipeline

@Suite struct BlockReaderTests {
  private let fixture = ScratchDirectory.fresh

  @Test(arguments: [
    "", "\n", "\n\n\n", "a", "a\n", "a\nb", "a\r\nb\r\n", "a\r", "\u{0}\n\u{0}\u{0}", "\u{FEFF}",
    "\u{FEFF}a\nb\n", "\u{FEFF}\u{FEFF}\n", "\u{FEFF}\n", "é", "{}\n\n{}",
  ])
  func smallFiles(_ text: String) throws {
    let plain = Array(text.utf8)
    for (name, bytes) in try [("a.ndjson", plain), ("b.ndjson.zst", zstdFrame(plain))] {
      let reading = Reading(try fixture.write(name, bytes))
      #expect(reading.failure == nil)
      #expect(reading.lines == Reading.naive(plain, buffered: 1 << 20))
      let hash = withByteView(of: bytes) { XXH64.hash($0) }
      #expect(
        reading.summary
          == InputSummary(
            compression: name.hasSuffix("zst") ? .zstd : .none, compressedBytes: bytes.count,
            hash: hash, decompressedBytes: plain.count, lines: reading.lines.count,
            content: contentFacts(plain)))
    }
  }

  @Test(arguments: [31, 32, 33, 34] as [UInt64])
  func agreesWithAByteLoop(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    for round in 0..<60 {
      let blockSize = [1, 2, 16, 64, 100, 256, 1000].randomElement(using: &random) ?? 1
      let maxLine = [0, 12, 60, 252, 400, 3000].randomElement(using: &random) ?? 0
      let buffered = max(maxLine + 4, blockSize)
      var plain: [UInt8] = Int.random(in: 0..<4, using: &random) == 0 ? [0xEF, 0xBB, 0xBF] : []
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let around = [0, 1, blockSize, maxLine, buffered, 2 * buffered, 64]
        let length = max(
          0, (around.randomElement(using: &random) ?? 0) + Int.random(in: -3...3, using: &random))
        let alphabet: [UInt8] = [0x61, 0x62, 0x00, 0x0D, 0xC3, 0xEF]
        plain += (0..<length).map { _ in alphabet.randomElement(using: &random) ?? 0 }
        if Bool.random(using: &random) { plain.append(0x0D) }
        plain.append(0x0A)
      }
      if Bool.random(using: &random), !plain.isEmpty { plain.removeLast() }
      let isCompressed = Bool.random(using: &random)
      let path = try fixture.write("\(round).ndjson", isCompressed ? zstdFrame(plain) : plain)
      let reading = Reading(path, maxLine: maxLine, blockSize: blockSize, index: 7)
      let label: Comment = "seed \(seed), round \(round), block \(blockSize), line \(maxLine)"
      #expect(reading.failure == nil, label)
      // Compared first, so that a difference does not print kilobytes.
      let isSame = reading.lines == Reading.naive(plain, buffered: buffered)
      #expect(isSame, label)
      #expect(reading.summary?.decompressedBytes == plain.count, label)
      #expect(reading.summary?.content == contentFacts(plain), label)
    }
  }

  @Test func blocksAreFilledToTheirSize() throws {
    let plain = Array(repeating: Array("0123456\n".utf8), count: 1000).flatMap { $0 }
    let path = fixture.pipe("pipe", plain, part: 3)
    let reading = Reading(path, blockSize: 800)
    #expect(reading.blocks == 10, "short reads do not make short blocks")
    #expect(reading.lines.count == 1000)
  }

  @Test func paddingIsAQuoteAndZeros() throws {
    let path = try fixture.write("a.json", Array("a\nbbbbbb\n".utf8))
    let reader = try BlockReader(
      InputFile(path: path, size: 9), index: 0, maxLine: 10, blockSize: 4)
    let block = Block(capacity: 4)
    while try reader.fill(block) {
      let count = block.bytes.count
      var isSealed = false
      unsafe block.content.append(room: Block.padding) { room in
        isSealed = unsafe room[0] == 0x22 && (1..<Block.padding).allSatisfy { unsafe room[$0] == 0 }
        return 0
      }
      #expect(isSealed, "behind \(count) bytes")
    }
  }

  @Test func hugeLineOfAPipeIsSkippedInLittleMemory() throws {
    let mebibyte = try zstdFrame([UInt8](repeating: 0x61, count: 1 << 20))
    let input =
      try zstdFrame(Array("a\n".utf8)) + Array(repeating: mebibyte, count: 64).flatMap { $0 }
      + zstdFrame(Array("\r\nb\n".utf8))
    let path = fixture.pipe("pipe", input, part: 100)
    let position = ReadPosition()
    let reader = try BlockReader(
      InputFile(path: path, size: nil), index: 0, maxLine: 1 << 20, position: position)
    let block = Block(capacity: BlockReader.defaultBlockSize)
    #expect(try reader.fill(block) && block.bytes.text == "a\n")
    #expect(try reader.fill(block))
    #expect(block.overlong == 64 << 20 && block.bytes.count == Block.keptOfOverlong)
    #expect(block.firstLine == 2 && block.offset == 2)
    let capacity = block.content.capacity
    #expect(capacity < 4 << 20, "the block holds \(capacity) bytes")
    #expect(try reader.fill(block) && block.bytes.text == "b\n")
    #expect(block.firstLine == 3 && block.offset == 64 << 20 + 4)
    #expect(try !reader.fill(block))
    #expect(position.compressedBytes == input.count)
  }

  @Test func formIsToldByContentNotByName() throws {
    let plain = Array("{}\n".utf8)
    let zstd = Reading(try fixture.write("a.ndjson", zstdFrame(plain)))
    #expect(zstd.lines.count == 1 && zstd.summary?.compression == .zstd)
    let skippable = Reading(try fixture.write("b.json", skippableFrame(2) + zstdFrame(plain)))
    #expect(skippable.lines.count == 1)
    for suffix in ["zst", "gz", "bz2", "xz"] {
      let path = try fixture.write("bad.ndjson.\(suffix)", [0] + plain)
      let failure = Reading(path).failure
      #expect(failure?.kind == .corrupt && failure?.path == path)
      #expect(failure?.why.hasPrefix("it is named .\(suffix) but begins with neither a") == true)
      for (content, lines) in [
        ([], 0), (plain, 1), (BlockReader.byteOrderMark.array + plain, 1),
        (try zstdFrame(plain), 1),
        (Array(repeating: 0x0A, count: 20) + plain, 21),
      ] {
        let read = Reading(try fixture.write("other.\(suffix)", content))
        #expect(read.failure == nil && read.lines.count == lines, "\(suffix) \(content)")
      }
    }
  }

  @Test func unreadableInputsAreNamed() throws {
    for (path, why) in [
      (fixture("none.json"), "No such file or directory"), (fixture.path, "it is a directory"),
      ("/dev/zero", "it is a device, not a file"),
    ] {
      let failure = Reading(path).failure
      #expect(failure?.kind == .io && failure?.why == why)
    }
  }
}
