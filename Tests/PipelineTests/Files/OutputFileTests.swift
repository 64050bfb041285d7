import Foundation
import TestSupport
import Testing

@testable import Pipeline

@Suite struct OutputFileTests {
  private let scratch = ScratchDirectory.fresh

  /// Pieces around the size of the buffer, empty ones, and none.
  @Test(arguments: [
    [0, 1, 100, 1, OutputFile.bufferSize - 1, OutputFile.bufferSize, 7, 300_000, 0], [],
  ])
  func writesWhatWasAppendedAndSaysSo(_ lengths: [Int]) throws {
    var random = RepeatableRandom(seed: 11)
    let file = try OutputFile(path: "a.bin", in: scratch.path)
    var expected: [UInt8] = []
    for length in lengths {
      let piece = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      try withByteView(of: piece) { try file.append($0, lines: 2) }
      expected += piece
    }
    let written = try file.finish()
    #expect(try scratch.bytes("a.bin") == expected)
    let hash = withByteView(of: expected) { XXH64.hash($0) }
    #expect(
      written
        == WrittenFile(path: "a.bin", bytes: expected.count, lines: 2 * lengths.count, xxh64: hash))
  }

  @Test func neverTouchesAFileThatExistsNorFollowsALink() throws {
    try scratch.write("old", to: "a")
    try scratch.link("link", to: scratch("elsewhere"))
    for name in ["a", "link"] {
      let failure = Failure.of(try OutputFile(path: name, in: scratch.path))
      #expect(failure?.kind == .io && failure?.path == scratch(name))
      #expect(failure?.why == "File exists")
    }
    #expect(try scratch.text("a") == "old" && scratch.listing() == ["a", "link"])
  }

  @Test(arguments: [OutputFile.bufferSize, 1]) func aFullDiskIsAFailureWithAdvice(count: Int) throws
  {
    let descriptor = unsafe open("/dev/full", O_WRONLY)
    try #require(descriptor >= 0)
    let file = OutputFile(
      descriptor: descriptor, path: "a", location: "OUT/a", system: .real,
      whenFinished: { _ in Issue.record("a failed file is not finished") })
    let thrown = #expect(throws: Failure.self) {
      try withByteView(of: [UInt8](repeating: 1, count: count)) { try file.append($0) }
      try #require(count == 1)
      _ = try file.finish()
    }
    let failure = try #require(thrown)
    #expect(
      failure.message == "writing OUT/a: No space left on device; free some space and run again")
    #expect(failure.kind == .io)
    #expect(throws: failure) { try file.append("x") }
    #expect(throws: failure) { _ = try file.finish() }
  }

  @Test(arguments: [System.Fault.error(EINTR), .short(1), .short(3)])
  func shortAndInterruptedWritesGoOn(_ fault: System.Fault) throws {
    for number in 0..<3 {
      let counted = CountedFault(fault, at: number)
      let name = "\(fault)-\(number)"
      let file = try OutputFile(path: name, in: scratch.path, system: counted.system)
      try file.append("first ")
      try file.append("second")
      let written = try file.finish()
      #expect(counted.hasHappened)
      #expect(written.xxh64 == XXH64.hash("first second"))
      #expect(try scratch.text(name) == "first second")
    }
  }

  @Test func aWriteThatTakesNothingIsAFailure() throws {
    let counted = CountedFault(.short(0), at: 0, of: [.write])
    let file = try OutputFile(path: "a", in: scratch.path, system: counted.system)
    try file.append("x")
    #expect(Failure.of(try file.finish())?.advice == "check the disk and run again")
  }

  @Test func aFileThatDidNotReachTheDiskIsAFailureAndClosed() throws {
    do {
      let abandoned = try OutputFile(path: "a", in: scratch.path)
      try abandoned.append("x")
      #expect(try scratch.openDescriptors().count == 1)
    }
    for call in [System.Call.write, .synchronize, .close] {
      let counted = CountedFault(.error(EIO), at: 0, of: [call])
      let file = try OutputFile(
        path: "\(call)", in: scratch.path, system: counted.system,
        whenFinished: { _ in Issue.record("a failed file is not finished") })
      try file.append("x")
      let failure = Failure.of(try file.finish())
      #expect(failure?.path == scratch("\(call)") && failure?.why == "Input/output error")
    }
    _ = try OutputFile(path: "b", in: scratch.path).finish()
    #expect(try scratch.openDescriptors() == [])
  }

  @Test func appendingToAFinishedFileTraps() async {
    await #expect(processExitsWith: .failure) {
      let scratch = try ScratchDirectory()
      let file = try OutputFile(path: "a", in: scratch.path)
      _ = try file.finish()
      try file.append("x")
    }
  }
}
