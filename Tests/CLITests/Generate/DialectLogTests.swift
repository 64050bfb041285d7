import Foundation
import Jobs
import Stages
import TestSupport
import Testing

@testable import eventmill

/// Synthetic logs of each dialect, and what the program makes of them.
@Suite struct DialectLogTests {
  private static let names = ["v1", "v2"] + DialectLog.further

  private func generate(_ dialect: String, lines: Int, bad: Int = 0) throws -> [UInt8] {
    try DialectLog.text(of: dialect) { ($0.lines, $0.faultsPerMillion) = (lines, bad) }
  }

  @Test(arguments: DialectLog.further) func everyDialectHasVectors(_ dialect: String) throws {
    #expect(try codesOfVectors("\(dialect).jsonl").count > 15)
  }

  @Test(arguments: names) func aSeedMeansTheSameLines(_ dialect: String) throws {
    let lines = try generate(dialect, lines: 24, bad: 250_000)
    let text = String(decoding: lines, as: UTF8.self).replacing("\u{FFFD}", with: "?")
    #expect(try Golden.difference(text, from: "generate-\(dialect).ndjson") == nil)
  }

  @Test(arguments: names) func goodLinesLoseNothing(_ dialect: String) throws {
    let directory = try ScratchDirectory()
    try directory.write(generate(dialect, lines: 2000), to: "log")
    let found = try RunProcess.bash(
      """
      "$eventmill" explain log >lines; wc -l <lines
      grep -vE '^\\{"line":[0-9]+,"dialect":"\(dialect)",("detected_by":[^]]*\\],)?"outcome":"accepted",.*,"losses":\\[\\]' \
        lines | head -n 3
      """, directory: directory)
    #expect(found.lines == ["2000"])
  }

  /// Every fault is what it says. A code that no log and no vector has is untested.
  @Test func everyCodeIsMetSomewhere() throws {
    // Only an edit of rejects takes parts out of a line, and only a mapping has kinds of lines.
    var missing = Set(ReasonCode.allCases.map(\.text))
      .subtracting([ReasonCode.partMissing.text, ReasonCode.unmappedLine.text])
    missing.subtract(DialectLog(.mixed).faults.map(\.code.text))
    for dialect in DialectLog.further {
      let faults = try DialectLog.named(dialect).faults
      let met = try codesOfFaults(dialect)
      #expect(met.count == faults.count)
      for (fault, codes) in zip(faults, met) {
        #expect(codes.contains(fault.code.text), "\(fault)")
      }
      missing.subtract(met.joined())
    }
    for file in try FileManager.default.contentsOfDirectory(atPath: Self.vectors.path) {
      try missing.subtract(codesOfVectors(file))
    }
    #expect(missing == [])
  }

  private static let vectors = MigrationGuide.folder.appending(path: "Tests/StagesTests/Vectors")

  /// The codes of a file of vectors. `VectorTests` proves that each is found.
  private func codesOfVectors(_ file: String) throws -> Set<String> {
    var codes: Set<String> = []
    let text = try String(contentsOf: Self.vectors.appending(path: file), encoding: .utf8)
    for line in text.split(separator: "\n") {
      let vector = try NaiveJSON(parsing: Array(line.utf8), maxDepth: 200)
      for member in ["reasons", "losses", "remarks"] {
        codes.formUnion((vector[member]?.items ?? []).compactMap(\.text))
      }
    }
    return codes
  }

  /// The codes of each fault of the dialect, read once as a log of any kind and once as this
  /// dialect with repairs. Some codes are reported only in the second reading.
  private func codesOfFaults(_ dialect: String) throws -> [Set<String>] {
    let count = try DialectLog.named(dialect).faults.count
    let lines = try generate(dialect, lines: count, bad: 1_000_000)
    let explained = try ["", "--dialect \(dialect) --repair"].map { more in
      let words = "explain \(DialectLog.narrow) \(more)".split(separator: " ").map(String.init)
      return try RunProcess.eventmill(words, input: lines).lines
        .map { try NaiveJSON(parsing: String($0)).codes }
    }
    return zip(explained[0], explained[1]).map { $0.union($1) }
  }

  /// The files in sample-data/dialects are of these tables. Compares lines, because compressed
  /// bytes depend on libzstd.
  @Test(arguments: names) func theLogsInSampleDataAreWhatIsGenerated(_ name: String) throws {
    let folder = MigrationGuide.folder.appending(path: "sample-data/dialects").path
    let isNative = !DialectLog.further.contains(name)
    let lines = try DialectLog.text(of: name) {
      ($0.lines, $0.users, $0.seed) = (50, 800, 7)
      $0.start = name == "v2" ? 1_717_545_600_000 : 1_717_459_200_000
      $0.faultsPerMillion = isNative ? 80_000 : 200_000
    }
    let kept = try RunProcess.bash("zstd -dcqf '\(folder)/\(name)'.ndjson*")
    #expect(kept.status == 0 && kept.output == lines)
  }

  private static let target = ProcessInfo.processInfo.environment["EVENTMILL_DIALECT_LOGS"]

  /// Writes logs for measurements (scripts/make-dialect-logs.sh).
  @Test(.enabled(if: target != nil, "EVENTMILL_DIALECT_LOGS names a directory"), arguments: names)
  func logsAreWritten(_ name: String) throws {
    let lines = try generate(name, lines: 100_000, bad: 10_000)
    let target = try #require(Self.target)
    try Data(lines).write(to: URL(fileURLWithPath: "\(target)/\(name).ndjson"))
  }
}
