import Foundation
import TestSupport
import Testing

@testable import Pipeline

@Suite struct BlockReaderFaultTests {
  private let fixture = ScratchDirectory.fresh

  @Test func everyTruncationDeliversTheWholeLinesBefore() throws {
    let parts = ["one\ntwo\n", "three\nfo", "ur\nfive"].map { Array($0.utf8) }
    let plain = Array(parts.joined())
    let expected = Reading.naive(plain, buffered: 1 << 20)
    var input: [UInt8] = []
    var boundaries: [Int: Int] = [0: 0]
    for part in parts {
      input += try zstdFrame(part)
      boundaries[input.count] = (boundaries.values.max() ?? 0) + part.count
    }
    for end in 0...input.count {
      let path = try fixture.write("a.ndjson", Array(input[..<end]))
      guard end == 0 || end >= 4 else { continue }
      let reading = Reading(path, blockSize: 6)
      if let bytes = boundaries[end] {
        #expect(reading.failure == nil, "cut at \(end)")
        #expect(reading.lines == Reading.naive(Array(plain[..<bytes]), buffered: 1 << 20))
      } else {
        #expect(reading.lines == Array(expected.prefix(reading.lines.count)), "cut at \(end)")
        #expect(reading.failure?.kind == .corrupt && reading.failure?.path == path)
        let offset = reading.lines.last.map { $0.offset + $0.bytes.count + 1 } ?? 0
        #expect(reading.failure?.offset == offset, "cut at \(end)")
        let frame = boundaries.keys.filter { $0 <= end }.count - 1
        #expect(reading.failure?.frame == frame, "cut at \(end)")
        #expect(reading.summary?.compressedBytes == end)
      }
    }
  }

  @Test func cutLineIsNotDeliveredHoweverLong() throws {
    var input = try zstdFrame([0x61, 0x0A] + [UInt8](repeating: 0x62, count: 5000))
    input.removeLast()
    for maxLine in [10, 4000, 10_000] {
      let reading = Reading(
        try fixture.write("a.ndjson.zst", input), maxLine: maxLine, blockSize: 64)
      #expect(reading.lines.map(\.bytes) == [[0x61]], "longest line \(maxLine)")
      #expect(reading.failure?.offset == 2 && reading.failure?.frame == 0)
    }
  }

  @Test func wrongChecksumComesAfterTheLines() throws {
    var input = try zstdFrame(Array("a\nb\n".utf8))
    input[input.count - 1] ^= 1
    let reading = Reading(try fixture.write("a.ndjson.zst", input))
    #expect(reading.lines.count == 2 && reading.failure?.frame == 0)
    #expect(reading.failure?.offset == 4 && reading.failure?.why == "the frame's checksum is wrong")
  }

  @Test(arguments: [(false, 0), (false, 1 << 19), (false, 400_000), (true, 200_000)])
  func changedFileIsAFault(isCompressed: Bool, newSize: UInt64) throws {
    let plain = noise(400_000, seed: 5)
    let input = isCompressed ? try zstdFrame(plain) : plain
    let path = try fixture.write("a.ndjson", input)
    let reader = try BlockReader(
      InputFile(path: path, size: input.count), index: 0, maxLine: 100_000, blockSize: 1000)
    let block = Block(capacity: 1000)
    #expect(try reader.fill(block))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.truncate(atOffset: newSize)
    try handle.close()
    let failure = #expect(throws: Failure.self) { while try reader.fill(block) {} }
    #expect(failure?.kind == .io)
    let change =
      newSize == input.count
      ? "its modification time changed" : NumberFormat.count(input.count, "byte")
    #expect(failure?.why.hasPrefix("it changed while it was read (\(change)") == true)
  }

  /// A complete log counted again all that was read of it when it was damaged.
  @Test(arguments: [false, true]) func restOfADamagedFileIsHashed(isReplaced: Bool) throws {
    let lines = Array("a\nb\n".utf8)
    let input =
      try zstdFrame(lines + Array("torn".utf8)) + Array("garbage".utf8)
      + [UInt8](repeating: 7, count: 400_000)
    let path = try fixture.write("a.ndjson.zst", input)
    let reader = try BlockReader(InputFile(path: path, size: input.count), index: 0, maxLine: 100)
    let block = Block(capacity: 100)
    #expect(try reader.fill(block))
    #expect(throws: Failure.self) { try reader.fill(block) }
    #expect(reader.summary.content == nil && reader.summary.compressedBytes < input.count)
    if isReplaced {
      try fixture.remove("a.ndjson.zst")
      _ = try fixture.write("a.ndjson.zst", input)
    }
    try reader.skipToEnd()
    var hash = ContentHash()
    withByteView(of: lines) { hash.update($0) }
    #expect(reader.summary.content == (isReplaced ? nil : hash.facts()))
    #expect(reader.summary.compressedBytes == input.count)
    #expect(reader.summary.hash == withByteView(of: input) { XXH64.hash($0) })
    #expect(reader.summary.lines == 2 && reader.summary.decompressedBytes == 8)
  }
}
