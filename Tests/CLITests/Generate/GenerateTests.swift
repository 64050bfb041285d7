import Stages
import Foundation
import Pipeline
import TestSupport
import Testing

@testable import eventmill

@Suite struct GenerateTests {
  private static let some = ["generate", "--users", "300", "--seed", "42"]
  /// The options with which every fault is reported.
  private static let narrow = ["--max-line", "32K", "--not-before", "2020-01-01T00:00:00Z"]

  private func hash(_ bytes: [UInt8]) -> UInt64 { withByteView(of: bytes) { XXH64.hash($0) } }

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

  @Test(arguments: [GenerateOptions.Format.mixed, .v2])
  func everyFaultIsWhatItSays(_ format: GenerateOptions.Format) throws {
    let faults = (format == .v2 ? DialectLog.v2 : .mixed).faults
    let arguments =
      Self.some + ["--lines", "\(faults.count)", "--bad", "100%", "--format", format.rawValue]
    let lines = try RunProcess.eventmill(arguments).output
    let strict = try RunProcess.eventmill(["explain"] + Self.narrow, input: lines).lines
    let lenient = try RunProcess.eventmill(
      ["explain", "--v1", "lenient"] + Self.narrow, input: lines
    ).lines
    #expect(strict.count == faults.count && lenient.count == faults.count)
    var met: Set<String> = []
    for (index, fault) in faults.enumerated() {
      let line = fault.code == .reservedKeyInV1 ? lenient[index] : strict[index]
      let codes = try NaiveJSON(parsing: String(line)).codes
      #expect(codes.contains(fault.code.text), "line \(index + 1): \(line)")
      met.formUnion(codes)
    }
    #expect(met == Set(faults.map(\.code.text)))
  }

  @Test func aDialectsFaultsAreItsOwn() throws {
    for (log, other) in [(DialectLog.v1, "v2"), (.v2, "v1")] {
      #expect(!log.faults.contains { $0.frame.hasPrefix(other) })
      #expect(log.faults.contains { $0.frame == "any" })
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

  @Test func everyTrapOfAnImportIsTold() throws {
    var options = GenerateOptions()
    (options.lines, options.users, options.seed) = (100, 5, 3)
    let generator = LogGenerator(options)
    var text = ByteBuffer()
    for trap in DialectLog.unitTraps { generator.append(7, with: trap, to: &text) }
    let result = try RunProcess.eventmill(["explain"], input: Array(text.view.text.utf8))
    try #require(result.lines.count == DialectLog.unitTraps.count)
    for (trap, line) in zip(DialectLog.unitTraps, result.lines) {
      #expect(try NaiveJSON(parsing: String(line)).codes == [trap.code.text], "\(line)")
      #expect(line.contains("looks like") || line.contains("this is a number"), "\(line)")
    }
  }

  /// The nights in sample-data are those that scripts/make-sample-data.sh makes: a fault that is
  /// added to the cycle of `mixed` would change them.
  @Test func theNightsInSampleDataAreWhatIsGenerated() throws {
    let folder = MigrationGuide.folder.appending(path: "sample-data").path
    let note = try String(contentsOfFile: folder + "/generated.txt", encoding: .utf8)
    let words = try #require(note.split(separator: "\n").dropFirst().first)
      .split(separator: " ").dropFirst()
    let directory = try ScratchDirectory()
    let made = try RunProcess.eventmill(
      words.map(String.init) + ["--quiet", "--level", "1", "--out", "made"], directory: directory)
    try #require(made.status == 0)
    let compared = try RunProcess.bash(
      """
      diff <(cd made && find night-* -type f | sort) <(cd '\(folder)' && find night-* -type f | sort) \
        && for name in $(cd made && find night-* -type f); do
          cmp <(zstd -dcqf "made/$name") <(zstd -dcqf '\(folder)'/"$name") || exit
        done
      """, directory: directory)
    #expect(compared.status == 0, "\(compared.text)\(compared.errors)")
  }
}
