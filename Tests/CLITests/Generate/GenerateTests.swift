import Foundation
import Pipeline
import Stages
import TestSupport
import Testing

@testable import eventmill

@Suite struct GenerateTests {
  private static let some = ["generate", "--users", "300", "--seed", "42"]
  /// What it takes for every fault to be seen.
  private static let narrow = ["--max-line", "32K", "--not-before", "2020-01-01T00:00:00Z"]

  private func hash(_ bytes: [UInt8]) -> UInt64 {
    withByteView(of: bytes) { XXH64.hash($0) }
  }

  /// The text of the lines, made in this process.
  private func text(_ options: GenerateOptions) -> String {
    let generator = LogGenerator(options)
    var text = ByteBuffer()
    for line in 0..<options.lines { generator.append(line, to: &text) }
    return text.view.text
  }

  @Test func aSeedMeansTheSameBytesForEver() throws {
    let arguments = Self.some + ["--lines", "3000", "--bad", "3%", "--nights", "2"]
    let result = try RunProcess.eventmill(arguments)
    #expect(result.status == 0)
    #expect(result.lines.count == 3000)
    let hash = "xxh64 \(String(hash(result.output), radix: 16))\n"
    #expect(try Golden.difference(hash, from: "generate-xxh64.txt") == nil)
    #expect(
      try Golden.difference(
        result.lines.prefix(150).joined(separator: "\n").unicodeScalars
          .map { $0.value == 0xFFFD ? "?" : String($0) }.joined() + "\n",
        from: "generate.ndjson") == nil)
  }

  @Test func anotherSeedMeansOtherBytes() throws {
    var options = GenerateOptions()
    (options.lines, options.users, options.seed) = (100, 50, 1)
    let first = text(options)
    options.seed = 2
    #expect(text(options) != first)
  }

  @Test(arguments: GenerateOptions.Format.allCases)
  func goodLinesAreGood(_ format: GenerateOptions.Format) throws {
    let lines = try RunProcess.eventmill(
      Self.some + ["--lines", "4000", "--format", format.rawValue])
    let result = try RunProcess.eventmill(["validate", "--json", "-"], input: lines.output)
    #expect(result.status == 0)
    let explained = try RunProcess.eventmill(["explain"], input: lines.output)
    var dialects: Set<String> = []
    for line in explained.lines {
      let json = try NaiveJSON(parsing: String(line))
      #expect(json["outcome"] == .string("accepted"), "\(line)")
      #expect(json["losses"] == .array([]), "\(line)")
      if case .string(let dialect)? = json["dialect"] { dialects.insert(dialect) }
    }
    #expect(explained.lines.count == 4000)
    #expect(dialects == (format == .mixed ? ["v1", "v2"] : [format.rawValue]))
  }

  @Test func theMixIsAsDescribed() throws {
    var options = GenerateOptions()
    (options.lines, options.users, options.seed) = (20_000, 1000, 5)
    let lines = text(options).split(separator: "\n")
    let v2 = lines.filter { $0.hasPrefix("{\"identifiers\"") }
    let events = v2.filter { $0.contains("\"events\":[") }
    let updates = v2.count - events.count + lines.filter { $0.contains("\"update\":{") }.count
    #expect(abs(events.count - 7000) < 300)
    #expect(abs(updates - 2000) < 200)
    let length = lines.reduce(0) { $0 + $1.utf8.count } / lines.count
    #expect((200...300).contains(length))
  }

  @Test func everyFaultIsWhatItSays() throws {
    let faults = FaultyLine.catalogue(for: .mixed)
    let arguments = Self.some + ["--lines", "\(faults.count)", "--bad", "100%"]
    let lines = try RunProcess.eventmill(arguments).output
    let strict = try RunProcess.eventmill(["explain"] + Self.narrow, input: lines).lines
    let lenient = try RunProcess.eventmill(
      ["explain", "--v1", "lenient"] + Self.narrow, input: lines
    ).lines
    #expect(strict.count == faults.count && lenient.count == faults.count)
    var met: Set<String> = []
    for (index, fault) in faults.enumerated() {
      let line = fault.code == .reservedKeyInV1 ? lenient[index] : strict[index]
      let codes = try Self.codes(in: NaiveJSON(parsing: String(line)))
      #expect(codes.contains(fault.code.text), "line \(index + 1): \(line)")
      met.formUnion(codes)
    }
    // Only --dialect makes a line one of a wrong dialect.
    let all = Set(ReasonCode.allCases.filter { $0 != .wrongDialect }.map(\.text))
    #expect(met == all)
  }

  /// All codes in an explanation, wherever they stand.
  private static func codes(in json: NaiveJSON) -> Set<String> {
    switch json {
    case .object(let members):
      var codes: Set<String> = []
      for member in members where member.name != "canonical" {
        if member.name == "code", case .string(let code) = member.value { codes.insert(code) }
        codes.formUnion(Self.codes(in: member.value))
      }
      return codes
    case .array(let items): return items.reduce(into: []) { $0.formUnion(Self.codes(in: $1)) }
    default: return []
    }
  }

  @Test func aDialectsFaultsAreItsOwn() throws {
    for (format, other) in [(GenerateOptions.Format.v1, FaultyLine.Form.v2), (.v2, .v1)] {
      let faults = FaultyLine.catalogue(for: format)
      #expect(!faults.contains { $0.form == other })
      #expect(faults.contains { $0.form == .any })
    }
  }

  @Test func nightsAreFoldersOfFiles() throws {
    let directory = try ScratchDirectory()
    let arguments = Self.some + ["--lines", "3000", "--nights", "2", "--out", "logs"]
    let result = try RunProcess.eventmill(arguments, directory: directory)
    #expect(result.status == 0)
    #expect(result.errors == "3,000 lines in 2 nights, written to logs\n")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory("logs"))
    #expect(names.sorted() == ["generated.txt", "night-1", "night-2"])
    let files = try FileManager.default.contentsOfDirectory(atPath: directory("logs/night-2"))
    #expect(
      files.sorted() == [
        "app-00.ndjson.zst", "app-01.ndjson.zst", "app-02.ndjson", "redelivered.ndjson.zst",
      ])
    // The good lines are the same as without --out; those delivered again are duplicates.
    let counted = try RunProcess.eventmill(["validate", "--json", "logs"], directory: directory)
    #expect(counted.status == 0)
  }

  @Test func anExistingOutputIsReplacedOnRequestOnly() throws {
    let directory = try ScratchDirectory()
    let arguments = Self.some + ["--lines", "10", "--out", "logs", "--quiet"]
    #expect(try RunProcess.eventmill(arguments, directory: directory).status == 0)
    #expect(try RunProcess.eventmill(arguments, directory: directory).status == 2)
    let again = try RunProcess.eventmill(arguments + ["--replace"], directory: directory)
    #expect(again.status == 0)
    #expect(again.errors == "")
  }

  @Test func noLinesAreNoBytes() throws {
    let result = try RunProcess.eventmill(Self.some + ["--lines", "0"])
    #expect(result.status == 0)
    #expect(result.output.isEmpty)
  }
}
