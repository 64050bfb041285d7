@testable import Jobs
import Pipeline
import TestSupport
import Testing

@Suite struct RejectsMergeTests {
  private let fixture: RunFixture
  private let staging: StagedDirectory

  init() throws {
    fixture = try RunFixture()
    staging = try StagedDirectory(fixture.scratch("out"), owner: .of(.output))
  }

  /// A file of rejects with these lines, one frame for each group of them.
  private func file(_ frames: [[String]], _ name: String) throws -> FrameFile {
    let target = SeekableFile(try staging.folder.create(name))
    for lines in frames {
      var text = ByteBuffer()
      var frame = ByteBuffer()
      text.append(text: lines.joined())
      try ZstdEncoder(level: 1).compress(text.view, into: &frame)
      try target.append(frame: frame.view, decompressed: text.count, lines: lines.count)
    }
    _ = try target.finish()
    return try FrameFile("\(staging.folder.path)/\(name)", doing: "testing")
  }

  private func merge(_ files: [(file: FrameFile, inputs: [String])]) throws -> String {
    let writer = try SeekableTextWriter(staging.folder.create("merged"), level: 1)
    let sources = files.map { file, inputs in RejectsMerge.Source(inputs: inputs) { file } }
    try RejectsMerge.write(sources, to: writer)
    _ = try writer.finish()
    try staging.publish()
    return String(decoding: try fixture.text("out/merged"), as: UTF8.self)
  }

  private static func line(_ source: String, _ number: Int) -> String {
    "{\"source\":\"\(source)\",\"line\":\(number)}\n"
  }

  /// One input's path begins as another's, one has quotes in it; frames end within an input's
  /// lines.
  @Test func linesStandInTheOrderOfTheirInputs() throws {
    let quoted = "a\\\"b"
    let one = try file(
      [[Self.line("a", 1)], [Self.line("a", 3), Self.line("aa", 1)], [Self.line("z", 9)]], "one")
    let other = try file(
      [[Self.line(quoted, 5), Self.line(quoted, 6)], [Self.line("ab", 2)]], "other")
    let none = try file([], "none")
    let merged = try merge([(other, ["a\"b", "ab"]), (none, ["b"]), (one, ["a", "aa", "z"])])
    #expect(
      merged
        == [
          ("a", 1), ("a", 3), (quoted, 5), (quoted, 6), ("aa", 1), ("ab", 2), ("z", 9),
        ].map { Self.line($0.0, $0.1) }.joined())
  }

  @Test(arguments: [
    ([Self.line("other", 1)], "has an input that is not listed"),
    ([Self.line("b", 1), Self.line("a", 1)], "has an input that is not listed"),
    (["{\"line\":1}\n"], "a line is not a reject entry"), (["\n"], "a line is not a reject entry"),
    (["{\"source\":\"a\"}"], "no line feed"), (["{\"source\":\"a"], "no line feed"),
    (["{\"source\":\"a\\\n"], "not listed"), (["{\"source\":\n"], "not listed"),
    // The entries of a partial without inputs.
    ([], "has an input that is not listed"),
  ])
  func anythingElseIsDamage(_ lines: [String], why: String) throws {
    let file = try file([[Self.line("a", 1)], lines], "bad")
    let failure = #expect(throws: Failure.self) {
      try merge([(file, lines.isEmpty ? [] : ["a", "b"])])
    }
    #expect(failure?.kind == .corrupt && failure?.path?.hasSuffix("/bad") == true)
    #expect(failure?.why.contains(why) == true, "\(failure?.why ?? "")")
  }

}
