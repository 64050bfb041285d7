import Foundation
import TestSupport

/// Asks a shell what it offers for unfinished command lines, as a person does with the tab key.
enum ShellDriver {
  static func has(_ program: String) -> Bool {
    (try? RunProcess.bash("command -v \(program)").status) == 0
  }

  /// What `shell` offers for each of `lines`, sorted, in a directory with the folders `logs` and
  /// `lo gs`, and the file `log.ndjson`.
  static func offers(_ shell: String, _ lines: [String]) throws -> [[String]] {
    let directory = try ScratchDirectory()
    for name in ["logs/a", "lo gs/a", "log.ndjson", "other"] { try directory.write([], to: name) }
    try directory.write(lines.joined(separator: "\n"), to: "lines")
    let result = try RunProcess.bash(
      """
      cp '\(MigrationGuide.folder.path)'/Tests/CLITests/Golden/shells/* .
      "$eventmill" completions \(shell) >_eventmill || exit
      mkdir bin && ln -s "$eventmill" bin
      export HOME=$PWD XDG_CONFIG_HOME=$PWD PATH=$PWD/bin:$PATH
      timeout 60 \(shell) drive.\(shell)
      """, directory: directory)
    guard result.status == 0, result.errors.isEmpty else {
      throw Trouble(description: "\(shell) ended with \(result.status): \(result.errors)")
    }
    return result.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
      $0.split(separator: "\t").map(String.init).sorted()
    }
  }

  struct Trouble: Error, CustomStringConvertible { let description: String }
}
