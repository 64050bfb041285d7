import Jobs
import Pipeline

enum Version {
  /// The version of the tool and of its command line.
  static let number = "0.2.0"
  /// The commit it was built from; `scripts/build-release.sh` sets it during a build.
  static let commit = "unknown"

  /// The version in the outputs of a run.
  static var tool: ToolVersion {
    ToolVersion(version: number, commit: commit, zstd: Zstd.versionText)
  }

  /// Prints it, for `--version`.
  /// - Throws: `io`, when standard output cannot be written.
  static func print(on console: Console) throws(Failure) {
    if console.settings.json {
      let json = JSONWriter.document { json in
        json.member("version", number)
        json.member("commit", commit)
        json.member("libzstd", Zstd.versionText)
      }
      try console.write(json.view)
    } else {
      try console.print("eventmill \(number)\ncommit \(commit)\nlibzstd \(Zstd.versionText)")
    }
  }
}

/// `eventmill version`, and `--version`.
struct VersionRequest: Request {
  init(_ values: OptionValues, operands: [String]) throws(Failure) {}

  func execute(on console: Console) throws(Failure) -> ExitCode {
    try Version.print(on: console)
    return .done
  }
}
