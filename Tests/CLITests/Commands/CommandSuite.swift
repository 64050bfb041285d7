import TestSupport
import Testing

protocol CommandSuite { var directory: ScratchDirectory { get } }

extension CommandSuite {
  /// Runs the program with the words of `line`.
  func run(_ line: String) throws -> RunProcess.Result {
    try RunProcess.eventmill(line.split(separator: " ").map(String.init), directory: directory)
  }

  /// Runs the program with the words of `line`, which must succeed.
  @discardableResult func succeed(_ line: String) throws -> RunProcess.Result {
    let result = try run(line)
    #expect(result.status == 0, "\(line): \(result.text)\(result.errors)")
    return result
  }

  /// Runs lines of bash, in which `$eventmill` is the program.
  @discardableResult func bash(_ lines: String) throws -> RunProcess.Result {
    try RunProcess.bash(lines, directory: directory)
  }
}
