/// One input of a run: a file, or standard input.
package struct InputFile: Sendable, Equatable {
  /// What stands for standard input on the command line.
  package static let standardInput = "-"
  /// What messages call standard input.
  package static let standardInputName = "standard input"

  /// The path as named, or the named directory's path with the rest behind it; `-` for stdin.
  package let path: String
  /// Length in bytes as it lies on disk; nil when it has none (a pipe).
  package let size: Int?
  /// The named directory in which the file was found; nil for a file that was named itself.
  package let root: String?
  /// Whether a symbolic link leads to it from ``root``.
  package let isLinked: Bool

  package init(path: String, size: Int?, root: String? = nil, isLinked: Bool = false) {
    self.path = path
    self.size = size
    self.root = root
    self.isLinked = isLinked
  }

  /// The path relative to ``root``; nil for a file that was named itself.
  package var pathInRoot: String? {
    guard let root else { return nil }
    return String(path.utf8.dropFirst(root.utf8.count).drop { $0 == UInt8(ascii: "/") })
  }

  /// Whether this is standard input.
  package var isStandardInput: Bool { path == InputFile.standardInput }

  /// Whether it can be opened again by its path. Standard input cannot, even if it is a file.
  package var isReopenable: Bool { size != nil && !isStandardInput }

  /// What messages call it.
  package var name: String { isStandardInput ? InputFile.standardInputName : path }
}
