import Pipeline

/// The directory in which the process runs, and finds and names its inputs (`--root`).
struct InputRoot {
  private static let doing = "looking for inputs below"
  private static let slash = UInt8(ascii: "/")

  private let path: String
  private let identity: FileIdentity

  /// - Throws: `usage`, when `path` is not a directory; `io`.
  init(_ path: String) throws(Failure) {
    let status = try System.real.statusIfAny(of: path, doing: Self.doing)
    guard let status, status.kind == .directory else {
      throw Failure(
        .usage, doing: Self.doing, path: path,
        why: status == nil ? "it does not exist" : "it is not a directory",
        advice: "name the directory that holds the logs with --root")
    }
    (self.path, identity) = (path, status.identity)
  }

  func enter() throws(Failure) { try System.real.work(in: path, doing: Self.doing) }

  /// The name of an input relative to the directory, which must contain it.
  func name(of input: String) throws(Failure) -> String {
    if input == InputFile.standardInput { return input }
    let parts = input.utf8.split(separator: Self.slash).map { String(decoding: $0, as: UTF8.self) }
    guard input.utf8.first == Self.slash else {
      guard Self.staysInside(parts[...]) else { throw outside(input) }
      return input
    }
    // By identity, because the directory may have several names.
    for count in 0...parts.count {
      let above = "/" + parts[..<count].joined(separator: "/")
      let status = try System.real.statusIfAny(of: above, doing: Self.doing)
      guard status?.identity == identity else { continue }
      guard Self.staysInside(parts[count...]) else { break }
      return count == parts.count ? "." : parts[count...].joined(separator: "/")
    }
    throw outside(input)
  }

  /// Whether a path never leads above its starting directory.
  private static func staysInside(_ parts: ArraySlice<String>) -> Bool {
    var depth = 0
    for part in parts where part != "." {
      depth += part == ".." ? -1 : 1
      if depth < 0 { return false }
    }
    return true
  }

  private func outside(_ input: String) -> Failure {
    Failure(
      .usage, doing: Self.doing, path: path, why: "the input \(input) is outside of it",
      advice: "name inputs below --root, or another --root")
  }
}

/// A file that lists inputs or directories, one per line (`--from`).
enum InputList {
  private static let doing = "reading the list of inputs"
  /// Longest path, in bytes.
  private static let longestPath = 1 << 16

  /// The paths in the file `path`, or in standard input for `-`, without blank lines.
  static func paths(in path: String) throws(Failure) -> [String] {
    let reader = try BlockReader(
      InputFile(path: path, size: nil), index: 0, maxLine: longestPath, hashes: false)
    let block = Block(capacity: BlockReader.defaultBlockSize)
    var paths: [String] = []
    var line = 0
    while try reader.fill(block) {
      guard block.overlong == nil else { throw bad(path, line + 1, "is longer than a path can be") }
      var lines = LineCursor(bytes: block.bytes)
      while let range = lines.next() {
        line += 1
        let hasReturn = !range.isEmpty && block.bytes[range.upperBound - 1] == UInt8(ascii: "\r")
        let text = block.bytes[hasReturn ? range.dropLast() : range]
        guard let name = String(validating: text.array, as: UTF8.self) else {
          throw bad(path, line, "is not UTF-8")
        }
        if name.isEmpty { continue }
        if text.firstIndex(of: 0) != nil { throw bad(path, line, "has a zero byte") }
        if Characters.trimmed(text).isEmpty { throw bad(path, line, "is white space") }
        paths.append(name)
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
