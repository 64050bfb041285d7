import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Every vector (docs/file-formats.md) through the stages: those of v1 and v2 in `core.jsonl`, and
/// those of each further dialect and of detection in files of their own.
@Suite struct VectorTests {
  struct Vector {
    let id: String
    let rules: Rules
    let input: [UInt8]
    let outcome: String
    let canonical: NaiveJSON?
    let reasons: [String]
    let losses: [String]
    /// The dialect, and the members that tell it, where the vector names them.
    let dialect: String?
    let evidence: [String]?

    /// The input stands in the vector as JSON, as text or as base64; as JSON its source text
    /// counts.
    init(_ line: [UInt8]) throws {
      let value = try NaiveJSON(parsing: line, maxDepth: 200)
      id = try #require(value["id"]?.text)
      rules = try Rules(options: (value["options"]?.items ?? []).compactMap(\.text))
      if let raw = value["input_raw"]?.text {
        input = Array(raw.utf8)
      } else if let base64 = value["input_base64"]?.text {
        input = [UInt8](try #require(Data(base64Encoded: base64)))
      } else {
        input = try #require(SourceJSON(line)["input"]).bytes
      }
      outcome = try #require(value["outcome"]?.text)
      canonical = value["canonical"]
      reasons = (value["reasons"]?.items ?? []).compactMap(\.text).sorted()
      losses = (value["losses"]?.items ?? []).compactMap(\.text).sorted()
      dialect = value["dialect"]?.text
      evidence = value["detected_by"]?.items.compactMap(\.text)
    }

    /// Expects that `line` says of the input what the vector does.
    func expect(_ line: StageHarness.Explained) {
      #expect(line.outcome == outcome, "\(id)")
      #expect(line.value["canonical"] == canonical, "\(id)")
      #expect(line.codes == reasons, "\(id)")
      #expect(line.lossCodes == losses, "\(id)")
      if let dialect { #expect(line.value["dialect"]?.text == dialect, "\(id)") }
      if let evidence {
        #expect(line.value["detected_by"]?.items.compactMap(\.text) == evidence, "\(id)")
      }
    }

    /// A byte order mark is taken away where files are read, so such a vector must be a file.
    var needsFile: Bool { input.starts(with: [0xEF, 0xBB, 0xBF]) }
  }

  /// The files of vectors for single lines, and how many each has at least.
  static let files = [
    ("core.jsonl", 800), ("sdk.jsonl", 270), ("action.jsonl", 160), ("detection.jsonl", 30),
    ("privacy.jsonl", 60), ("unknown.jsonl", 80),
    ("untimed.jsonl", 30),
    ("pulse.jsonl", 350),
    ("bolts.jsonl", 300),
    ("realm.jsonl", 180),
  ]

  /// The vectors of the file `name`, as lines.
  static func lines(_ name: String) throws -> [[UInt8]] {
    let url = Bundle.module.bundleURL.appendingPathComponent("Vectors/\(name)")
    return [UInt8](try Data(contentsOf: url)).split(separator: 0x0A).map(Array.init)
  }

  @Test(arguments: files)
  func everyVectorGivesWhatItSays(_ file: String, _ least: Int) throws {
    let harness = StageHarness()
    let scratch = try ScratchDirectory()
    let vectors = try VectorTests.lines(file).map(Vector.init)
    #expect(vectors.count > least && Set(vectors.map(\.id)).count == vectors.count)
    for vector in vectors {
      let lines: [StageHarness.Explained]
      if vector.needsFile {
        let path = try scratch.write(vector.input, to: "vector.ndjson")
        let reader = try BlockReader(
          InputFile(path: path, size: nil), index: 0, maxLine: vector.rules.maxLine)
        #expect(try reader.fill(harness.unit.block))
        reader.close()
        harness.work(vector.rules)
        lines = try harness.explain()
      } else {
        // An empty line is a line when a line feed ends it.
        lines = try harness.explain(
          vector.input.isEmpty ? [0x0A] : vector.input, vector.rules)
      }
      #expect(lines.count == 1, "\(vector.id)")
      let line = try #require(lines.first, "\(vector.id)")
      vector.expect(line)
    }
  }

  /// A canonical record is a v2 record, so it passes the stages as it is (data-model 10, 11).
  @Test(arguments: files)
  func canonicalRecordsAreTheirOwnCanonicalForm(_ file: String, _ least: Int) throws {
    let harness = StageHarness()
    var count = 0
    for vector in try VectorTests.lines(file).map(Vector.init) where !vector.needsFile {
      let input = vector.input.isEmpty ? [0x0A] : vector.input
      guard let canonical = try harness.explain(input, vector.rules).first?.canonical else {
        continue
      }
      count += 1
      let again = try #require(try harness.explain(canonical).first)
      #expect(again.outcome == "accepted", "\(vector.id)")
      #expect(again.canonical == canonical, "\(vector.id)")
      #expect(again.codes.isEmpty && again.lossCodes.isEmpty, "\(vector.id)")
    }
    #expect(count > least / 3)
  }

  /// What one line is does not depend on the lines beside it.
  @Test func vectorsInOneBlockGiveTheSame() throws {
    let harness = StageHarness()
    let vectors = try VectorTests.files.flatMap { try VectorTests.lines($0.0) }.map(Vector.init)
      .filter { !$0.needsFile && $0.rules == Rules() }
    let block = vectors.map { $0.input + [0x0A] as [UInt8] }.reduce(into: [UInt8]()) { $0 += $1 }
    let lines = try harness.explain(block)
    #expect(lines.count == vectors.count)
    for (line, vector) in zip(lines, vectors) {
      vector.expect(line)
    }
    #expect(lines.enumerated().allSatisfy { $1.value["line"]?.integer == $0 + 1 })
  }
}
