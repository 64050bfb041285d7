import Pipeline
import Stages

/// The sources and the contents of a directory (`manifest.json`, docs/reference/file-formats.md).
/// Nothing in it depends on time, threads or the directory's own path. Memory is proportional to
/// the number of inputs and outputs.
struct Manifest: Document {
  /// Version of the layout of an output, and the only one that is read.
  static let formatVersion = 8

  private(set) var kind = OutputKind.output
  private(set) var version: Int?
  /// Whether its documents end with their hash.
  private(set) var isSealed = true
  /// The sum of all counts in it.
  private(set) var counted = 0

  private(set) var tool = ToolVersion()
  /// The options that could change the result.
  var options = RecordedOptions()
  /// The hashes of the states that the run continues, in order; empty for the first night.
  var previousState: [UInt64] = []
  /// The facts of a partial; the hash of those of all partials, of a merged partition.
  var facts: Facts?
  /// By the bytes of their paths, like all lists of it.
  var inputs: [ManifestInput] = []
  /// Those that were skipped, because their content was read before.
  var alreadyRead: [AlreadyRead] = []
  var earlierInputs: [ManifestInput] = []
  /// The moment of an erasure, if that matters.
  var erasedAt: String?
  var outputs: [ManifestOutput] = [] { didSet { number() } }
  /// Indices of outputs, by their names in `run`.
  private var numbers: [String: Int] = [:]

  static let fields: [Field<Manifest>] = [
    .written { $1.member($0.kind.rawValue, $0.kind.facts.version) },
    .value("tool", \.tool),
    .row(
      "options", \.options, omits: \.all.isEmpty, write: { $0.write(to: &$1) },
      read: RecordedOptions.read),
    .list("previous_state", \.previousState), .maybe("facts", \.facts),
    .maybe("inputs", \.listedInputs), .list("skipped", \.alreadyRead),
    .list("earlier_inputs", \.earlierInputs), .maybe("erased_at", \.erasedAt),
    .value("outputs", \.outputs),
  ]

  enum Facts: DocumentValue {
    case hash(UInt64)
    case whole(PartialFacts)

    static let expected = "facts or their hash"

    func write(to json: inout JSONWriter) {
      switch self {
      case .hash(let hash): hash.write(to: &json)
      case .whole(let facts): facts.write(to: &json)
      }
    }

    static func read(
      _ value: JSONValue, _ reading: inout DocumentReading
    ) throws(DocumentDamage) -> Facts {
      value.kind == .object
        ? .whole(try PartialFacts.read(value, &reading)) : .hash(try UInt64.read(value, &reading))
    }
  }

  /// Those of a partial are in its facts.
  private var listedInputs: [ManifestInput]? {
    get { kind == .partial ? nil : inputs }
    set { inputs = newValue ?? [] }
  }

  private mutating func number() {
    numbers = [:]
    for (index, output) in outputs.enumerated() {
      let name = RunFiles.usualName(of: output.file)
      if numbers[name] == nil { numbers[name] = index }
    }
  }

  init() {}
}

// MARK: - Making one

extension Manifest {
  init(
    _ kind: OutputKind, by tool: ToolVersion, _ options: RecordedOptions = RecordedOptions(),
    inputs: [InputOutcome] = [], selection: InputSelection? = nil
  ) {
    (self.kind, self.options) = (kind, options)
    self.tool = tool.versions
    version = kind.facts.version
    self.inputs = inputs.map(ManifestInput.init)
    alreadyRead = selection?.alreadyRead ?? []
    earlierInputs = selection?.earlier.inputs ?? []
  }

  /// The same for this program.
  func made(by tool: ToolVersion) -> Manifest {
    var manifest = self
    (manifest.tool, manifest.version) = (tool.versions, kind.facts.version)
    return manifest
  }

  /// Writes the file, with a list of `files`, or of all others in `staging`.
  func write(listing files: [ManifestOutput]? = nil, to staging: StagedDirectory) throws(Failure) {
    var manifest = self
    manifest.outputs = (files ?? staging.listed.map { ManifestOutput(file: $0) }).sorted(
      byBytesOf: \.file.path)
    let text = JSONWriter.sealed { manifest.writeFields(to: &$0) }
    try Manifest.check(text)
    try staging.folder.write(text.view, to: RunFiles.manifest, lines: 1)
  }

  /// Checks that the manifest `text` is not too long to be read again.
  static func check(_ text: borrowing ByteBuffer) throws(Failure) {
    guard text.count > JSONDocument.longest else { return }
    throw Failure(
      .io, doing: "writing", path: RunFiles.manifest,
      why: "its list of inputs has \(NumberFormat.count(text.count, "byte")); a run reads at most "
        + NumberFormat.grouped(JSONDocument.longest),
      advice: "put the logs into fewer files")
  }
}

// MARK: - Reading one

