import Foundation
@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// An output with one change after it was published. Everything else fits: the manifest lists the
/// changed file with its new length and hash.
struct ForgedOutput {
  static let partitions = 2

  let fixture: RunFixture
  /// How many lines a changed file has in each frame, if its change does not say so.
  private let linesPerFrame: Int
  /// Whether all problems of a change are listed with it.
  fileprivate let listsAll: Bool
  var path: String { fixture.scratch("out") }

  /// Lines that cover everything an output can contain.
  static let log: [String] =
    (0..<40).map { Sample.event("user-\($0)", $0 % 2 == 0 ? "seen" : "bought", hour: $0 % 7) }
    + [
      #"{"identifiers":{"custom_id":"user-1","installation_id":"i1"},"time":"2024-05-02T00:00:00Z","attributes":{"age":3,"city":"x"}}"#,
      #"{"identifiers":{"custom_id":"user-1","installation_id":"i2"},"time":"2024-05-02T00:00:00Z","attributes":{"age":4,"9":1}}"#,
      #"{"installation_id":"i9","name":"opened","time":"2024-05-02T00:00:00"}"#,
      #"{"name":"opened","time":"2024-05-02T00:00:00","id":"x"}"#,
      Sample.event("user-1", "seen", id: "x"), Sample.event("user-1", "seen", id: "x"),
      Sample.event("user-1", "bad name"), "{", "",
    ]

  /// The files of a run over ``log``, which is made once.
  private static let published = Result<[String: [UInt8]], any Error> {
    let fixture = try RunFixture()
    try fixture.log(ForgedOutput.log, "a.ndjson")
    try fixture.log(["7", Sample.event("user-3", "?")], "b.ndjson")
    try fixture.run(["a.ndjson", "b.ndjson"], to: "out") {
      $0.snapshot.partitions = ForgedOutput.partitions
      $0.snapshot.dedupeDays = 9
    }
    return try fixture.bytes(of: "out")
  }

  init() throws {
    self.init(try RunFixture())
    for (path, bytes) in try Self.published.get() {
      try fixture.scratch.write(bytes, to: "out/\(path)")
    }
  }

  init(_ fixture: RunFixture, linesPerFrame: Int = 7, listsAll: Bool = true) {
    self.fixture = fixture
    (self.linesPerFrame, self.listsAll) = (linesPerFrame, listsAll)
  }

  static func part(_ number: Int, of folder: String) -> String {
    RunFiles.part(number, of: partitions, in: folder)
  }

  /// The problems that `verify` reports, except for parts that never fit files with other lines or
  /// frames: the indexes, and the states next to the profiles.
  func problems() throws -> [String] {
    let states = ": \(ProblemCode.badState)"
    return try fixture.problems(of: path).filter { !Self.isOfIndex($0) && !$0.hasSuffix(states) }
  }

  /// What `verify` says of the indexes.
  func indexProblems() throws -> [String] {
    try fixture.problems(of: path).filter(Self.isOfIndex)
  }

  private static func isOfIndex(_ problem: String) -> Bool {
    problem.hasPrefix("\(RunFiles.state)/index-")
  }

  /// Changes the bytes of the frames of a part of the state, and lists the changed file.
  func changeFrames(_ file: String, _ change: (inout [[UInt8]]) throws -> Void) throws {
    let source = try FrameFile("\(path)/\(file)", doing: "reading")
    let reader = try FrameFileReader()
    var frames = try source.frames.indices.map { frame in
      var text = ByteBuffer()
      try reader.decode(frame: frame, of: source, into: &text)
      return text.view.array
    }
    try change(&frames)
    try write(frames, to: file)
    try list(file)
  }

  func lines(_ file: String) throws -> [String] { try fixture.textLines("out/\(file)") }

  /// Gives a file other lines, in frames of `linesPerFrame`, and lists it as it is now.
  func change(
    _ file: String, linesPerFrame: Int? = nil, _ change: (inout [String]) throws -> Void
  ) throws {
    var lines = try lines(file)
    try change(&lines)
    if file.hasSuffix(".zst") {
      let count = linesPerFrame ?? self.linesPerFrame
      let frames = stride(from: 0, to: lines.count, by: count).map { start in
        lines[start..<min(start + count, lines.count)].flatMap { Array("\($0)\n".utf8) }
      }
      try write(frames, to: file)
    } else {
      try fixture.log(lines, "out/\(file)")
    }
    try list(file, lines: lines.count)
  }

