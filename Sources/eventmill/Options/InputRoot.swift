import Pipeline

/// The directory below which inputs are found and named (`--root`).
///
/// The process runs in it, so names, messages and outputs are those of a run that was started
/// there.
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

  /// Makes it the working directory.
  ///
  /// - Throws: `io`.
  func enter() throws(Failure) { try System.real.work(in: path, doing: Self.doing) }

  /// The name of an input relative to the directory. Relative names are left unchanged.
  ///
  /// - Throws: `usage`, when it is outside of the directory; `io`.
  func name(of input: String) throws(Failure) -> String {
    if input == InputFile.standardInput { return input }
    let parts = input.utf8.split(separator: Self.slash)
      .map { String(decoding: $0, as: UTF8.self) }
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
