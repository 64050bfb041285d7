import TestSupport
import Testing

@testable import Pipeline

@Suite struct FrameTargetTests {
  private static func frame(_ number: Int, _ length: Int) -> ByteBuffer {
    var bytes = ByteBuffer(capacity: length)
    for start in stride(from: 0, to: length, by: 256) {
      let byte = UInt8(truncatingIfNeeded: number &* 7 &+ start >> 8)
      bytes.append(contentsOf: [UInt8](repeating: byte, count: min(256, length - start)))
    }
    return bytes
  }

  private static func move(_ segment: FrameSegment, to target: KeptFrames) throws {
    let frames = try segment.finish()
    for piece in 0..<frames.count {
      var bytes = ByteBuffer()
      try target.append(frames.read(piece, into: &bytes), bytes.view)
    }
  }

  /// Frames of these lengths come out as they went in; true when a file was needed. Of a negative
  /// length one is copied from another file.
  private static func expectKept(_ lengths: [Int]) throws -> Bool {
    let scratch = try ScratchDirectory()
    var isMade = false
    let segment = FrameSegment { () throws(Failure) in
      #expect(!isMade, "one file is enough")
      isMade = true
      return try OutputFile(path: "segment", in: scratch.path)
    }
    var others = ByteBuffer()
    for (number, length) in lengths.enumerated() where length < 0 {
      let bytes = Self.frame(number, -length)
      others.append(bytes.view)
    }
    try scratch.write(others.view.array, to: "others")
    let file = try PositionedFile(scratch("others"), doing: "testing")
    let (expected, found) = (KeptFrames(), KeptFrames())
    var start = 0
    for (number, length) in lengths.enumerated() {
      let bytes = Self.frame(number, abs(length))
      try expected.append(frame: bytes.view, decompressed: bytes.count * 2, lines: number)
      if length < 0 {
        try segment.append([expected.frames[number].written], of: file, from: start)
        start -= length
      } else {
        try segment.append(frame: bytes.view, decompressed: bytes.count * 2, lines: number)
      }
    }
    try Self.move(segment, to: found)
    #expect(found.frames == expected.frames)
    return isMade
  }

  private static let sometimesCopied = (0..<300).map { $0 % 7 == 0 ? 9_000 : -9_000 }

  @Test(
    arguments: [
      ([], false), ([1, 0, 5], false), ([1 << 20, 1 << 20, 1 << 20, 1_000_000], false),
      ([1 << 20, 1 << 20, 1 << 20, 1 << 20, 1], true), ([5 << 20], true),
      ([3, 5 << 20, 0, 3 << 20, 7, 1 << 20, 1 << 20], true),
      (Array(repeating: 30_000, count: 200), true),
      ([-1, -2, 5, -3, 7, 8, -(5 << 20)], false), ([-1, 5 << 20, -2], true),
      (sometimesCopied, false),
    ] as [([Int], Bool)])
  func manyFramesGoThroughAFile(lengths: [Int], needsFile: Bool) throws {
    #expect(try Self.expectKept(lengths) == needsFile)
  }

  @Test func damageOfWhatIsCopiedIsFound() throws {
    let scratch = try ScratchDirectory()
    let frame = Self.frame(1, 100)
    var bytes = frame.view.array
    bytes[50] ^= 1
    try scratch.write(bytes, to: "others")
    let segment = FrameSegment { () throws(Failure) in preconditionFailure("nothing is made") }
    let file = try PositionedFile(scratch("others"), doing: "testing")
    try segment.append([WrittenFrame(frame.view, text: 1, lines: 1)], of: file, from: 0)
    let failure = #expect(throws: Failure.self) { try Self.move(segment, to: KeptFrames()) }
    #expect(failure?.kind == .corrupt && failure?.path == scratch("others"))
  }

  @Test func damageOfItsOwnFileIsFound() throws {
    for position in [0, 250_000, 300_010, 300_030] {
      let scratch = try ScratchDirectory()
      let segment = FrameSegment(mostKept: 0) { () throws(Failure) in
        try OutputFile(path: "segment", in: scratch.path)
      }
      for number in 0..<3 {
        let frame = Self.frame(number, 100_000)
        try segment.append(frame: frame.view, decompressed: 7, lines: 1)
      }
      let frames = try segment.finish()
      var bytes = try scratch.bytes("segment")
      bytes[position] ^= 1
      try scratch.write(bytes, to: "segment")
      var found = ByteBuffer()
      let failure = #expect(throws: Failure.self) { _ = try frames.read(0, into: &found) }
      #expect(failure?.kind == .io && failure?.path == scratch("segment"), "at \(position)")
    }
  }
}
