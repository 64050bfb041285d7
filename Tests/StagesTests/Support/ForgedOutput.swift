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

  init() throws {
    fixture = try RunFixture()
    try fixture.log(ForgedOutput.log, "a.ndjson")
    try fixture.log(["7", Sample.event("user-3", "?")], "b.ndjson")
    try fixture.run(["a.ndjson", "b.ndjson"], to: "out") {
      $0.snapshot.partitions = ForgedOutput.partitions
      $0.snapshot.dedupeDays = 9
    }
  }

  /// What `fixture` has published as `out`.
  init(_ fixture: RunFixture) { self.fixture = fixture }

  static func part(_ number: Int, of folder: String) -> String {
    RunFiles.part(number, of: partitions, in: folder)
  }

  /// The problems that `verify` reports, except for parts that never fit files with other lines or
  /// frames: the indexes, and the states next to the profiles.
  func problems() throws -> [String] {
    try fixture.problems(of: path).filter { problem in
      !problem.hasPrefix("\(RunFiles.state)/index-")
        && !problem.hasSuffix(": \(ProblemCode.badState)")
    }
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

  /// What `verify` says of the indexes.
  func indexProblems() throws -> [String] {
    try fixture.problems(of: path).filter { $0.hasPrefix("\(RunFiles.state)/index-") }
  }

  /// The lines of a file.
  func lines(_ file: String) throws -> [String] {
    String(decoding: try fixture.text("out/\(file)"), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  /// Gives a file other lines, in frames of `linesPerFrame`, and lists it as it is now.
  func change(
    _ file: String, linesPerFrame: Int = 7, _ change: (inout [String]) throws -> Void
  ) throws {
    var lines = try lines(file)
    try change(&lines)
    if file.hasSuffix(".zst") {
      try write(lines, to: file, linesPerFrame: linesPerFrame)
    } else {
      try fixture.scratch.write(lines.map { $0 + "\n" }.joined(), to: "out/\(file)")
    }
    try list(file, lines: lines.count)
  }

  private func write(_ lines: [String], to file: String, linesPerFrame: Int) throws {
    try write(
      stride(from: 0, to: lines.count, by: linesPerFrame).map { start in
        lines[start..<min(start + linesPerFrame, lines.count)].flatMap { Array("\($0)\n".utf8) }
      }, to: file)
  }

  private func write(_ frames: [[UInt8]], to file: String) throws {
    var bytes: [UInt8] = []
    var table: [UInt8] = []
    func append(_ word: Int, to bytes: inout [UInt8]) {
      for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
    for content in frames {
      var frame = ByteBuffer()
      try withByteView(of: content) { try ZstdEncoder(level: 1).compress($0, into: &frame) }
      bytes += frame.view.array
      append(frame.count, to: &table)
      append(content.count, to: &table)
    }
    append(0x184D_2A5E, to: &bytes)
    append(table.count + 9, to: &bytes)
    bytes += table
    append(frames.count, to: &bytes)
    bytes.append(0)
    append(0x8F92_EAB1, to: &bytes)
    try fixture.scratch.write(bytes, to: "out/\(file)")
  }

  /// Changes the bytes of a file and nothing else.
  func damage(_ file: String, _ change: (inout [UInt8]) -> Void) throws {
    var bytes = try fixture.scratch.bytes("out/\(file)")
    change(&bytes)
    try fixture.scratch.write(bytes, to: "out/\(file)")
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

  /// Replaces a text that occurs once in a file, and nothing else.
  func replace(
    _ old: String, by new: String, in file: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let text = try fixture.scratch.text("out/\(file)")
    #expect(text.ranges(of: old).count == 1, "\(old)", sourceLocation: sourceLocation)
    try fixture.scratch.edit("out/\(file)") { $0.replacing(old, with: new) }
  }
}

/// A change of the lines of a file, and the problem that must be reported.
struct ForgedLines: Sendable {
  let problem: String
  let change: @Sendable (inout [String]) -> Void

  init(_ problem: String, _ change: @escaping @Sendable (inout [String]) -> Void) {
    self.problem = problem
    self.change = change
  }
}
