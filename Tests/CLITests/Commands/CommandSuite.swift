import Foundation
import TestSupport
import Testing

protocol CommandSuite { var directory: ScratchDirectory { get } }

extension CommandSuite {
  @discardableResult func run(_ line: String, input: String = "") throws -> RunProcess.Result {
    try RunProcess.eventmill(
      line.split(separator: " ").map(String.init), input: Array(input.utf8), directory: directory)
  }

  /// Runs lines of bash, in which `$eventmill` is the program.
  @discardableResult func bash(_ lines: String) throws -> RunProcess.Result {
    try RunProcess.bash(lines, directory: directory)
  }

  /// Runs `command`, which gets a signal when it has begun to write to a pipe, and shows its exit
  /// code. A shell without job control, and what it starts in the background, ignores SIGINT.
  func signalled(
    _ signal: Int32, _ command: String, signals: String = "--default-signal", isRead: Bool = true
  ) throws -> RunProcess.Result {
    try bash(
      """
      exec 3< <(exec env \(signals) "$eventmill" \(command))
      id=$!
      head -c 1 <&3 >/dev/null
      kill -\(signal) "$id"
      \(isRead ? "cat <&3 >/dev/null" : "")
      wait "$id"
      echo $?
      """)
  }

  /// Runs the program with the words of `line`, and expects an exit code and parts of its messages.
  @discardableResult
  func expect(
    _ status: Int32, _ line: String, _ parts: String..., input: String = ""
  ) throws -> RunProcess.Result {
    let result = try run(line, input: input)
    #expect(result.status == status, "\(line): \(result.text)\(result.errors)")
    for part in parts { #expect(result.errors.contains(part), "\(line): \(result.errors)") }
    return result
  }

  /// Runs the program with the words of each line, which must succeed.
  @discardableResult func succeed(_ line: String, _ more: String...) throws -> RunProcess.Result {
    try more.reduce(expect(0, line)) { try expect(0, $1) }
  }

  /// What the program prints for the words of `line` and `--json`.
  func json(_ line: String) throws -> NaiveJSON {
    try NaiveJSON(parsing: succeed("\(line) --json").text)
  }

  /// Runs the commands of a golden file, the lines that begin with `$ `, and expects that they
  /// print what follows them there: results, messages behind `! `, and exit codes other than 0.
  /// Figures that depend on the machine are not compared.
  ///
  /// - Parameter functions: lines of bash, with functions that the commands use.
  func expectTranscript(_ name: String, functions: String = "") throws {
    let commands = try Golden.commands(in: name)
    #expect(!commands.isEmpty, "\(name)")
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
      eventmill() { "$eventmill" "$@"; }
      \(functions)
      \(script.joined())
      rm -r $streams
      """)
    let printed = result.text.split(separator: "\u{1E}", omittingEmptySubsequences: false)
      .map { Self.stable(String($0)) }
    #expect(printed.count == commands.count + 1 && result.errors.isEmpty, "\(result.errors)")
    let text = zip(commands, printed).map { "$ \($0)\n\($1)" }.joined()
    #expect(try Golden.difference(text, from: "\(name).txt") == nil)
  }

  /// A text with placeholders for speeds, times that something took, and sizes.
  private static func stable(_ text: String) -> String {
    text.replacing(/[0-9.,]+ (B|kB|MB|GB)(\/s)?/, with: "SIZE")
      .replacing(/\bin [0-9.]+ (s|ms|min)\b/, with: "in TIME")
      .replacing(/"(\w*bytes|\w*seconds)":[-+.e0-9]+/) { "\"\($0.output.1)\":FIGURE" }
      .replacing(/(?m)^(slowest|ran) +.*/) { "\($0.output.1) …" }
  }

  /// A page without style sheet, stages, and figures that vary.
  func page(_ file: String) throws -> String {
    var page = try directory.text(file)
    page.replace(#/(?s)<style>.*?</style>/#, with: "")
    page.replace(#/(?s)<section id="stages">.*?</section>\n/#, with: "")
    page.replace(#/<p>eventmill .*?</p>/#, with: "<p>TOOL</p>")
    page.replace(#/[-0-9]+T[0-9:]+Z( to [^<]*)?/#, with: "TIME")
    page.replace(#/<dt>(Time|Written|Speed|Read)</dt>.*?</div>/#, with: "</div>")
    page.replace(#/<code>[0-9a-f]{16}</code>/#, with: "<code>HASH</code>")
    return page.replacing("><", with: ">\n<")
  }

  /// Runs a transcript, as ``expectTranscript(_:functions:)`` does, in which `night` is the nightly
  /// job, `metric` shows a metric of it, and `whole` shows whether an output is sound, and equals
  /// that of a run over all of `logs`.
  func expectNights(_ name: String, functions: String = "") throws {
    try expectTranscript(
      name,
      functions: """
        night() {
          eventmill night --no-progress --metrics m.prom \\
            --logs 'logs/%Y-%m-%d' --out 'out/%Y-%m-%d' "$@"
        }
        metric() { grep "^eventmill_night_$1 " m_night.prom | cut -d ' ' -f 2; }
        whole() {
          rm -rf whole; eventmill run -q --out whole logs && eventmill diff whole $1 \\
            && diff whole/event_counts.csv $1/event_counts.csv && eventmill verify -q $1
        }
        \(functions)
        """)
  }
}

extension Golden {
  /// The transcripts whose names begin with `start`, and not as those of other suites.
  static func transcripts(_ start: String = "", besides others: String...) -> [String] {
    let folder = MigrationGuide.folder.appending(path: "Tests/CLITests/Golden")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    precondition(!names.isEmpty, "the golden files are beside the tests")
    return names.sorted().filter { name in
      let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
      return name.hasPrefix(start) && !others.contains(where: name.hasPrefix)
        && text?.hasPrefix("$ ") == true
    }.map { String($0.dropLast(".txt".count)) }
  }

  /// The lines of a transcript that begin with `$ `, without that.
  static func commands(in name: String) throws -> [String] {
    let file = MigrationGuide.folder.appending(path: "Tests/CLITests/Golden/\(name).txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
  }
}
