import Foundation
import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

@testable import eventmill

@Suite struct GenerateTests: CommandSuite {
  let directory = ScratchDirectory.fresh
  private static let some = "generate --users 300 --seed 42"

  @Test(arguments: [GenerateOptions.Format.mixed, .v2])
  func everyFaultIsWhatItSays(_ format: GenerateOptions.Format) throws {
    let faults = DialectLog(format).faults
    let lines = try succeed(
      "\(Self.some) --lines \(faults.count) --bad 100% --format \(format.rawValue)")
    try directory.write(lines.output, to: "log")
    let explain = "explain \(DialectLog.narrow) log"
    let strict = try run(explain).lines
    let lenient = try run("\(explain) --v1 lenient").lines
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
    for (log, other) in [(DialectLog(.v1), "v2"), (DialectLog(.v2), "v1")] {
      #expect(!log.faults.contains { $0.frame.hasPrefix(other) })
      #expect(log.faults.contains { $0.frame == "any" })
    }
  }

  @Test func everyTrapOfAnImportIsTold() throws {
    var options = GenerateOptions()
    (options.lines, options.users, options.seed) = (100, 5, 3)
    let generator = LogGenerator(options)
    let traps = try DialectLog.unitTraps.get()
    var text = ByteBuffer()
    for trap in traps { generator.append(7, with: trap, to: &text) }
    let result = try RunProcess.eventmill(["explain"], input: text.view.array)
    try #require(result.lines.count == traps.count)
    for (trap, line) in zip(traps, result.lines) {
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
    try succeed("\(words.joined(separator: " ")) --quiet --level 1 --out made")
    let compared = try bash(
      """
      diff <(cd made && find night-* -type f | sort) <(cd '\(folder)' && find night-* -type f | sort) \
        && for name in $(cd made && find night-* -type f); do
          cmp <(zstd -dcqf "made/$name") <(zstd -dcqf '\(folder)'/"$name") || exit
        done
      """)
    #expect(compared.status == 0, "\(compared.text)\(compared.errors)")
  }
}
