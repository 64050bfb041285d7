import Foundation
import Stages
import TestSupport
import Testing

@testable import eventmill

/// What `generate --dialect` makes of each dialect.
@Suite struct DialectLogTests {
  private static let some = ["generate", "--users", "300", "--seed", "42"]
  /// The options with which every fault is reported.
  private static let narrow = ["--max-line", "32K", "--not-before", "2020-01-01T00:00:00Z"]

  private func generate(_ dialect: String, _ arguments: [String]) throws -> [UInt8] {
    let result = try RunProcess.eventmill(Self.some + ["--dialect", dialect] + arguments)
    try #require(result.status == 0, "\(result.errors)")
    return result.output
  }

  /// What `explain` says of each line.
  private func explain(_ lines: [UInt8], _ options: [String] = []) throws -> [NaiveJSON] {
    try RunProcess.eventmill(["explain"] + options, input: lines).lines
      .map { try NaiveJSON(parsing: String($0)) }
  }

  /// Whatever can be made is read. A dialect without logs is not offered, but has vectors.
  @Test func everyLogIsOfADialectWithVectors() throws {
    let dialects = Set(Dialect.allCases.map(\.name))
    #expect(Set(DialectLog.names).isSubset(of: dialects))
    #expect(Set(DialectLog.names).count == DialectLog.names.count)
    for dialect in dialects.subtracting(["v1", "v2"]) {
      #expect(try codesOfVectors("\(dialect).jsonl", of: dialect).count > 15, "\(dialect)")
    }
  }

  @Test(arguments: DialectLog.names)
  func aSeedMeansTheSameLines(_ dialect: String) throws {
    let lines = try generate(dialect, ["--lines", "24", "--bad", "25%"])
    let text = String(decoding: lines, as: UTF8.self).replacing("\u{FFFD}", with: "?")
    #expect(try Golden.difference(text, from: "generate-\(dialect).ndjson") == nil)
  }

  @Test(arguments: DialectLog.further)
  func goodLinesLoseNothing(_ dialect: String) throws {
    let explained = try explain(generate(dialect, ["--lines", "2000"]))
    #expect(explained.count == 2000)
    for line in explained {
      #expect(line["dialect"]?.text == dialect)
      #expect(line["outcome"]?.text == "accepted", "\(line)")
      #expect(line["losses"]?.items == [], "\(line)")
    }
  }

  @Test(arguments: DialectLog.further)
  func everyFaultIsWhatItSays(_ dialect: String) throws {
    let faults = DialectLog.named(dialect).faults
    let met = try codesOfFaults(dialect)
    #expect(met.count == faults.count)
    for (fault, codes) in zip(faults, met) {
      #expect(codes.contains(fault.code.text), "\(fault)")
    }
  }

  /// Codes of fields that no rule reads: such a line has no fault.
  private static let ofFieldsNotRead = [
    ReasonCode.unknownField.text, ReasonCode.aliasIgnored.text,
  ]

  /// The logs of a dialect have nearly every code that its vectors have; a vector alone will do for
  /// a few.
  @Test(arguments: DialectLog.further)
  func theFaultsHaveMostCodesOfTheVectors(_ dialect: String) throws {
    let met = try codesOfFaults(dialect).reduce(into: Set<String>()) { $0.formUnion($1) }
    let wanted = try codesOfVectors("\(dialect).jsonl", of: dialect).subtracting(
      Self.ofFieldsNotRead)
    let missing = wanted.subtracting(met)
    #expect(missing.count * 10 <= wanted.count, "\(missing)")
  }

  /// All codes over all logs and vectors: a code that none of them has is untested.
  @Test func everyCodeIsMetSomewhere() throws {
    // Only an edit of rejects takes parts out of a line, and only a mapping has kinds of lines.
    var missing = Set(ReasonCode.allCases.map(\.text))
      .subtracting([ReasonCode.partMissing.text, ReasonCode.unmappedLine.text])
    missing.subtract(DialectLog.mixed.faults.map(\.code.text))
    for dialect in DialectLog.further {
      for codes in try codesOfFaults(dialect) { missing.subtract(codes) }
    }
    for file in try FileManager.default.contentsOfDirectory(atPath: Self.vectors.path) {
      try missing.subtract(codesOfVectors(file))
    }
    #expect(missing == [])
  }

  private static let vectors = MigrationGuide.folder.appending(path: "Tests/StagesTests/Vectors")

  /// The codes of a file of vectors. `VectorTests` proves that each is found. With `dialect`,
  /// vectors of lines in other dialects are left out.
  private func codesOfVectors(_ file: String, of dialect: String? = nil) throws -> Set<String> {
    var codes: Set<String> = []
    let text = try String(contentsOf: Self.vectors.appending(path: file), encoding: .utf8)
    for line in text.split(separator: "\n") {
      let vector = try NaiveJSON(parsing: Array(line.utf8), maxDepth: 200)
      if let dialect, let other = vector["dialect"]?.text, other != dialect { continue }
      for member in ["reasons", "losses", "remarks"] {
        codes.formUnion((vector[member]?.items ?? []).compactMap(\.text))
      }
    }
    return codes
  }

