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
}

/// `eventmill version`, and `--version`.
struct VersionRequest: Request {
  init() {}
  init(options: CommandOptions) {}

  func execute(on console: Console) throws(Failure) -> ExitCode {
    guard console.settings.json else {
      try console.print(
        "eventmill \(Version.number)\ncommit \(Version.commit)\nlibzstd \(Zstd.versionText)")
      return .done
    }
    let json = JSONWriter.document { json in
      json.member("version", Version.number)
      json.member("commit", Version.commit)
      json.member("libzstd", Zstd.versionText)
    }
    try console.write(json.view)
    return .done
  }
}