  private func write(_ frames: [[UInt8]], to file: String) throws {
    var bytes: [UInt8] = []
    var table: [UInt8] = []
    func words(_ all: Int...) -> [UInt8] {
      all.flatMap { word in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }
    for content in frames {
      var frame = ByteBuffer()
      try withByteView(of: content) { try ZstdEncoder(level: 1).compress($0, into: &frame) }
      bytes += frame.view.array
      table += words(frame.count, content.count)
    }
    bytes += words(0x184D_2A5E, table.count + 9) + table + words(frames.count) + [0]
    try fixture.scratch.write(bytes + words(0x8F92_EAB1), to: "out/\(file)")
  }

  func damage(_ file: String, _ change: (inout [UInt8]) -> Void) throws {
    var bytes = try fixture.scratch.bytes("out/\(file)")
    change(&bytes)
    try fixture.scratch.write(bytes, to: "out/\(file)")
  }

  /// Makes each change of the output as it is now, and expects its problems.
  func expect(_ forgeries: [Forgery], sourceLocation: SourceLocation = #_sourceLocation) throws {
    try fixture.scratch.copy("out", to: "whole")
    for forgery in forgeries {
      try forgery.check(self, sourceLocation: sourceLocation)
      try fixture.scratch.remove("out")
      try fixture.scratch.copy("whole", to: "out")
    }
    try fixture.scratch.remove("whole")
  }

  /// Lists a file with its current bytes and with `lines` lines; `nil` keeps the listed number.
  func list(_ file: String, lines: Int? = nil) throws {
    let bytes = try fixture.scratch.bytes("out/\(file)")
    let hash = XXH64.text(withByteView(of: bytes) { XXH64.hash($0) })
    var text = try fixture.scratch.text("out/manifest.json")
    func set(_ member: Regex<Substring>, _ value: String) throws {
      let entry = try #require(text.range(of: "\"path\": \"\(file)\""))
      var rest = text[entry.upperBound...]
      rest.replace(member, with: value, maxReplacements: 1)
      text = String(text[..<entry.upperBound]) + rest
    }
    try set(#/"bytes": [0-9]+/#, "\"bytes\": \(bytes.count)")
    if let lines { try set(#/"lines": [0-9]+/#, "\"lines\": \(lines)") }
    try set(#/"xxh64": "[0-9a-f]+"/#, "\"xxh64\": \"\(hash)\"")
    try fixture.scratch.write(JSONDocument.resealed(text), to: "out/manifest.json")
  }
}

/// A change of an output, and the problems that are found then. `…` stands for any text.
struct Forgery: CustomTestStringConvertible, Sendable {
  let testDescription: String
  private let change: @Sendable (ForgedOutput) throws -> Void
  private let problems: [String]

  init(_ problems: String..., by change: @escaping @Sendable (ForgedOutput) throws -> Void) {
    (testDescription, self.problems) = (problems.joined(separator: "; "), problems)
    self.change = change
  }

  /// Other lines of a file. Problems without a path are of this file.
  init(
    _ file: String, _ problems: String..., linesPerFrame: Int? = nil,
    lines change: @escaping @Sendable (inout [String]) throws -> Void
  ) {
    self.init(file, problems) { try $0.change(file, linesPerFrame: linesPerFrame, change) }
  }

  /// Another text where `old` is first. Problems without a path are of this file.
  init(_ file: String, _ old: String, to new: String, _ problems: String...) {
    self.init(file, problems) { output in
      if [RunFiles.manifest, RunFiles.report].contains(file) {
        try output.fixture.scratch.edit("out/\(file)") { text in
          let range = try #require(text.firstRange(of: old), "\(old)")
          return text.replacingCharacters(in: range, with: new)
        }
      } else {
        try output.change(file) { lines in
          let line = try #require(lines.firstIndex { $0.contains(old) }, "\(old)")
          lines[line].replace(old, with: new, maxReplacements: 1)
        }
      }
    }
  }

  private init(
    _ file: String, _ problems: [String],
    _ change: @escaping @Sendable (ForgedOutput) throws -> Void
  ) {
    self.problems = problems.map { problem in
      if problem.hasPrefix(":") { return file + problem }
      return problem.hasPrefix("(") ? "\(file) \(problem)" : problem
    }
    testDescription = "\(file): \(problems.joined(separator: "; "))"
    self.change = change
  }

  /// Changes `output`, and expects the problems.
  func check(
    _ output: ForgedOutput, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try change(output)
    let found = try output.problems()
    let isFound =
      output.listsAll
      ? found.elementsEqual(problems, by: Self.fits)
      : problems.allSatisfy { problem in found.contains { Self.fits($0, problem) } }
    #expect(isFound, "\(found) instead of \(problems)", sourceLocation: sourceLocation)
  }

  private static func fits(_ found: String, _ problem: String) -> Bool {
    let parts = problem.split(separator: "…", omittingEmptySubsequences: false)
    guard parts.count > 1 else { return found == problem }
    var rest = found[...]
    for part in parts.dropLast() {
      guard let range = part.isEmpty ? rest.startIndex..<rest.startIndex : rest.firstRange(of: part)
      else { return false }
      rest = rest[range.upperBound...]
    }
    return found.hasPrefix(parts[0]) && rest.hasSuffix(parts[parts.count - 1])
  }
}