extension Manifest {
  /// Reads the manifest in the directory `output`, which must be of the kind `kind`.
  /// - Throws: `usage` without one, or for one of another kind; `corrupt` when it is damaged.
  init(
    _ output: String, kind: OutputKind = .output, doing: String, system: System = .real
  ) throws(Failure) {
    let path = try Manifest.require(RunFiles.manifest, of: kind, in: output, doing, system)
    let document = try JSONDocument(
      reading: path, doing: doing, system: system, repair: kind.repair)
    try self.init(document.root, kind: kind, path: path, doing: doing)
    guard !isSealed || document.isSealed else {
      throw kind.damaged(path, "its bytes do not match the hash at its end", doing: doing)
    }
  }

  /// The path of the file `name` in the directory `output`, which must be of the kind `kind`.
  /// - Throws: `usage` when it does not exist, or the directory is of another kind; `io`.
  static func require(
    _ name: String, of kind: OutputKind, in output: String, _ doing: String, _ system: System
  ) throws(Failure) -> String {
    guard try system.statusIfAny(of: output, doing: doing) != nil else {
      throw Failure(
        .usage, doing: doing, path: output, why: "it does not exist",
        advice: kind.advice)
    }
    if let found = try Manifest.kind(of: output, doing: doing, system: system), found != kind {
      throw Failure(
        .usage, doing: doing, path: output, why: "it is \(found.article), not \(kind.article)",
        advice: kind.advice)
    }
    let path = "\(output)/\(name)"
    guard try system.statusIfAny(of: path, doing: doing) == nil else { return path }
    throw Failure(
      .usage, doing: doing, path: output,
      why: "it is not \(kind.article) of eventmill: it has no \(name)", advice: kind.advice)
  }

  init(_ root: JSONValue, kind: OutputKind, path: String, doing: String) throws(Failure) {
    self.init()
    self.kind = kind
    version = kind.version(in: root)
    isSealed = version == kind.facts.version
    guard root.kind != .object || isSealed || version.map({ $0 == kind.facts.unsealed }) ?? false
    else {
      let found = version.map { "format \($0)" } ?? "an unknown format"
      throw Failure(
        .corrupt, doing: doing, path: path,
        why: "it has \(found); this version of eventmill reads format \(kind.facts.version)",
        advice: ["use the version of eventmill that wrote it", "make it again"])
    }
    do throws(DocumentDamage) {
      var reading = DocumentReading()
      try readFields(of: root, &reading)
      counted = reading.counted
    } catch { throw kind.damaged(path, error.why, doing: doing) }
  }

  /// The file that `run` calls `name`, under whatever name it is listed; nil when it is not listed.
  subscript(name: String) -> WrittenFile? { numbers[name].map { outputs[$0].file } }

  /// The listed path of the file that `run` calls `name`, or `name`.
  func path(of name: String) -> String { self[name]?.path ?? name }

  /// Number of partitions of an output or a half of a run; nil when it cannot be that.
  var partitions: Int? {
    let most = kind == .partition ? StateHeader.maximumPartitions : max(1, outputs.count)
    return options["partitions"]?.int.flatMap { 1...most ~= $0 ? $0 : nil }
  }

  /// How installations fold.
  var stitch: Stitch { options["stitch"]?.text.flatMap(Stitch.init) ?? .first }
  var files: [WrittenFile] { outputs.map(\.file) }
  /// The logs of an archive.
  var logs: [ManifestOutput] { outputs.filter { $0.origin != nil } }
}

// MARK: - Entries

struct ManifestInput: Document, Equatable {
  var path = ""
  var facts = FileHash()
  var lines = 0
  /// The number of the line that the last record begins with, if records are not lines.
  var lastRecord: Int?
  /// What identifies its content, of a lost input that before the loss; nil if that is unknown.
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

  static let fields: [Field<ManifestInput>] = [
    .value("path", \.path), .count("bytes", \.facts.bytes), .count("lines", \.lines),
    .maybe("last_record", \.lastRecord), .value("xxh64", \.facts.xxh64),
    .maybe("content", \.content), .maybe("grown", \.start),
    .maybe("as", \.earlier), .value("cut_short", \.isCut, unless: false),
    .value("superseded", \.isSuperseded, unless: false), .value("lost", \.isLost, unless: false),
  ]
}

extension ManifestInput {
  init(_ outcome: InputOutcome) {
    self.init(
      path: outcome.file.path,
      facts: FileHash(
        bytes: outcome.summary?.compressedBytes ?? 0, xxh64: outcome.summary?.hash ?? 0),
      lines: outcome.summary?.lines ?? 0, lastRecord: outcome.summary?.lastRecord,
      content: outcome.known, start: outcome.file.start,
      isCut: outcome.cutShort != nil, isLost: outcome.lost != nil)
  }

  /// The path under which its content was read.
  var readAs: String { earlier ?? path }
}

struct ManifestOutput: Document {
  var file = WrittenFile()
  /// The input that a log of an archive was made from, and the ledger of that input.
  var origin: String?
  var ledger: Ledger?

  static let fields: [Field<ManifestOutput>] = [
    .part(\.file), .maybe("source", \.origin), .maybe("ledger", \.ledger),
  ]

  var source: String { origin ?? "" }
}
