import Pipeline

/// The contents of a written manifest (``Manifest``).
///
/// Reads a whole manifest at once; memory is proportional to the number of inputs and outputs.
struct ManifestFile {
  /// Version of the output's format; nil when it has none. For other formats than
  /// ``Manifest/formatVersion`` nothing else is read.
  let version: Int?
  /// Whether its documents end with their hash.
  private(set) var isSealed = false
  /// The program's version and libzstd's.
  private(set) var tool: (version: String, zstd: String) = ("", "")
  /// The options that could change the result, as spelled in the manifest.
  private(set) var options: [(name: String, value: JSONValue)] = []
  /// The hashes of the states that the run continues, in order.
  private(set) var previousState: [UInt64] = []
  /// A hash of the facts of all partials, of a merged partition.
  private(set) var facts: UInt64?
  /// The inputs that were read, by the bytes of their paths.
  private(set) var inputs: [ManifestInput] = []
  /// Those that earlier nights of the chain have read.
  private(set) var earlierInputs: [ManifestInput] = []
  /// Those that were skipped, because an earlier night had read them.
  private(set) var alreadyRead: [AlreadyRead] = []
  /// The output's files.
  private(set) var files: [WrittenFile] = []
  /// Their indices, by their names in `run`.
  private var numbers: [String: Int] = [:]
  /// Those of them that are logs of an archive, in the same order.
  private(set) var logs: [ManifestLog] = []

  /// The file that `run` calls `name`, under whatever name it is listed; nil when it is not listed.
  subscript(name: String) -> WrittenFile? { numbers[name].map { files[$0] } }

  /// The listed path of the file that `run` calls `name`, or `name`.
  func path(of name: String) -> String { self[name]?.path ?? name }

  /// An option of the manifest.
  func option(_ name: String) -> JSONValue? { options.last { $0.name == name }?.value }

  /// Why an output of this format cannot be read; nil when it can.
  var formatProblem: String? {
    guard version != Manifest.formatVersion else { return nil }
    let found = version.map { "format \($0)" } ?? "an unknown format"
    return "it has \(found); this version of eventmill reads format \(Manifest.formatVersion)"
  }

  /// The options as texts, to be compared.
  var optionTexts: [String] { options.map { "\($0.name)=\($0.value.source)" } }

  /// Reads the manifest in the directory `output`, which must be of the kind `kind`.
  ///
  /// - Throws: `usage` when there is none; `corrupt` when it is damaged.
  init(
    _ output: String, kind: Kind = .output, doing: String, system: System = .real
  ) throws(Failure) {
    let path = try ManifestFile.require(RunFiles.manifest, of: kind, in: output, doing, system)
    let document = try JSONDocument(
      reading: path, doing: doing, system: system, repair: kind.repair)
    try self.init(document.root, kind: kind, path: path, doing: doing)
    isSealed = version == kind.version
    guard !isSealed || document.isSealed else {
      throw Failure(
        .corrupt, doing: doing, path: path, why: "its bytes do not match the hash at its end",
        advice: kind.repair)
    }
  }

  /// Checks that the file `name` exists in the directory `output`, which must be of the kind
  /// `kind`.
  ///
  /// - Returns: its path.
  /// - Throws: `usage` when it does not exist.
  static func require(
    _ name: String, of kind: Kind, in output: String, _ doing: String, _ system: System
  ) throws(Failure) -> String {
    guard try system.statusIfAny(of: output, doing: doing) != nil else {
      throw Failure(
        .usage, doing: doing, path: output, why: "it does not exist",
        advice: kind.advice)
    }
    let path = "\(output)/\(name)"
    guard try system.statusIfAny(of: path, doing: doing) == nil else { return path }
    throw Failure(
      .usage, doing: doing, path: output,
      why: "it is not \(kind.article) of eventmill: it has no \(name)",
      advice: kind.advice)
  }

  /// Reads the manifest `root` of the file `path`, which must be of the kind `kind`.
  ///
  /// - Throws: `corrupt` when it is damaged.
  init(_ root: JSONValue, kind: Kind, path: String, doing: String) throws(Failure) {
    do throws(FactsDamage) {
      guard root.kind == .object else { throw FactsDamage("it is not a JSON object") }
      version = root.members.last { $0.name == kind.rawValue }?.value.int
      if version == kind.version || version.map({ $0 == kind.unsealedVersion }) ?? false {
        try readMembers(root)
      } else if kind != .output {
        throw FactsDamage("it is not that of \(kind.article) of this format")
      }
    } catch {
      throw Failure(
        .corrupt, doing: doing, path: path, why: error.why, advice: kind.repair)
    }
  }

  private mutating func readMembers(_ root: JSONValue) throws(FactsDamage) {
    tool = (root["tool"]?["version"]?.text ?? "", root["tool"]?["zstd"]?.text ?? "")
    // A separate document: otherwise the options would keep the whole manifest in memory.
    if let text = root["options"]?.source {
      let bytes = ByteBuffer(text: text)
      options = (try? JSONDocument(bytes.view))?.root.members ?? []
    }
    for hash in root["previous_state"]?.items ?? [] {
      guard let hash = hash.xxh64 else { throw FactsDamage("a hash in previous_state is invalid") }
      previousState.append(hash)
    }
    facts = root["facts"]?.xxh64
    var sizes = CountReader()
    // Those of a partial are in its facts.
    for item in root["facts"]?.kind == .object ? [] : try ManifestFile.list("inputs", of: root) {
      inputs.append(try ManifestInput(item, &sizes))
    }
    for item in root["earlier_inputs"]?.items ?? [] {
      earlierInputs.append(try ManifestInput(item, &sizes))
    }
    for item in root["skipped"]?.items ?? [] { alreadyRead.append(try AlreadyRead(item, &sizes)) }
    for item in try ManifestFile.list("outputs", of: root) {
      let file = try ManifestInput(item, &sizes)
      let written = WrittenFile(
        path: file.path, bytes: file.facts.bytes, lines: file.lines, xxh64: file.facts.xxh64)
      if self[RunFiles.usualName(of: written)] == nil {
        numbers[RunFiles.usualName(of: written)] = files.count
      }
      files.append(written)
      if let source = item["source"]?.text {
        logs.append(
          ManifestLog(
            file: written, source: source, ledger: item["ledger"].flatMap(Ledger.init)))
      }
    }
  }

