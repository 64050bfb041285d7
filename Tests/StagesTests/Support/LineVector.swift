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
  /// The other records of a line with several owners.
  let further: NaiveJSON?
  /// The codes of reasons, losses and remarks, or all of them with their places, as
  /// ``StageHarness/Explained`` has them.
  let reasons: [String]
  let losses: [String]
  let remarks: [String]?
  /// The dialect, where the vector names it.
  let dialect: String?
  /// Other lists of what is reported, where the vector has them.
  private let lists: [String: [String]]

  /// The input is in the vector as JSON, as text or as base64. Of JSON the source text counts.
  init(_ line: [UInt8]) throws {
    let value = try NaiveJSON(parsing: line, maxDepth: 200)
    id = try #require(value["id"]?.text)
    rules = try Rules(
      options: value.each("options").compactMap(\.text),
      mappings: (SourceJSON(line)["mappings"]?.items ?? []).map(\.bytes))
    if let raw = value["input_raw"]?.text {
      input = Array(raw.utf8)
    } else if let base64 = value["input_base64"]?.text {
      input = [UInt8](try #require(Data(base64Encoded: base64)))
    } else {
      input = try #require(SourceJSON(line)["input"]).bytes
    }
    outcome = try #require(value["outcome"]?.text)
    canonical = value["canonical"]
    further = value["further"]
    reasons = value.each("reasons").compactMap(\.text)
    losses = value.each("losses").compactMap(\.text)
    remarks = value["remarks"]?.items.compactMap(\.text)
    dialect = value["dialect"]?.text
    var lists: [String: [String]] = [:]
    for name in ["detected_by", "claimed_by", "events", "operations", "messages"] {
      lists[name] = value[name]?.items.compactMap(\.text)
    }
    self.lists = lists
  }

  /// Expects that `line` reports what the vector records.
  func expect(_ line: StageHarness.Explained) {
    #expect(line.outcome == outcome, "\(id)")
    #expect(line.value["canonical"] == canonical, "\(id)")
    #expect(line.value["further"] == further, "\(id)")
    expect(reasons, line.reasons)
    expect(losses, line.losses)
    if let remarks { expect(remarks, line.remarks) }
    if let dialect { #expect(line.value["dialect"]?.text == dialect, "\(id)") }
    for (name, list) in lists { #expect(line.list(name) == list, "\(id), \(name)") }
  }

  private func expect(_ wanted: [String], _ found: [String]) {
    let hasPlaces = wanted.allSatisfy { $0.contains(" ") }
    let same = hasPlaces ? found : StageHarness.Explained.codes(of: found)
    #expect(same == (hasPlaces ? wanted : wanted.sorted()), "\(id): \(found)")
  }

  /// A byte order mark is taken away where files are read, so such a vector must be a file.
  var needsFile: Bool { input.starts(with: [0xEF, 0xBB, 0xBF]) }
}

extension StageHarness.Explained {
  /// Names of fields and dialects, outcomes of parts, or the messages of all reasons.
  fileprivate func list(_ name: String) -> [String] {
    switch name {
    case "events": value.each(name).compactMap { $0["outcome"]?.text }
    case "operations":
      value.each(name).map { "\($0["key"]?.text ?? "?") \($0["outcome"]?.text ?? "?")" }
    case "messages":
      ([value] + value.each("events") + value.each("operations")).flatMap { $0.each("reasons") }
        .compactMap { $0["message"]?.text }
    default: value.each(name).compactMap(\.text)
    }
  }
}

enum VectorFiles {
  /// The files of vectors for single lines, and how many each has at least.
  static let ofLines =
    [
      ("core.jsonl", 800), ("detection.jsonl", 30), ("privacy.jsonl", 60), ("unknown.jsonl", 80),
      ("untimed.jsonl", 30), ("mappings.jsonl", 90), ("examples.jsonl", 800),
    ]
    + Dialect.allCases.filter { $0 != .v1 && $0 != .v2 }.map { ("\($0.name).jsonl", 160) }

  static func lines(_ name: String) throws -> [[UInt8]] {
    let url = Bundle.module.bundleURL.appendingPathComponent("Vectors/\(name)")
    return [UInt8](try Data(contentsOf: url)).split(separator: 0x0A).map(Array.init)
  }

  /// The vectors of a file.
  static func vectors(_ name: String) throws -> [LineVector] {
    try lines(name).map(LineVector.init)
  }
}
