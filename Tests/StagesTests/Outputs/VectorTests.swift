import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Every vector (docs/reference/file-formats.md) through the stages: those of v1 and v2 in
/// `core.jsonl`, and those of each further dialect and of detection in files of their own.
@Suite struct VectorTests {
  /// A canonical record is a v2 record, so it passes the stages as it is (data-model 10, 11).
  @Test(arguments: VectorFiles.ofLines)
  func everyVectorGivesWhatItSays(_ file: String, _ least: Int) throws {
    let harness = StageHarness()
    let scratch = try ScratchDirectory()
    let vectors = try VectorFiles.lines(file).map(LineVector.init)
    #expect(vectors.count > least && Set(vectors.map(\.id)).count == vectors.count)
    var canonicalRecords = 0
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
        lines = try harness.explain(vector.input.isEmpty ? [0x0A] : vector.input, vector.rules)
      }
      #expect(lines.count == 1, "\(vector.id)")
      let line = try #require(lines.first, "\(vector.id)")
      vector.expect(line)
      guard let canonical = line.canonical else { continue }
      canonicalRecords += 1
      var rules = Rules()
      rules.placeholders = vector.rules.placeholders
      let again = try #require(try harness.explain(canonical, rules).first)
      #expect(again.outcome == "accepted", "\(vector.id)")
      #expect(again.canonical == canonical, "\(vector.id)")
      #expect(again.codes.isEmpty && again.lossCodes.isEmpty, "\(vector.id)")
    }
    #expect(canonicalRecords > least / 3)
  }

  /// What one line is does not depend on the lines beside it.
  @Test func vectorsInOneBlockGiveTheSame() throws {
    let harness = StageHarness()
    let vectors = try VectorFiles.ofLines.flatMap { try VectorFiles.lines($0.0) }.map(
      LineVector.init
    )
    .filter { !$0.needsFile && $0.rules == Rules() }
    let block = vectors.map { $0.input + [0x0A] as [UInt8] }.reduce(into: [UInt8]()) { $0 += $1 }
    let lines = try harness.explain(block)
    #expect(lines.count == vectors.count)
    for (line, vector) in zip(lines, vectors) { vector.expect(line) }
    #expect(lines.enumerated().allSatisfy { $1.value["line"]?.integer == $0 + 1 })
  }
}
