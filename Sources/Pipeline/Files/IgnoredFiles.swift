/// The files in the searched directories that are not inputs.
package struct IgnoredFiles: Document, Equatable, Sendable {
  /// Number of paths that are listed.
  package static let mostNamed = 20

  package struct File: Equatable, Sendable {
    package let path: String
    /// What it is, as in "a tar archive", perhaps with advice after a semicolon.
    package let what: String

    /// What it is, without advice.
    package var kind: Substring { what.prefix { $0 != ";" } }

    private var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    var isExcluded: Bool { InputDiscovery.excluded(name) != nil }
    /// Whether it is named like a log in another form, as `a.ndjson.br` is.
    package var isNamedLikeLog: Bool { InputDiscovery.isLogInside(name) }
  }

  /// Files, hidden files and directories, outputs, and dangling links.
  package private(set) var count = 0
  package private(set) var files: [File] = []
  /// What each of them is, while a document is read.
  private var kinds: [String] {
    get { files.map(\.what) }
    set {
      isWhole = files.count == newValue.count
      files = zip(files, newValue).map { File(path: $0.path, what: $1) }
    }
  }
  private var isWhole = true
  private var paths: [String] {
    get { files.map(\.path) }
    set { files = newValue.map { File(path: $0, what: "") } }
  }

  package static let fields: [Field<IgnoredFiles>] = [
    .count("count", \.count), .value("paths", \.paths), .value("kinds", \.kinds),
  ]

  /// Whether files that not only their names exclude may be among those that are not listed.
  package var mayLackLogs: Bool { count > files.count && !files.contains(where: \.isExcluded) }

  package init() {}

  package func check() throws(DocumentDamage) {
    guard isWhole, files.count == min(count, IgnoredFiles.mostNamed) else {
      throw DocumentDamage("does not name the files that it counts")
    }
  }

  /// The ignored files of all `parts`; a file that was found twice counts twice.
  package init(merging parts: [IgnoredFiles]) {
    for file in parts.flatMap(\.files).sorted(byBytesOf: \.path) { note(file.path, file.what) }
    count = parts.reduce(0) { $0 + $1.count }
  }

  /// Adds a file. Of more than are listed, those that only their names exclude are left out first:
  /// another one may be a log.
  package mutating func note(_ path: String, _ what: String) {
    count += 1
    let file = File(path: path, what: what)
    if files.count == IgnoredFiles.mostNamed {
      guard !file.isExcluded, let last = files.lastIndex(where: \.isExcluded) else { return }
      files.remove(at: last)
    }
    files.append(file)
  }

  /// The number of files, and the first `most` of them.
  package func sentence(naming most: Int = IgnoredFiles.mostNamed) -> String {
    let named = files.prefix(most)
    let more = count - named.count
    return "\(NumberFormat.grouped(count)) other \(count == 1 ? "file" : "files"): "
      + named.map { "\($0.path) (\($0.kind))" }.joined(separator: ", ")
      + (more > 0 ? " and \(NumberFormat.grouped(more)) more" : "")
  }
}
