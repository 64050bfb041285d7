import Foundation
import TestSupport
import Testing

/// What commands print and leave. A golden file has the commands, the lines that begin with `$ `,
/// and behind each what it prints: results, messages behind `! `, and exit codes other than 0.
///
/// The functions in the commands are in `functions.sh`, and in files whose names a transcript's
/// begins with.
@Suite struct TranscriptTests: CommandSuite {
  let directory = ScratchDirectory.fresh

  @Test(arguments: Golden.transcripts) func transcript(_ name: String) throws {
    let commands = try Golden.commands(in: name)
    let script = commands.map {
      """
      { :; \($0)
      } >$streams/output 2>$streams/errors; code=$?
      cat $streams/output; sed 's/^/! /' $streams/errors
      [ $code = 0 ] || echo "exit $code"
      printf '\\x1e'

      """
    }
    let result = try bash(
      """
      set -o pipefail; streams=$(mktemp -d)
      samples='\(MigrationGuide.folder.appending(path: "sample-data").path)'
      all=\(Effort.isFull ? "1" : "")
      \(Golden.functions(of: name))
      \(script.joined())
      rm -r $streams
      """)
    let printed = result.text.split(separator: "\u{1E}", omittingEmptySubsequences: false)
      .map { Self.stable(String($0)) }
    #expect(printed.count == commands.count + 1 && result.errors.isEmpty, "\(result.errors)")
    let text = zip(commands, printed).map { "$ \($0)\n\($1)" }.joined()
    #expect(try Golden.difference(text, from: "\(name).txt") == nil)
  }

  /// A text with placeholders for figures that depend on the machine: speeds, times that something
  /// took, and sizes.
  private static func stable(_ text: String) -> String {
    text.replacing(/[0-9.,]+ (B|kB|MB|GB)(\/s)?/, with: "SIZE")
      .replacing(/\bin [0-9.]+ (s|ms|min)\b/, with: "in TIME")
      .replacing(/"(\w*bytes|\w*seconds)":[-+.e0-9]+/) { "\"\($0.output.1)\":FIGURE" }
      .replacing(/(?m)^(slowest|ran) +.*/) { "\($0.output.1) …" }
  }
}

extension Golden {
  private static let folder = MigrationGuide.folder.appending(path: "Tests/CLITests/Golden")

  private static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []

  /// The files that begin with a command, but for those with tests of their own, and those that
  /// need a program which is not installed.
  static let transcripts = names.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }
    .filter { name in
      let isCompared = !["usage", "completions"].contains(name)
      let canRun = name != "terminal" || ShellDriver.has("script")
      return isCompared && canRun && (try? text("\(name).txt").hasPrefix("$ ")) == true
    }

  static func text(_ file: String) throws -> String {
    try String(contentsOf: folder.appending(path: file), encoding: .utf8)
  }

  /// The lines of a transcript that begin with `$ `, without that.
  static func commands(in name: String) throws -> [String] {
    try text("\(name).txt").split(separator: "\n").filter { $0.hasPrefix("$ ") }
      .map { String($0.dropFirst(2)) }
  }

  /// The lines of bash before the commands of a transcript.
  static func functions(of name: String) throws -> String {
    try names.filter { $0.hasSuffix(".sh") }.map { String($0.dropLast(3)) }
      .filter { $0 == "functions" || name.hasPrefix($0) }
      .map { try text("\($0).sh") }.joined()
  }
}
