import Pipeline

/// What a written manifest says (``Manifest``): all of it.
///
/// Reads a whole manifest at once; memory is in proportion to the number of inputs and outputs.
struct ManifestFile {
  /// Version of the output's format; nil when it has none. Of formats that this program does not
  /// read (``Manifest/readableVersions``) nothing else is.
  let version: Int?
  /// The program's version and libzstd's.
  private(set) var tool: (version: String, zstd: String) = ("", "")
  /// The options that could change the result, as the manifest spells them.
  private(set) var options: [(name: String, value: JSONValue)] = []
  /// The hashes of the states the run went on from, in their order.
  private(set) var previousState: [UInt64] = []
  /// The inputs that were read, by the bytes of their path.
  private(set) var inputs: [ManifestInput] = []
  /// The output's files.
  private(set) var files: [WrittenFile] = []

  /// Reads the manifest in the directory `output`.
  ///
  /// - Throws: `usage` when there is none; `corrupt` when it is damaged.
  init(_ output: String, doing: String, system: System = .real) throws(Failure) {
    guard try system.statusIfAny(of: output, doing: doing) != nil else {
      throw Failure(
        .usage, doing: doing, path: output, why: "there is no such directory",
        advice: "name the directory that an earlier run published with --out")
    }
    let path = "\(output)/\(RunFiles.manifest)"
    guard try system.statusIfAny(of: path, doing: doing) != nil else {
      throw Failure(
        .usage, doing: doing, path: output,
        why: "it is no output of eventmill: there is no \(RunFiles.manifest) in it",
        advice: "name the directory that an earlier run published with --out")
    }
    let root = try JSONDocument(reading: path, doing: doing, system: system).root
    do throws(Damage) {
      guard root.kind == .object else { throw Damage("it is no JSON object") }
      version = root["eventmill_output"]?.int
      if let version, Manifest.readableVersions ~= version { try readMembers(root) }
    } catch {
      throw Failure(
        .corrupt, doing: doing, path: path, why: error.why,
        advice: "restore it from a copy, or begin without --previous")
    }
  }

  private mutating func readMembers(_ root: JSONValue) throws(Damage) {
    tool = (root["tool"]?["version"]?.text ?? "", root["tool"]?["zstd"]?.text ?? "")
    options = root["options"]?.members ?? []
    for hash in root["previous_state"]?.items ?? [] {
      guard let hash = hash.xxh64 else { throw Damage("a hash in previous_state is none") }
      previousState.append(hash)
    }
    for item in try ManifestFile.list("inputs", of: root) {
      inputs.append(try ManifestInput(item))
    }
    for item in try ManifestFile.list("outputs", of: root) {
      let facts = try FileFacts(item, in: "outputs")
      files.append(
        WrittenFile(
          path: facts.path, bytes: facts.bytes, lines: facts.lines, xxh64: facts.xxh64))
    }
  }

  private static func list(
    _ name: StaticString, of root: JSONValue
  ) throws(Damage) -> [JSONValue] {
    guard let list = root[name], list.kind == .array else {
      throw Damage("it has no list of \(name)")
    }
    return list.items
  }
}

/// An input as a manifest lists it.
struct ManifestInput: Equatable {
  /// As it was found.
  let path: String
  /// As it lay on disk.
  let bytes: Int
  let lines: Int
  /// XXH64 of the bytes as they lay on disk.
  let xxh64: UInt64
  /// Whether it could not be read to its end (`--keep-going`).
  let isLost: Bool

  fileprivate init(_ item: JSONValue) throws(Damage) {
    let facts = try FileFacts(item, in: "inputs")
    path = facts.path
    bytes = facts.bytes
    lines = facts.lines
    xxh64 = facts.xxh64
    isLost = item["lost"]?.bool ?? false
  }
}

/// What makes a manifest none, in words.
private struct Damage: Error {
  let why: String

  init(_ why: String) { self.why = why }
}

/// The members that inputs and outputs share.
private struct FileFacts {
  let path: String
  let bytes: Int
  let lines: Int
  let xxh64: UInt64

  init(_ item: JSONValue, in list: StaticString) throws(Damage) {
    guard let path = item["path"]?.text, let bytes = item["bytes"]?.int, bytes >= 0,
      let lines = item["lines"]?.int, lines >= 0, let hash = item["xxh64"]?.xxh64
    else { throw Damage("an entry of \(list) lacks path, bytes, lines or xxh64") }
    self.path = path
    self.bytes = bytes
    self.lines = lines
    xxh64 = hash
  }
}

extension JSONValue {
  /// A hash as the outputs show it (``XXH64/text(_:)``).
  var xxh64: UInt64? {
    guard let digits = text, let hash = UInt64(digits, radix: 16), XXH64.text(hash) == digits else {
      return nil
    }
    return hash
  }
}
