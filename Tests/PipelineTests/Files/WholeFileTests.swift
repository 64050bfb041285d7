import Pipeline
import TestSupport
import Testing

@Suite struct WholeFileTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func write(_ text: String, to name: String, _ system: System = .real) throws {
    var bytes = ByteBuffer()
    bytes.append(text: text)
    try WholeFile.write(bytes, to: scratch(name), lines: 1, system: system)
  }

  @Test func aFileIsMadeAndReplaced() throws {
    try write("one\n", to: "a")
    try write("two\n", to: "a")
    #expect(try scratch.bytes("a") == Array("two\n".utf8))
    #expect(try scratch.names() == ["a"])
  }

  @Test(arguments: [System.Call.create, .write, .synchronize, .close, .move])
  func afterAFaultTheEarlierFileStands(_ call: System.Call) throws {
    try write("one\n", to: "a")
    let faulty = System { $0 == call ? .error(5) : nil }
    let failure = #expect(throws: Failure.self) { try write("two\n", to: "a", faulty) }
    #expect(failure?.kind == .io)
    #expect(try scratch.bytes("a") == Array("one\n".utf8))
    #expect(try scratch.names() == ["a"])
  }

  @Test func whatIsNoFileStays() throws {
    try scratch.write([], to: "directory/inner")
    let failure = #expect(throws: Failure.self) { try write("one\n", to: "directory") }
    #expect(failure?.kind == .usage)
    #expect(try scratch.names() == ["directory"])
  }
}
