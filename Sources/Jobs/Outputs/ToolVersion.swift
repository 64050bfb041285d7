import Pipeline

/// The program that made an output.
package struct ToolVersion: Sendable {
  /// As in `0.1.0`.
  package let version: String
  /// The commit it was built from, or `unknown`.
  package let commit: String
  /// The version of libzstd in use.
  package let zstd: String

  package init(version: String, commit: String, zstd: String) {
    self.version = version
    self.commit = commit
    self.zstd = zstd
  }
}

extension ToolVersion {
  /// Writes the field `tool` of a report: everything that identifies the program.
  func write(to json: inout JSONWriter) {
    json.object("tool") { json in
      json.member("version", version)
      json.member("commit", commit)
      json.member("zstd", zstd)
    }
  }

  /// Writes the field `tool` of documents that must have the same bytes for every build of a
  /// version.
  func writeVersions(to json: inout JSONWriter) {
    json.object("tool") { json in
      json.member("version", version)
      json.member("zstd", zstd)
    }
  }
}
