import Pipeline

/// The path of an input's canonical log in an archive: a plain relative path.
///
/// Derived from the input's path alone; ``ArchivePlan`` resolves conflicts between inputs.
struct ArchivePath: Equatable {
  /// The suffix of all logs in an archive.
  static let suffix = ".ndjson.zst"

  /// The folders of the log; none is `.` or `..`.
  let folders: [String]
  /// The last part of the input's path.
  let name: String
  /// Whether only the file name was kept, because the path leads out of the current directory.
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

  /// The components of a path without `.` and `..`, resolved textually; nil when they lead out of
  /// the starting directory.
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

  /// The path in the archive; with `keepsSuffix` the input's whole name is kept, else the suffixes
  /// for log and compression are removed.
  func text(keepsSuffix: Bool) -> String {
    let name = keepsSuffix ? name : InputDiscovery.stem(of: name)
    return (folders + [name + Self.suffix]).joined(separator: "/")
  }
}
