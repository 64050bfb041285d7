import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// One line and what the stages report about it (docs/reference/file-formats.md).
struct LineVector {
  let id: String
  let rules: Rules
  let input: [UInt8]
  let outcome: String
  let canonical: NaiveJSON?
  let reasons: [String]
  let losses: [String]
  /// The codes of remarks, where the vector names them.
  let remarks: [String]?
  /// The dialect, and the fields that identify it, where the vector names them.
  let dialect: String?
  let evidence: [String]?

  /// The input is in the vector as JSON, as text or as base64. Of JSON the source text counts.
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
    remarks = value["remarks"]?.items.compactMap(\.text)
    dialect = value["dialect"]?.text
    evidence = value["detected_by"]?.items.compactMap(\.text)
  }

  /// Expects that `line` reports what the vector records.
  func expect(_ line: StageHarness.Explained) {
    #expect(line.outcome == outcome, "\(id)")
    #expect(line.value["canonical"] == canonical, "\(id)")
    #expect(line.codes == reasons, "\(id)")
    #expect(line.lossCodes == losses, "\(id)")
    if let remarks {
      let found = (line.value["remarks"]?.items ?? []).compactMap { $0["code"]?.text }
      #expect(found == remarks, "\(id)")
    }
    if let dialect { #expect(line.value["dialect"]?.text == dialect, "\(id)") }
    if let evidence {
      #expect(line.value["detected_by"]?.items.compactMap(\.text) == evidence, "\(id)")
    }
  }

  /// A byte order mark is taken away where files are read, so such a vector must be a file.
  var needsFile: Bool { input.starts(with: [0xEF, 0xBB, 0xBF]) }
}

/// The files of vectors.
enum VectorFiles {
  /// The files of vectors for single lines, and how many each has at least.
  static let ofLines = [
    ("core.jsonl", 800), ("sdk.jsonl", 270), ("action.jsonl", 160), ("detection.jsonl", 30),
    ("privacy.jsonl", 60), ("unknown.jsonl", 80),
    ("untimed.jsonl", 30),
    ("pulse.jsonl", 350),
    ("bolts.jsonl", 300),
    ("realm.jsonl", 180),
    ("mappings.jsonl", 90),
  ]

  /// The vectors of the file `name`, as lines.
  static func lines(_ name: String) throws -> [[UInt8]] {
    let url = Bundle.module.bundleURL.appendingPathComponent("Vectors/\(name)")
    return [UInt8](try Data(contentsOf: url)).split(separator: 0x0A).map(Array.init)
  }
}
