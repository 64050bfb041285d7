import Foundation
import TestSupport

/// Tables of tests as files in `Vectors`: a JSON value per line.
enum Vectors {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Vectors")

  /// The rows of a file; traps if it cannot be read, or has only a few.
  static func rows(_ name: String) -> [NaiveJSON] {
    do {
      let text = try String(contentsOf: folder.appending(path: "\(name).jsonl"), encoding: .utf8)
      let rows = try text.split(separator: "\n").map { try NaiveJSON(parsing: String($0)) }
      precondition(rows.count > 10, "\(name) has only \(rows.count) rows")
      return rows
    } catch {
      preconditionFailure("\(name): \(error)")
    }
  }
}
