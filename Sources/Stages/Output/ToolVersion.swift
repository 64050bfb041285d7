/// Which program made an output.
package struct ToolVersion: Sendable {
  /// As in `0.1.0`.
  package let version: String
  /// The commit it was built from, or `unknown`.
  package let commit: String
  /// The version of libzstd it runs with.
  package let zstd: String

  package init(version: String, commit: String, zstd: String) {
    self.version = version
    self.commit = commit
    self.zstd = zstd
  }
}
