package import Foundation

/// A directory of its own for one test; removed at the end of this object's life.
package final class TemporaryDirectory: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "eventmill-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The file `name` in it.
  package func url(_ name: String) -> URL { url.appending(path: name) }

  /// The path of `name` in it.
  package func path(_ name: String) -> String { url(name).path }
}