  /// The codes of each fault of the dialect, read once as a log of any kind and once as this
  /// dialect with repairs. Some codes are reported only in the second reading.
  private func codesOfFaults(_ dialect: String) throws -> [Set<String>] {
    let count = DialectLog.named(dialect).faults.count
    let lines = try generate(dialect, ["--lines", "\(count)", "--bad", "100%"])
    let alone = try explain(lines, Self.narrow + ["--dialect", dialect, "--repair"])
    return try zip(explain(lines, Self.narrow), alone).map {
      $0.codes.union($1.codes)
    }
  }

  /// Nights of a dialect have what those of the mix have: duplicates, and links of the same people.
  @Test(arguments: DialectLog.further)
  func peopleAreThoseOfTheOtherLogs(_ dialect: String) throws {
    let directory = try ScratchDirectory()
    let arguments = Self.some + ["--lines", "2000", "--nights", "2", "--out"]
    for (format, name) in [("--dialect", dialect), ("--format", "v2")] {
      let made = try RunProcess.eventmill(arguments + [name, format, name], directory: directory)
      try #require(made.status == 0, "\(made.errors)")
    }
    let result = try RunProcess.bash(
      """
      for logs in '\(dialect)' v2; do
        zstd -dcqf "$logs"/night-*/*.zst "$logs"/night-*/*.ndjson >"$logs.all"
        grep -oh 'user-[0-9]*' "$logs.all" | sort -u >"$logs.people"
      done
      sort '\(dialect).all' | uniq -d | wc -l
      comm -12 '\(dialect).people' v2.people | wc -l
      sort -u '\(dialect).people' | wc -l
      """, directory: directory)
    let counts = result.lines.compactMap { Int($0.filter(\.isNumber)) }
    try #require(counts.count == 3, "\(result.text)\(result.errors)")
    #expect(counts[0] > 20, "lines that were delivered again")
    #expect(counts[1] > 150 && counts[1] * 10 > counts[2] * 9, "people of both: \(counts)")
  }

  @Test func theNamesOfFormatsAreDialects() throws {
    for format in ["v1", "v2"] {
      let arguments = Self.some + ["--lines", "50", "--bad", "10%"]
      let byFormat = try RunProcess.eventmill(arguments + ["--format", format])
      let byDialect = try RunProcess.eventmill(arguments + ["--dialect", format])
      #expect(byFormat.output == byDialect.output)
      #expect(byFormat.lines.count == 50)
    }
    let auto = try RunProcess.eventmill(Self.some + ["--lines", "50", "--dialect", "auto"])
    #expect(try auto.output == RunProcess.eventmill(Self.some + ["--lines", "50"]).output)
  }

  /// The variable is about reading.
  @Test func theVariableChangesNoLogs() throws {
    let arguments = Self.some + ["--lines", "20"]
    let plain = try RunProcess.eventmill(arguments)
    let other = try RunProcess.eventmill(arguments, environment: ["EVENTMILL_DIALECT": "sdk"])
    #expect(plain.output == other.output)
  }

  @Test func aFormatAndADialectDoNotGoTogether() throws {
    let result = try RunProcess.eventmill(
      Self.some + ["--lines", "1", "--format", "v1", "--dialect", "sdk"])
    #expect(result.status == 2)
    #expect(result.errors.contains("it cannot be used with --dialect"))
  }

  @Test func aDialectThatThereIsNotIsRefused() throws {
    let result = try RunProcess.eventmill(Self.some + ["--lines", "1", "--dialect", "sdks"])
    #expect(result.status == 2)
    #expect(result.errors.contains("--dialect sdk"), "\(result.errors)")
  }

  @Test func theNoteTellsTheDialect() throws {
    let directory = try ScratchDirectory()
    let result = try RunProcess.eventmill(
      Self.some + ["--lines", "5", "--dialect", "sdk", "--out", "logs"], directory: directory)
    #expect(result.status == 0)
    let note = try String(contentsOfFile: directory("logs/generated.txt"), encoding: .utf8)
    #expect(note.contains("--dialect sdk"))
  }

  /// The files in sample-data/dialects are those that scripts/make-sample-data.sh makes. Compares
  /// lines, because compressed bytes depend on libzstd.
  @Test func theLogsInSampleDataAreWhatIsGenerated() throws {
    let folder = MigrationGuide.folder.appending(path: "sample-data/dialects").path
    let note = try String(contentsOfFile: folder + "/generated.txt", encoding: .utf8)
    let commands = note.split(separator: "\n").dropFirst().map {
      $0.split(separator: " ").map(String.init)
    }
    var made: Set<String> = []
    for words in commands {
      let position = try #require(words.firstIndex(of: "--dialect"))
      let name = words[position + 1]
      made.insert(name)
      let lines = try RunProcess.eventmill(Array(words.dropFirst()))
      try #require(lines.status == 0, "\(lines.errors)")
      let kept = try RunProcess.bash("zstd -dcqf '\(folder)/\(name)'.ndjson*")
      #expect(kept.status == 0 && kept.output == lines.output, "\(name)")
      #expect((40...60).contains(lines.lines.count))
    }
    #expect(made == Set(DialectLog.names))
  }
}
