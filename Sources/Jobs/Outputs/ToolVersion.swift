package import Pipeline

/// The program that made an output.
package struct ToolVersion: Document, Equatable, Sendable {
  /// As in `0.1.0`.
  package private(set) var version = ""
  /// The commit it was built from, or `unknown`; empty in documents that have the same bytes for
  /// every build of a version.
  package private(set) var commit = ""
  /// The version of libzstd in use.
  package private(set) var zstd = ""

  package static let fields: [Field<ToolVersion>] = [
    .value("version", \.version), .value("commit", \.commit, unless: ""), .value("zstd", \.zstd),
  ]

  /// A program that is not released, as in tests.
  package static let unversioned = ToolVersion(version: "0.0.0", commit: "", zstd: "")

  package init() {}

  package init(version: String, commit: String, zstd: String) {
    self.version = version
    self.commit = commit
    self.zstd = zstd
  }

  /// The same for every build.
  var versions: ToolVersion { ToolVersion(version: version, commit: "", zstd: zstd) }
}
