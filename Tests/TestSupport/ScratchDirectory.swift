import Foundation

/// A directory of its own for one test, removed at the end of its life.
package final class ScratchDirectory {
  /// Absolute, without a slash at its end.
  package let path: String

  /// Makes a directory with a name that nothing else has.
  package init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("eventmill-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of `name` in the directory.
  package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, with the directories that lead to it, and returns its path.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) throws -> String {
    let url = URL(fileURLWithPath: self(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return url.path
  }

  /// The bytes of a file.
  package func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: self(name))))
  }

  /// Whether there is something of this name.
  package func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self(name)) }

  /// Removes the file or directory `name`.
  package func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: self(name))
  }

  /// The paths of all files below `name`, relative to it, in the order of their bytes.
  package func files(below name: String) throws -> [String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: self(name))
    return paths.filter { path in
      let attributes = try? FileManager.default.attributesOfItem(atPath: self("\(name)/\(path)"))
      return attributes?[.type] as? FileAttributeType == .typeRegular
    }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The names directly in the directory, hidden ones too, in the order of their bytes.
  package func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path)
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
