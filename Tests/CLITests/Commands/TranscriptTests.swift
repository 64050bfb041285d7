import Foundation
import TestSupport
import Testing

/// What commands print and leave. A golden file has the commands, the lines that begin with `$ `,
/// and behind each what it prints: results, messages behind `! `, and exit codes other than 0.
/// Those of several programs that one command starts are behind `codes`, in their order.
///
/// The functions in the commands are in `functions.sh`, and in files whose names a transcript's
/// begins with.
@Suite struct TranscriptTests: CommandSuite {
  let directory = ScratchDirectory.fresh

  @Test(arguments: Golden.transcripts) func transcript(_ name: String) throws { try compare(name) }

  @Test(.enabled(if: ShellDriver.has("script"), "script is not installed"))
  func terminal() throws { try compare("terminal") }

  private func compare(_ name: String) throws {
    #expect(try Golden.text("\(name).txt").hasPrefix("$ "), "\(name).txt begins without a command")
    let commands = try Golden.commands(in: name)
    let script = commands.map {
      """
      : >$streams/codes
      { :; \($0)
      } >$streams/output 2>$streams/errors; code=$?
      cat $streams/output; sed 's/^/! /' $streams/errors
      ended $code
      printf '\\x1e'

      """
    }
    let result = try bash(
      """
      set -o pipefail; streams=$(mktemp -d)
      samples='\(MigrationGuide.folder.appending(path: "sample-data").path)'
      all=\(Effort.isFull ? "1" : "")
      \(try Golden.functions(of: name))
      \(script.joined())
      rm -r $streams
      """)
    let printed = result.text.split(separator: "\u{1E}", omittingEmptySubsequences: false)
      .map { Self.stable(String($0)) }
    #expect(printed.count == commands.count + 1 && result.errors.isEmpty, "\(result.errors)")
    let text = zip(commands, printed).map { "$ \($0)\n\($1)" }.joined()
    #expect(try Golden.difference(text, from: "\(name).txt") == nil)
  }

  private static var figure: Regex<(Substring, Substring)> {
    /"(\w*seconds|(?:peak_memory|read|written|output|estimated)_bytes)":[-+.e0-9]+/
  }

  /// A text with placeholders for figures that depend on the machine or on the version of zstd:
  /// speeds, times that something took, and sizes.
  private static func stable(_ text: String) -> String {
    text.replacing(/[0-9.,]+ (B|kB|MB|GB)(\/s)?/, with: "SIZE")
      .replacing(/\bin [0-9.]+ (s|ms|min)\b/, with: "in TIME")
      .replacing(figure) { "\"\($0.output.1)\":FIGURE" }
      // The sizes of outputs; a plan has those of its inputs.
      .replacing(/"bytes":[0-9]++(?!,"inputs")/, with: "\"bytes\":FIGURE")
      .replacing(/(?m)^(slowest|ran) +.*/) { "\($0.output.1) …" }
  }
}

extension Golden {
  private static let folder = MigrationGuide.folder.appending(path: "Tests/CLITests/Golden")

  private static let names: [String] = {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
      preconditionFailure("cannot read \(folder.path)")
    }
    return names.sorted()
  }()

  /// What the names of files begin with that have tests of their own.
  private static let others = [
    "completions.", "damaged-documents.", "documents-", "help-", "help.", "page-", "result-fields.",
    "terminal.", "usage.",
  ]

  static let transcripts = names.filter { name in
    name.hasSuffix(".txt") && !others.contains { name.hasPrefix($0) }
  }.map { String($0.dropLast(4)) }

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
