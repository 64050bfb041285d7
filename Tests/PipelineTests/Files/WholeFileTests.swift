import Foundation
import Pipeline
import TestSupport
import Testing

@Suite struct WholeFileTests {
  private let scratch = ScratchDirectory.fresh

  private func write(
    _ text: String, to name: String, _ system: System = .real
  ) throws(Failure) {
    try WholeFile.write(
      ByteBuffer(text: text), to: scratch(name), lines: 1,
      replacing: { $0.last == UInt8(ascii: "\n") },
      system: system)
  }

  @Test(arguments: [System.Call.create, .write, .synchronize, .close, .move])
  func aFileIsReplacedUnlessThereIsAFault(_ call: System.Call) throws {
    try write("one\n", to: "a")
    #expect(
      Failure.of(try write("two\n", to: "a", System { $0 == call ? .error(5) : nil }))?.kind == .io)
    #expect(try scratch.text("a") == "one\n" && scratch.names() == ["a"])
    try write("two\n", to: "a")
    #expect(try scratch.text("a") == "two\n" && scratch.names() == ["a"])
  }

  /// A draft that a killed process has left is not in the way, and a draft's name is not much
  /// longer than the file's.
  @Test func aDraftHasAFreeName() throws {
    let name = String(repeating: "a", count: 240)
    let calls = Locked(0)
    let system = System { call in
      guard call == .create else { return nil }
      let isFirst = calls.withLock { calls in
        calls += 1
        return calls == 1
      }
      return isFirst ? .error(EEXIST) : nil
    }
    try write("one\n", to: name, system)
    #expect(try scratch.names() == [name])
    let full = System { $0 == .create ? .error(EEXIST) : nil }
    #expect(Failure.of(try write("two\n", to: name, full))?.kind == .io)
  }

  @Test func whatIsNoFileStays() throws {
    try scratch.write([], to: "directory/inner")
    #expect(Failure.of(try write("one\n", to: "directory"))?.kind == .usage)
    #expect(try scratch.names() == ["directory"])
  }

  @Test func aFileOfAnotherProgramIsNotReplaced() throws {
    for content in ["precious", String(repeating: "p", count: 100)] {
      try scratch.write(Array(content.utf8), to: "a")
      #expect(Failure.of(try write("one\n", to: "a"))?.kind == .usage)
      #expect(try scratch.bytes("a") == Array(content.utf8))
    }
    // An empty file holds nothing that could be lost.
    try scratch.write([], to: "empty")
    try write("one\n", to: "empty")
  }

  /// Another program may create the file between the first check and the rename.
  @Test func aFileThatCameIntoBeingMeanwhileIsNotReplaced() throws {
    let path = scratch("a")
    let system = System { call in
      if call == .synchronize {
        _ = FileManager.default.createFile(atPath: path, contents: Data("x".utf8))
      }
      return nil
    }
    #expect(Failure.of(try write("one\n", to: "a", system))?.kind == .usage)
    #expect(try scratch.bytes("a") == Array("x".utf8))
    #expect(try scratch.names() == ["a"])
  }
}
