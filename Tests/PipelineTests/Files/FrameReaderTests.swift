import TestSupport
import Testing

@testable import Pipeline

/// How a zstd input is cut before it is decompressed.
@Suite struct FrameReaderTests {
  private static let sizes = FrameReader.Sizes(
    chunk: 64, fullContent: 100, largestFrame: 300, largestContent: 400)

  private let fixture = ScratchDirectory.fresh

  private func reader(_ path: String) throws -> FrameReader {
    let raw = try RawInput(InputFile(path: path, size: nil), position: ReadPosition())
    return FrameReader(raw, sizes: Self.sizes)
  }

  /// The groups as `FRAMES:CONTENT`, or `piece`, and all their bytes.
  private func groups(_ path: String) throws -> (names: [String], bytes: [UInt8]) {
    var reader = try reader(path)
    var group = FrameDecoding()
    var (names, bytes): ([String], [UInt8]) = ([], [])
    while try reader.read(into: &group) {
      names.append(group.frames.map { "\($0):\(group.contentSize)" } ?? "piece")
      bytes += group.compressed.view.array
    }
    return (names, bytes)
  }

  @Test func smallFramesAreGrouped() throws {
    let lengths = [40, 40, 40, 150, 0, 99, 0, 1, 20]
    let input = try lengths.flatMap { try zstdFrame(noise($0, seed: 1)) } + skippableFrame(9)
    for path in [try fixture.write("a", input), fixture.pipe("b", input, part: 7)] {
      let found = try groups(path)
      #expect(found.names == ["3:120", "1:150", "4:100", "1:20"])
      #expect(found.bytes == input)
    }
  }

  @Test func aLargeFrameComesInPieces() throws {
    let small = try zstdFrame(noise(10, seed: 1))
    let large = try zstdFrame(noise(500, seed: 1))
    let input = small + large + small
    let found = try groups(try fixture.write("a", input))
    #expect(found.names.first == "1:10" && found.names.dropFirst().allSatisfy { $0 == "piece" })
    #expect(found.names.count > 4 && found.bytes == input)
  }

  @Test func afterALargeFrameItGroupsAgain() throws {
    let large = try zstdFrame(noise(500, seed: 1))
    let small = try zstdFrame(noise(10, seed: 1))
    let path = try fixture.write("a", large + small + small)
    var reader = try reader(path)
    var group = FrameDecoding()
    var seen = 0
    while seen < large.count, try reader.read(into: &group) {
      let frames = group.frames
      #expect(frames == nil)
      seen += group.compressed.count
    }
    let rest = group.compressed.count - (seen - large.count)
    reader.endFrame(before: group.compressed.view.dropFirst(rest))
    let isThere = try reader.read(into: &group)
    let (frames, contentSize) = (group.frames, group.contentSize)
    #expect(isThere && frames == 2 && contentSize == 20)
    let isMore = try reader.read(into: &group)
    #expect(!isMore)
  }

  @Test func whatIsNoFrameIsLeftToTheDecoder() throws {
    let input = try zstdFrame(noise(10, seed: 1)) + Array("garbage".utf8)
    #expect(try groups(try fixture.write("a", input)).names == ["1:10", "piece"])
    #expect(try groups(try fixture.write("b", Array(input.prefix(15)))).names == ["piece"])
    #expect(try groups(try fixture.write("c", [])).names == [])
  }
}
