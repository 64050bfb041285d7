import Foundation

/// A directory of its own for one test, removed at the end of its life.
package final class ScratchDirectory: Sendable {
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

  /// Writes a file of this text, as ``write(_:to:)`` does.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
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

  /// Copies the file or directory `name`.
  package func copy(_ name: String, to other: String) throws {
    try FileManager.default.copyItem(atPath: self(name), toPath: self(other))
  }

  /// Makes the directory `name`, with those that lead to it.
  package func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: self(name), withIntermediateDirectories: true)
  }

  /// Makes a link `name` to the path `target`.
  package func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
  }

  /// Renames the file or directory `name`, and makes the directories that lead to its new place.
  package func move(_ name: String, to other: String) throws {
    if let end = other.lastIndex(of: "/") { try makeDirectory(String(other[..<end])) }
    try FileManager.default.moveItem(atPath: self(name), toPath: self(other))
  }

  /// The text of a file.
  package func text(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
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
