import Foundation
import TestSupport
import Testing

/// The Swift files of the project, which are read once.
enum SourceFiles {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let sources = Result { try read(below: "Sources") }
  private static let tests = Result { try read(below: "Tests") }
  private static let texts = sources.map { $0.mapValues { SourceTexts(of: $0).choices } }

  /// The texts of the files in a folder, by their path in it.
  static func below(_ folder: String) throws -> [String: String] {
    let (target, rest) = (folder.prefix { $0 != "/" }, folder.drop { $0 != "/" }.dropFirst())
    let all = try (target == "Sources" ? sources : tests).get()
    guard !rest.isEmpty else { return all }
    return Dictionary(
      uniqueKeysWithValues: all.compactMap { path, text in
        path.hasPrefix("\(rest)/") ? (String(path.dropFirst(rest.count + 1)), text) : nil
      })
  }

  /// The string literals of each file in `Sources`.
  static func literals() throws -> [String: [SourceTexts.Choice]] { try texts.get() }

  private static func read(below folder: String) throws -> [String: String] {
    let base = root.appending(path: folder)
    let paths = try #require(FileManager.default.subpaths(atPath: base.path))
    return try Dictionary(
      uniqueKeysWithValues: paths.filter { $0.hasSuffix(".swift") }.map { path in
        (path, try String(contentsOf: base.appending(path: path), encoding: .utf8))
      })
  }
}
