import Pipeline

/// Where the canonical log of an input goes in an archive: a plain relative path.
///
/// Made of the input's path alone; what several inputs have in common is ``ArchivePlan``'s matter.
struct ArchivePath: Equatable {
  /// How the names of all logs in an archive end.
  static let suffix = ".ndjson.zst"

  /// The folders that lead to the log; each is a name, none is `.` or `..`.
  let folders: [String]
  /// The last part of the input's path.
  let name: String
  /// Whether only the name of the input's path was kept, because it leads out of the current
  /// directory.
  let isPlaced: Bool

  /// The path for `input`.
  init(_ input: InputFile) {
    if input.isStandardInput {
      (folders, name, isPlaced) = ([], "stdin", false)
      return
    }
    let path = input.pathInRoot ?? input.path
    let parts = path.split(separator: "/").map(String.init)
    if let plain = path.hasPrefix("/") ? nil : Self.normalized(parts), let last = plain.last {
      (folders, name, isPlaced) = (plain.dropLast(), last, false)
    } else {
      (folders, name, isPlaced) = ([], parts.last { $0 != "." && $0 != ".." } ?? path, true)
    }
  }

  /// The parts of a path without `.` and `..`, as far as the text alone tells; nil when they lead
  /// out of the directory in which the path begins.
  private static func normalized(_ parts: [String]) -> [String]? {
    var plain: [String] = []
    for part in parts where part != "." {
      if part != ".." {
        plain.append(part)
      } else if plain.popLast() == nil {
        return nil
      }
    }
    return plain
  }

  /// The path in the archive; with `keepsSuffix` after the input's whole name, else without what
  /// shows that it is a log and how it is compressed.
  func text(keepsSuffix: Bool) -> String {
    let name = keepsSuffix ? name : InputDiscovery.stem(of: name)
    return (folders + [name + Self.suffix]).joined(separator: "/")
  }
}