  private static func list(
    _ name: StaticString, of root: JSONValue
  ) throws(FactsDamage) -> [JSONValue] {
    guard let list = root[name], list.kind == .array else {
      throw FactsDamage("it has no list of \(name)")
    }
    return list.items
  }
}

/// An input as a manifest lists it.
struct ManifestInput: Equatable {
  /// The path as found.
  let path: String
  /// Length and hash on disk.
  let facts: FileHash
  /// Lines that were read.
  let lines: Int
  /// What identifies its content; nil if that is unknown.
  var content: ContentFacts?
  /// Where reading began, if an earlier night had read its beginning.
  var start: InputStart?
  /// The path under which its content was read, if it was skipped.
  var earlier: String?
  /// Whether its last line lacks the line feed and was rejected because it was cut.
  var isCut = false
  /// Whether a later night has read more or something else under the path, with the same first
  /// line: its content is still known, but the path has another one.
  var isSuperseded = false
  /// Whether it could not be read to its end (`--keep-going`).
  var isLost = false
}

/// A log of an archive, as its manifest lists it.
struct ManifestLog {
  let file: WrittenFile
  /// The input that it was made from.
  let source: String
  /// The ledger of that input; nil when the manifest does not contain it.
  let ledger: Ledger?
}

extension ManifestInput {
  fileprivate init(_ item: JSONValue, _ sizes: inout CountReader) throws(FactsDamage) {
    self.init(
      path: try item.path, facts: try item.facts(&sizes),
      lines: try sizes.read(item["lines"], "the number of lines of an entry"),
      content: try item.content(&sizes), start: try item.start(&sizes), earlier: item["as"]?.text,
      isCut: item["cut_short"]?.bool ?? false, isSuperseded: item["superseded"]?.bool ?? false,
      isLost: item["lost"]?.bool ?? false)
  }
}

extension ManifestInput {
  /// The path under which its content was read.
  var readAs: String { earlier ?? path }

  /// Writes the fields of the manifest's entry, except for what is lost.
  func write(to json: inout JSONWriter) {
    json.member("path", path)
    json.member("bytes", facts.bytes)
    json.member("lines", lines)
    json.member("xxh64", XXH64.text(facts.xxh64))
    content?.write(to: &json)
    start?.write(to: &json)
    if let earlier { json.member("as", earlier) }
    if isCut { json.member("cut_short", true) }
    if isSuperseded { json.member("superseded", true) }
  }

  /// An input that was read, as a manifest lists it.
  init(_ outcome: InputOutcome) {
    self.init(
      path: outcome.file.path,
      facts: FileHash(
        bytes: outcome.summary?.compressedBytes ?? 0, xxh64: outcome.summary?.hash ?? 0),
      lines: outcome.summary?.lines ?? 0, content: outcome.content, start: outcome.file.start,
      isCut: outcome.cutShort != nil, isLost: outcome.lost != nil)
  }
}

extension AlreadyRead {
  /// Reads an entry of a manifest, or of facts.
  init(_ item: JSONValue, _ sizes: inout CountReader) throws(FactsDamage) {
    guard let earlier = item["as"]?.text else {
      throw FactsDamage("a skipped input has no earlier path")
    }
    guard let content = try item.content(&sizes) else {
      throw FactsDamage("a skipped input has no content")
    }
    self.init(
      path: try item.path, facts: try item.facts(&sizes), content: content, earlier: earlier)
  }
}

extension JSONValue {
  fileprivate var path: String {
    get throws(FactsDamage) {
      guard let path = self["path"]?.text else { throw FactsDamage("an entry has no path") }
      return path
    }
  }

  fileprivate func facts(_ sizes: inout CountReader) throws(FactsDamage) -> FileHash {
    guard let hash = self["xxh64"]?.xxh64 else { throw FactsDamage("an entry has no xxh64") }
    return FileHash(bytes: try sizes.read(self["bytes"], "the length of an entry"), xxh64: hash)
  }
}

extension JSONValue {
  /// The content of an input; nil when it is not recorded.
  func content(_ sizes: inout CountReader) throws(FactsDamage) -> ContentFacts? {
    guard let content = self["content"] else { return nil }
    return try ContentFacts(content, &sizes)
  }

  /// Where reading of an input began; nil for its beginning.
  func start(_ sizes: inout CountReader) throws(FactsDamage) -> InputStart? {
    guard let grown = self["grown"] else { return nil }
    return try InputStart(grown, &sizes)
  }

  /// A hash in the form of outputs (``XXH64/text(_:)``).
  var xxh64: UInt64? {
    guard let digits = text, let hash = UInt64(digits, radix: 16), XXH64.text(hash) == digits else {
      return nil
    }
    return hash
  }
}
