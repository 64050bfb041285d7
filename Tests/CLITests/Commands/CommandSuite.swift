import TestSupport
import Testing

/// Tests of commands in a directory.
protocol CommandSuite {
  var directory: ScratchDirectory { get }
}

extension CommandSuite {
  /// Runs the program with the words of `line`.
  @discardableResult
  func run(_ line: String, input: [UInt8] = []) throws -> RunProcess.Result {
    try RunProcess.eventmill(
      line.split(separator: " ").map(String.init), input: input, directory: directory)
  }

  /// Runs lines of bash, in which `$eventmill` is the program.
  func bash(_ lines: String) throws -> RunProcess.Result {
    try RunProcess.bash(lines, directory: directory)
  }

  /// Runs the program with the words of `line`, which must succeed.
  @discardableResult
  func succeed(_ line: String) throws -> RunProcess.Result {
    let result = try run(line)
    #expect(result.status == 0, "\(line): \(result.errors)")
    return result
  }
}

/// Tests of the nightly job in a directory: logs in `logs`, by day, and outputs in `out`.
protocol NightSuite {
  var scratch: ScratchDirectory { get }
}

extension NightSuite {
  /// Logs of three nights, `logs/2024-06-01` to `-03`, and an empty directory `out`; then the lines
  /// `more` are run.
  static func threeNights(_ more: String = "") throws -> ScratchDirectory {
    let scratch = try ScratchDirectory()
    let result = try RunProcess.bash(
      """
      "$eventmill" generate -q --lines 300 --users 20 --seed 3 --nights 3 --start 2024-06-01 --out made
      mkdir out logs && for n in 1 2 3; do mv made/night-$n logs/2024-06-0$n; done
      \(more)
      """, directory: scratch)
    try #require(result.status == 0, "\(result.errors)")
    return scratch
  }

  /// Runs the lines `before`, and the nightly job with these `words`.
  ///
  /// - Parameter status: its exit code, unless it does not matter.
  @discardableResult
  func night(
    _ words: String, before: String = "", logs: String = "logs", expect status: Int32? = 0
  ) throws -> RunProcess.Result {
    let result = try RunProcess.bash(
      """
      \(before)
      "$eventmill" night --no-progress --metrics m.prom \
        --logs '\(logs)/%Y-%m-%d' --out 'out/%Y-%m-%d' \(words)
      """, directory: scratch)
    let code = status ?? result.status
    #expect(result.status == code, "\(words): \(result.text)\(result.errors)")
    return result
  }

  func outputs() throws -> [Substring] {
    try RunProcess.bash("ls -A out", directory: scratch).lines
  }

  func metric(_ name: String) throws -> Int? {
    let line = try scratch.text("m_night.prom").split(separator: "\n").first {
      $0.hasPrefix("eventmill_night_\(name) ")
    }
    return line.flatMap { Int($0.split(separator: " ")[1]) }
  }

  /// Expects an output to be sound, and to equal that of a run over all of `logs`.
  func expectWhole(_ output: String = "out/current") throws {
    let result = try RunProcess.bash(
      """
      rm -rf whole; "$eventmill" run -q --out whole logs && "$eventmill" diff whole \(output) \
        && diff whole/event_counts.csv \(output)/event_counts.csv \
        && "$eventmill" verify -q \(output)
      """, directory: scratch)
    #expect(result.status == 0, "\(result.text)\(result.errors)")
  }
}
