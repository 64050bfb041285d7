import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Every vector of `Vectors/core.jsonl` (SPEC 12) through the stages.
@Suite struct VectorTests {
  struct Vector {
    let id: String
    let rules: Rules
    let input: [UInt8]
    let outcome: String
    let canonical: NaiveJSON?
    let reasons: [String]
    let losses: [String]

    /// The input stands in the vector as JSON, as text or as base64; as JSON its source text counts.
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
    }

    /// A byte order mark is taken away where files are read, so such a vector must be a file.
    var needsFile: Bool { input.starts(with: [0xEF, 0xBB, 0xBF]) }
  }

  /// The vectors of the file `name`, as lines.
  static func lines(_ name: String) throws -> [[UInt8]] {
    let url = Bundle.module.bundleURL.appendingPathComponent("Vectors/\(name)")
    return [UInt8](try Data(contentsOf: url)).split(separator: 0x0A).map(Array.init)
  }

  @Test func everyVectorGivesWhatItSays() throws {
    let harness = StageHarness()
    let scratch = try ScratchDirectory()
    let vectors = try VectorTests.lines("core.jsonl").map(Vector.init)
    #expect(vectors.count > 800)
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
      #expect(line.outcome == vector.outcome, "\(vector.id)")
      #expect(line.value["canonical"] == vector.canonical, "\(vector.id)")
      #expect(line.codes == vector.reasons, "\(vector.id)")
      #expect(line.lossCodes == vector.losses, "\(vector.id)")
    }
  }

  /// A canonical record is a v2 record, so it passes the stages as it is (SPEC 5, 6).
  @Test func canonicalRecordsAreTheirOwnCanonicalForm() throws {
    let harness = StageHarness()
    var count = 0
    for vector in try VectorTests.lines("core.jsonl").map(Vector.init) where !vector.needsFile {
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
    #expect(count > 300)
  }

  /// What one line is does not depend on the lines beside it.
  @Test func vectorsInOneBlockGiveTheSame() throws {
    let harness = StageHarness()
    let vectors = try VectorTests.lines("core.jsonl").map(Vector.init).filter {
      !$0.needsFile && $0.rules == Rules()
    }
    let block = vectors.map { $0.input + [0x0A] as [UInt8] }.reduce(into: [UInt8]()) { $0 += $1 }
    let lines = try harness.explain(block)
    #expect(lines.count == vectors.count)
    for (line, vector) in zip(lines, vectors) {
      #expect(line.outcome == vector.outcome, "\(vector.id)")
      #expect(line.value["canonical"] == vector.canonical, "\(vector.id)")
      #expect(line.codes == vector.reasons, "\(vector.id)")
      #expect(line.lossCodes == vector.losses, "\(vector.id)")
    }
    #expect(lines.enumerated().allSatisfy { $1.value["line"]?.integer == $0 + 1 })
  }
}
