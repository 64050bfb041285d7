import Pipeline

/// A file that lists inputs or directories, one per line (`--from`), for more than fit on a command
/// line.
enum InputList {
  private static let doing = "reading the list of inputs"
  /// Longest path, in bytes.
  private static let longestPath = 1 << 16

  /// The paths in the file `path`, or in standard input for `-`, without blank lines.
  /// - Throws: `usage`, when a line is not a path; `corrupt`, `io`, when it cannot be read.
  static func paths(in path: String) throws(Failure) -> [String] {
    let reader = try BlockReader(
      InputFile(path: path, size: nil), index: 0, maxLine: longestPath, hashes: false)
    let block = Block(capacity: BlockReader.defaultBlockSize)
    var paths: [String] = []
    var line = 0
    while try reader.fill(block) {
      guard block.overlong == nil else { throw bad(path, line + 1, "is longer than a path can be") }
      var rest = block.bytes
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += 1
        let hasReturn = end > 0 && rest[end - 1] == UInt8(ascii: "\r")
        let text = rest[0..<(hasReturn ? end - 1 : end)]
        rest = rest.dropFirst(end + 1)
        guard let path = String(validating: text.array, as: UTF8.self) else {
          throw bad(path, line, "is not UTF-8")
        }
        if !path.isEmpty { paths.append(path) }
      }
    }
    return paths
  }

  private static func bad(_ path: String, _ line: Int, _ why: String) -> Failure {
    Failure(
      .usage, doing: doing, path: path, line: line, why: "the line \(why)",
      advice: "write one path in each line")
  }
}
