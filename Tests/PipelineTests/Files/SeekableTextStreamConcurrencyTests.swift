import Glibc
import TestSupport
import Testing

@testable import Pipeline

/// Frames that are compressed by others: the files are those that one thread writes.
@Suite struct SeekableTextStreamConcurrencyTests {
  private let scratch = ScratchDirectory.fresh

  /// Writes `texts` as files called `name` and their number, one after the other, in pieces.
  private func stream(
    _ texts: [[UInt8]], to name: String, cores: Int, piece: Int = 70_000,
    system: System = .real
  ) throws(Failure) -> [WrittenFile] {
    let queues = try CoreQueues(cores)
    let encoder = ParallelFrameEncoder(queues, level: 1)
    var files: [SeekableFile] = []
    try queues.withCore { () throws(Failure) in
      for (number, text) in texts.enumerated() {
        let stream = SeekableTextStream(
          SeekableFile(
            try OutputFile(path: "\(name)\(number)", in: scratch.path, system: system)), encoder)
        var start = 0
        while start < text.count {
          let end = min(start + piece, text.count)
          var buffer = ByteBuffer()
          buffer.append(contentsOf: Array(text[start..<end]))
          try stream.append(buffer.view)
          start = end
        }
        try stream.end { file in files.append(file) }
      }
      try encoder.finish()
    }
    #expect(encoder.time.bytes == texts.reduce(0) { $0 + $1.count })
    return try files.map { file throws(Failure) in try file.finish() }
  }

  private func write(_ text: [UInt8], to name: String) throws -> WrittenFile {
    let writer = try SeekableTextWriter(OutputFile(path: name, in: scratch.path), level: 1)
    try withByteView(of: text) { try writer.append($0) }
    return try writer.finish()
  }

  private static func exact(_ rest: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 0x61, count: SeekableTextWriter.frameText - 1) + [0x0A] + rest
  }

  @Test(arguments: [1, 2, 5])
  func theFilesAreThoseOfOneThread(cores: Int) throws {
    let texts = [
      FrameText.log(bytes: 5_300_000, seed: 71), [], [0x0A], Self.exact([]), Self.exact([0x62]),
      FrameText.log(bytes: 900_000, seed: 72),
    ]
    let files = try stream(texts, to: "\(cores)-", cores: cores)
    for (number, text) in texts.enumerated() {
      let expected = try write(text, to: "\(cores)-expected-\(number)")
      #expect(try scratch.bytes("\(cores)-\(number)") == scratch.bytes(expected.path), "\(number)")
      #expect(files[number].lines == expected.lines && files[number].xxh64 == expected.xxh64)
    }
  }

  @Test func manySmallFilesNeedFewFrames() throws {
    let texts = (0..<300).map { Array("\($0)\n".utf8) }
    let files = try stream(texts, to: "small-", cores: 2)
    #expect(files.map(\.lines) == Array(repeating: 1, count: 300))
  }

  @Test func aFullDiskIsTold() throws {
    let fault = CountedFault(.error(ENOSPC), at: 2, of: [.write])
    let text = FrameText.log(bytes: 4_000_000, seed: 73)
    let failure = #expect(throws: Failure.self) {
      try stream([text], to: "full-", cores: 2, system: System(faults: fault.next))
    }
    #expect(failure?.kind == .io && failure?.why == "No space left on device")
  }
}
