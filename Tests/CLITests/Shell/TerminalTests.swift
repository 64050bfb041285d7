import TestSupport
import Testing

@testable import eventmill

@Suite struct TerminalTests: CommandSuite {
  let directory = ScratchDirectory.fresh

  @Test func countsAreHighOrLow() {
    #expect(Sparkline.text([]) == "")
    #expect(Sparkline.text([0, 0]) == "  ")
    #expect(Sparkline.text([0, 1, 4, 8, 5]) == " ▁▄█▅")
    #expect(Sparkline.text([1, 1_000_000, .max]) == "▁▁█")
  }

  /// A run at a terminal, with `words` as further options.
  private func shown(_ words: String, columns: Int = 90) throws -> RunProcess.Result {
    try bash(
      """
      "$eventmill" generate -q --lines 300 --users 10 --seed 1 --bad 5% --out logs
      export TERM=xterm eventmill
      script -qec 'stty cols \(columns); "$eventmill" run --no-progress --out out \(words) logs' /dev/null </dev/null
      """)
  }

  private static let hasScript = ShellDriver.has("script")

  @Test(.enabled(if: hasScript, "script is not installed"), arguments: [61, 62, 90])
  func aSummaryHasColoursAndActivity(_ columns: Int) throws {
    let result = try shown("", columns: columns)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("\u{1B}[1;33mcheck it: published out; "))
    #expect(try #/\x1B\[1;31m\d+ rejected\x1B\[0m/#.firstMatch(in: result.text) != nil)
    let line = result.text.split { $0.isNewline }.first { $0.hasPrefix("activity") }
    #expect((line != nil) == (columns >= 62))
    guard let line else { return }
    #expect(
      line.count <= columns && line.contains("█") && line.contains(" to 2024-06-02 00:00 UTC"),
      "\(line)")
  }

  @Test(.enabled(if: hasScript, "script is not installed")) func coloursCanBeTurnedOff() throws {
    let result = try shown("--color never")
    #expect(!result.text.contains("\u{1B}["))
    #expect(result.text.contains("activity"))
  }

  @Test(.enabled(if: hasScript, "script is not installed"), arguments: [40, 80, 200])
  func aSummaryFitsTheTerminal(_ columns: Int) throws {
    let result = try shown(
      "--quiet logs && \"$eventmill\" run --no-progress --previous out --out two", columns: columns)
    #expect(result.status == 0, "\(result.errors)")
    let text = result.text.replacing(#/\x1B\[[0-9;]*m/#, with: "")
    let lines = text.split { $0.isNewline }
    #expect(lines.contains { $0.hasPrefix("compared    with out: lines") }, "\(text)")
    for line in lines { #expect(line.count <= columns || line.split(separator: " ").count == 1) }
    #expect(lines.contains { $0.hasPrefix("            ") })
  }

  /// What controls a terminal is shown with escapes, in CSV and in JSON, which is the same JSON.
  @Test(.enabled(if: hasScript, "script is not installed"))
  func valuesAreShownWithEscapes() throws {
    let result = try bash(
      #"""
      echo '{"name":"n","time":"2024-06-01T00:00:00","attributes":{"k":"\u001b[31m\u009b"}}' > csv
      echo '{"custom_id":"u","name":"n","time":"2024-06-01T00:00:00","attributes":{"k":"a\u009b\u007f\u202e\udb40\udc01\u00e9b"}}' > json
      export eventmill TERM=xterm
      script -qec '"$eventmill" count -q --by attribute:k --format csv csv
        "$eventmill" explain --color always json' /dev/null </dev/null
      """#)
    #expect(result.text.contains(#"\u{1B}[31m\u{009B},n,1"#), "\(result.text)\(result.errors)")
    #expect(!result.text.contains("u000d"), "\(result.text)")
    #expect(result.text.contains(#""k":"a\u009b\u007f\u202e\udb40\udc01éb""#), "\(result.text)")
    #expect(result.text.contains("\u{1B}[32m\"accepted\"\u{1B}[0m"), "\(result.text)")
  }

  @Test func linesAreBrokenBetweenWords() {
    #expect(
      TextFill.lines(ofSummary: "events      1 \u{1B}[1m2 three\u{1B}[0m four", width: 19) == [
        "events      1 \u{1B}[1m2", "            three\u{1B}[0m", "            four",
      ])
    #expect(
      TextFill.lines(ofSummary: "published a/b c", width: 13) == ["published a/b", "            c"])
    #expect(
      TextFill.lines(ofSummary: "rejects     1 in", width: 5) == [
        "rejects     1", "            in",
      ])
  }
}
