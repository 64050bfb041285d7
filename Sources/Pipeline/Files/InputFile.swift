/// One input of a run: a file, or standard input.
package struct InputFile: Sendable, Equatable {
  /// What stands for standard input on the command line.
  package static let standardInput = "-"
  /// What messages call standard input.
  package static let standardInputName = "standard input"

  /// The path as the user named it, or the named directory's path with the rest behind it; `-` for
  /// standard input.
  package let path: String
  /// Length in bytes as it lies on disk; nil when it has none (a pipe).
  package let size: Int?

  package init(path: String, size: Int?) {
    self.path = path
    self.size = size
  }

  /// Whether this is standard input.
  package var isStandardInput: Bool { path == InputFile.standardInput }

  /// What messages call it.
  package var name: String { isStandardInput ? InputFile.standardInputName : path }
}
