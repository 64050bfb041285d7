import TestSupport
import Testing

@testable import Pipeline

/// Frames that are decompressed ahead, by several cores, against a byte loop over their text.
@Suite struct FramePrefetcherConcurrencyTests {
  private let fixture = ScratchDirectory.fresh

  /// Reads as the flow does: from a piece of work on a core.
  private static func reading(
    _ path: String, cores: Int, maxLine: Int = 1 << 20, blockSize: Int, sizes: FrameReader.Sizes
  ) throws -> Reading {
    let cores = try CoreQueues(cores)
    return cores.withCore {
      Reading(
        path, maxLine: maxLine, blockSize: blockSize, ahead: FramePrefetcher(cores, sizes: sizes))
    }
  }

  private static func log(
    _ random: inout RepeatableRandom, longest: Int
  ) throws -> (plain: [UInt8], frames: [UInt8]) {
    var plain: [UInt8] = Int.random(in: 0..<4, using: &random) == 0 ? [0xEF, 0xBB, 0xBF] : []
    for _ in 0..<Int.random(in: 0...30, using: &random) {
      let length = Int.random(in: 0...longest, using: &random)
      plain += (0..<length).map { _ in UInt8.random(in: 0x20...0x7E, using: &random) }
      if Bool.random(using: &random) { plain.append(0x0D) }
      plain.append(0x0A)
    }
    if Bool.random(using: &random), !plain.isEmpty { plain.removeLast() }
    var frames: [UInt8] = []
    var start = 0
    while start < plain.count || frames.isEmpty {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: frames += skippableFrame(Int.random(in: 0...30, using: &random))
      case 1: frames += try zstdFrame([])
      default:
        let end = min(plain.count, start + Int.random(in: 1...300, using: &random))
        frames += try zstdFrame(
          Array(plain[start..<end]), checksum: Bool.random(using: &random),
          contentSize: Int.random(in: 0..<5, using: &random) > 0)
        start = end
      }
    }
    return (plain, frames)
  }

  private static func sizes(_ random: inout RepeatableRandom) -> FrameReader.Sizes {
    FrameReader.Sizes(
      chunk: .random(in: 1...400, using: &random),
      fullContent: .random(in: 1...500, using: &random),
      largestFrame: .random(in: 20...400, using: &random),
      largestContent: .random(in: 50...400, using: &random))
  }

  @Test(arguments: Effort.first(3, of: Array(0..<8)) as [UInt64])
  func framesCutAnywhere(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    for round in 0..<15 {
      let maxLine = [0, 60, 700, 5000].randomElement(using: &random) ?? 0
      let blockSize = [1, 64, 300, 2000].randomElement(using: &random) ?? 1
      let longest = [40, 1000].randomElement(using: &random) ?? 40
      let (plain, frames) = try Self.log(&random, longest: longest)
      let path = try fixture.write("\(round).ndjson.zst", frames)
      let expected = Reading.naive(plain, buffered: max(maxLine + 4, blockSize))
      for cores in 1...3 {
        let sizes = Self.sizes(&random)
        let reading = try Self.reading(
          path, cores: cores, maxLine: maxLine, blockSize: blockSize, sizes: sizes)
        let label: Comment = "seed \(seed), round \(round), cores \(cores), \(sizes)"
        #expect(reading.failure == nil, label)
        let isSame = reading.lines == expected
        #expect(isSame, label)
        #expect(reading.summary?.decompressedBytes == plain.count, label)
        #expect(reading.summary?.compressedBytes == frames.count, label)
        let hash = withByteView(of: frames) { XXH64.hash($0) }
        #expect(reading.summary?.hash == hash, label)
      }
    }
  }

  /// Cut at any byte, or with a bit changed: what is delivered and why it ends does not depend on
  /// who decompresses what.
  @Test(arguments: Effort.first(1, of: Array(20..<23)) as [UInt64])
  func damageIsTheSameOnAnyNumberOfCores(seed: UInt64) throws {
    var random = RepeatableRandom(seed: seed)
    var (_, frames) = try Self.log(&random, longest: 40)
    while frames.count < 500 { frames += try Self.log(&random, longest: 40).frames }
    for position in stride(from: 4, to: frames.count, by: frames.count / 250) {
      var damaged = frames
      if Bool.random(using: &random) {
        damaged.removeLast(frames.count - position)
      } else {
        damaged[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      let path = try fixture.write("a.ndjson", damaged)
      let expected = Reading(path, blockSize: 50)
      for cores in 1...3 {
        let sizes = Self.sizes(&random)
        let reading = try Self.reading(path, cores: cores, blockSize: 50, sizes: sizes)
        let label: Comment = "seed \(seed), byte \(position), cores \(cores), \(sizes)"
        #expect(reading.failure == expected.failure, label)
        let isSame = reading.lines == expected.lines
        #expect(isSame, label)
        #expect(reading.summary?.decompressedBytes == expected.summary?.decompressedBytes, label)
      }
    }
  }

  @Test func noMoreGroupsThanCoresAndOne() throws {
    for (cores, groups) in [(1, 1), (2, 3), (5, 6)] {
      let ahead = FramePrefetcher(try CoreQueues(cores))
      var taken: [DecodeJob] = []
      while let group = ahead.take() { taken.append(group) }
      #expect(taken.count == groups)
      ahead.give(taken[0])
      #expect(ahead.take() === taken[0] && ahead.take() == nil)
      // A group that a core may still work on is not handed out again.
      ahead.drop(taken[0])
      let other = ahead.take()
      #expect(other != nil && !taken.contains { $0 === other } && ahead.take() == nil)
    }
  }

  @Test func aGroupIsDecodedOnce() throws {
    let text = Array("a line\n".utf8)
    let frame = try zstdFrame(text)
    let group = DecodeJob(FrameDecoding())
    func fill(_ compressed: some Sequence<UInt8>) {
      group.work.reset()
      group.work.compressed.append(contentsOf: Array(compressed))
      group.work.frames = 1
      group.work.contentSize = text.count
    }
    for _ in 0..<3 {
      group.reclaim()
      fill(frame)
      // A stale request to decompress the group's earlier content.
      group.run()
      var isDecoded = group.work.isDecoded
      #expect(!isDecoded, "a group that is being filled is not decompressed")
      group.offer()
      group.run()
      group.run()
      group.finish()
      isDecoded = group.work.isDecoded
      let content = group.work.content.view.array
      #expect(isDecoded && content == text)
    }
    group.reclaim()
    fill(frame.dropLast())
    group.offer()
    group.finish()
    let isDecoded = group.work.isDecoded
    let isEmpty = group.work.content.isEmpty
    #expect(!isDecoded && isEmpty)
  }

  /// Only the content of frames that are read in pieces counts as that of long ones.
  @Test(arguments: 1...3)
  func contentOfLongFramesIsCounted(cores: Int) throws {
    let sizes = FrameReader.Sizes(largestContent: 100)
    let (short, long) = (Array("short\n".utf8), Array("a longer line\n".utf8))
    let frames = [short, (0..<40).flatMap { _ in long }, short]
    let path = try fixture.write("a.ndjson.zst", frames.flatMap { try zstdFrame($0) })
    let reading = try Self.reading(path, cores: cores, maxLine: 99, blockSize: 64, sizes: sizes)
    #expect(reading.summary?.inLongFrames == 40 * long.count)
    #expect(reading.summary?.decompressedBytes == 40 * long.count + 2 * short.count)
  }

  /// An input that is abandoned midway leaves its groups to the next one.
  @Test(arguments: 1...3)
  func aClosedReaderHoldsNoGroup(cores: Int) throws {
    let sizes = FrameReader.Sizes(chunk: 10, fullContent: 1)
    let frames = try (0..<50).flatMap { try zstdFrame(Array("line \($0)\n".utf8)) }
    let path = try fixture.write("a.ndjson.zst", frames)
    let queues = try CoreQueues(cores)
    try queues.withCore {
      let ahead = FramePrefetcher(queues, sizes: sizes)
      for _ in 0..<5 {
        let reader = try BlockReader(
          InputFile(path: path, size: nil), index: 0, maxLine: 10, blockSize: 10, ahead: ahead)
        #expect(try reader.fill(Block(capacity: 10)))
        reader.close()
      }
      #expect(Reading(path, ahead: ahead).lines.count == 50)
    }
  }
}
