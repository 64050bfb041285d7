import TestSupport
import Testing

@testable import Pipeline

@Suite struct FrameTargetTests {
  /// Takes frames and keeps them.
  private final class Frames: FrameTarget {
    struct Frame: Equatable {
      let bytes: [UInt8]
      let decompressed: Int
      let lines: Int
    }

    var frames: [Frame] = []

    func append(frame: ByteView, decompressed: Int, lines: Int) throws(Failure) {
      frames.append(Frame(bytes: frame.array, decompressed: decompressed, lines: lines))
    }
  }

  /// Frames of these lengths come out as they went in; true when a file was needed.
  private static func expectKept(_ lengths: [Int]) throws -> Bool {
    let scratch = try ScratchDirectory()
    var isMade = false
    let segment = FrameSegment { () throws(Failure) in
      #expect(!isMade, "one file is enough")
      isMade = true
      return try OutputFile(path: "segment", in: scratch.path)
    }
    let (expected, found) = (Frames(), Frames())
    for (number, length) in lengths.enumerated() {
      var bytes = ByteBuffer(capacity: length)
      for position in 0..<length {
        bytes.append(UInt8(truncatingIfNeeded: number &* 7 &+ position >> 8))
      }
      for target in [segment, expected] as [any FrameTarget] {
        try target.append(frame: bytes.view, decompressed: length * 2, lines: number)
      }
    }
    try segment.move(to: found)
    #expect(found.frames == expected.frames)
    return isMade
  }

  @Test func fewFramesStayInMemory() throws {
    #expect(try Self.expectKept([]) == false)
    #expect(try Self.expectKept([1, 0, 5]) == false)
    #expect(try Self.expectKept([1 << 20, 1 << 20, 1 << 20, 1 << 20]) == false)
  }

  @Test func manyFramesGoThroughAFile() throws {
    #expect(try Self.expectKept([1 << 20, 1 << 20, 1 << 20, 1 << 20, 1]))
    #expect(try Self.expectKept([5 << 20]))
    #expect(try Self.expectKept([3, 5 << 20, 0, 3 << 20, 7, 1 << 20, 1 << 20]))
    #expect(try Self.expectKept(Array(repeating: 30_000, count: 200)))
  }

  @Test func aFileThatCannotBeMadeIsAFailure() throws {
    let segment = FrameSegment { () throws(Failure) in
      throw Failure(.io, doing: "making", why: "the disk is full")
    }
    var bytes = ByteBuffer()
    while bytes.count <= 4 << 20 { bytes.append(1) }
    let failure = #expect(throws: Failure.self) {
      try segment.append(frame: bytes.view, decompressed: 1, lines: 1)
    }
    #expect(failure?.why == "the disk is full")
  }
}
