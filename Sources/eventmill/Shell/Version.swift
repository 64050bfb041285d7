import Jobs
import Pipeline

enum Version {
  static let number = "1.0.0"
  /// The commit it was built from; `scripts/build-release.sh` sets it during a build.
  static let commit = "unknown"

  static var tool: ToolVersion {
    ToolVersion(version: number, commit: commit, zstd: Zstd.versionText)
  }
}

/// `eventmill version`, and `--version`.
struct VersionRequest: Request {
  init(options: CommandOptions) {}

  func execute(on console: Console) throws(Failure) -> ExitCode {
    let (version, commit, zstd) = (Version.number, Version.commit, Zstd.versionText)
    return try console.show(
      CommandResult { json in
        json.members(["version": version, "commit": commit, "libzstd": zstd])
      } text: {
        [.lines(["eventmill \(version)", "commit \(commit)", "libzstd \(zstd)"])]
      })
  }
}
