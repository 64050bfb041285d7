import Foundation
import Pipeline

/// A directory of its own for one test, removed at the end of its life.
package final class ScratchDirectory: Sendable {
  /// Absolute, without a slash at its end.
  package let path: String

  package init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("eventmill-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.resolvingSymlinksInPath().path
  }

  /// A new directory, for a property of a suite. Traps if it cannot be made.
  package static var fresh: ScratchDirectory {
    do { return try ScratchDirectory() } catch { preconditionFailure("no directory: \(error)") }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, with the directories that lead to it, and returns its path.
  @discardableResult package func write(_ bytes: [UInt8], to name: String) throws -> String {
    let url = URL(fileURLWithPath: self(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return url.path
  }

  @discardableResult package func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  package func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: self(name))))
  }

  package func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self(name)) }

  package func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: self(name))
  }

  package func copy(_ name: String, to other: String) throws {
    try FileManager.default.copyItem(atPath: self(name), toPath: self(other))
  }

  package func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: self(name), withIntermediateDirectories: true)
  }

  package func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: self(name), withDestinationPath: target)
  }

  /// Makes the directories that lead to the new place.
  package func move(_ name: String, to other: String) throws {
    if let end = other.lastIndex(of: "/") { try makeDirectory(String(other[..<end])) }
    try FileManager.default.moveItem(atPath: self(name), toPath: self(other))
  }

  package func text(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
  }

  /// The relative paths of all files below `name`, sorted.
  package func files(below name: String) throws -> [String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: self(name))
    return paths.filter { path in
      let attributes = try? FileManager.default.attributesOfItem(atPath: self("\(name)/\(path)"))
      return attributes?[.type] as? FileAttributeType == .typeRegular
    }.sortedByBytes
  }

  /// The names directly in the directory, hidden ones too, sorted.
  package func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).sortedByBytes
  }
}
