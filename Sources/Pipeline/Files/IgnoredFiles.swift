/// Files in the searched directories that are not inputs because they are not named like logs.
package struct IgnoredFiles: Equatable, Sendable {
  /// Number of paths that are listed.
  package static let mostNamed = 20

  /// Files, hidden files and directories, and dangling links.
  package private(set) var count = 0
  /// The first of them.
  package private(set) var paths: [String] = []

  package init() {}

  /// `count` files that begin with `paths`; nil when their number does not match.
  package init?(count: Int, paths: [String]) {
    guard paths.count == min(count, IgnoredFiles.mostNamed) else { return nil }
    self.count = count
    self.paths = paths
  }

  /// The ignored files of all `parts`; a file that was found twice counts twice.
  package init(merging parts: [IgnoredFiles]) {
    count = parts.reduce(0) { $0 + $1.count }
    let sorted = parts.flatMap(\.paths).sortedByBytes
    paths = Array(sorted.prefix(IgnoredFiles.mostNamed))
  }

  package mutating func note(_ path: String) {
    count += 1
    if paths.count < IgnoredFiles.mostNamed { paths.append(path) }
  }
}
