import Pipeline

/// The contents that the earlier nights of a chain have read, of damaged logs up to the loss, or
/// skipped for what was read: each once under each path. The last one of a path with the same first
/// line is what the path had. Each manifest carries on those it inherited, and adds those of its
/// own night.
struct InputHistory {
  /// Inputs that a manifest remembers. Above it, the first by path, likely the oldest, go.
  static let most = 1_000_000

  /// Sorted by the bytes of their paths, then by their hashes.
  let inputs: [ManifestInput]

  private struct Key: Hashable {
    let path: FilePath
    /// The hash of the content, or of its first line.
    let hash: UInt64
    var bytes = 0
  }

  /// Of equal `inputs` the first counts. Complexity: O(n log n).
  init(_ inputs: [ManifestInput], most: Int = InputHistory.most) {
    var known: Set<Key> = []
    let all = inputs.filter { input in
      guard let content = input.content, content.hasLines else { return false }
      let key = Key(path: FilePath(input.path), hash: content.xxh64, bytes: content.bytes)
      return known.insert(key).inserted
    }
    .sorted {
      $0.path.utf8.elementsEqual($1.path.utf8)
        ? $0.facts.xxh64 < $1.facts.xxh64 : $0.path.precedes($1.path)
    }
    self.inputs = Array(all.suffix(most))
  }

  /// The inputs of the chain that ends with the output of `manifest`.
  init(_ manifest: Manifest) {
    let read = manifest.inputs
    // Whether the last line was cut, according to the inputs that were read.
    var isCut: [ContentFacts: Bool] = [:]
    for input in read + manifest.earlierInputs {
      guard let content = input.content else { continue }
      isCut[content] = input.isCut && isCut[content] ?? true
    }
    // The copy of an input that is not a log was not read.
    let skipped = manifest.alreadyRead.compactMap { input in
      isCut[input.content].map {
        ManifestInput(
          path: input.path, facts: input.facts, lines: 0, content: input.content,
          earlier: input.earlier, isCut: $0)
      }
    }
    func key(_ input: ManifestInput) -> Key? {
      input.content.map { Key(path: FilePath(input.path), hash: $0.firstLine) }
    }
    let tonight = Set((read + skipped).compactMap(key))
    let earlier = manifest.earlierInputs.map { input in
      guard let key = key(input), tonight.contains(key) else { return input }
      var input = input
      input.isSuperseded = true
      return input
    }
    self.init(read + skipped + earlier)
  }
}

/// The facts by which an input counts as unchanged: path, length, time of the last change.
struct InputState: Document, Equatable {
  private static let doing = "comparing with an earlier run the input"

  private(set) var path = ""
  /// Length in bytes; nil for an input that cannot be reopened, which never equals another.
  private(set) var bytes: Int?
  /// Nanoseconds since 1970.
  private(set) var modified = 0

  static let fields: [Field<InputState>] = [
    .value("path", \.path), .maybe("bytes", \.bytes), .value("modified", \.modified),
  ]

  init() {}

  init(_ input: InputFile, _ system: System) throws(Failure) {
    path = input.path
    guard input.isReopenable else { return }
    let status = try system.status(of: input.path, doing: InputState.doing)
    (bytes, modified) = (status.size, status.modified)
  }

  static func == (a: InputState, b: InputState) -> Bool {
    a.path.utf8.elementsEqual(b.path.utf8) && a.bytes != nil && a.bytes == b.bytes
      && a.modified == b.modified
  }
}

/// An input that was skipped, because its content was read under another name or earlier.
struct AlreadyRead: Document, Equatable, Sendable {
  var path = ""
  var facts = FileHash()
  var content = ContentFacts()
  /// The path under which the same content is or was read.
  var earlier = ""

  static let fields: [Field<AlreadyRead>] = [
    .value("path", \.path), .size("bytes", \.facts.bytes), .value("xxh64", \.facts.xxh64),
    .value("content", \.content), .value("as", \.earlier),
  ]
}

/// An input that has, or begins with, the content of another one.
package struct RepeatedInput: Sendable, Equatable {
  package let path: String
  /// The other one, whose content is read or was read before.
  package let first: String

  /// The inputs with the content of an earlier one in path order; only `--reingest` reads such.
  static func among(_ outcomes: [InputOutcome]) -> [RepeatedInput] {
    var first: [ContentFacts: String] = [:]
    var repeated: [RepeatedInput] = []
    for outcome in outcomes {
      guard let content = outcome.content, content.hasLines else { continue }
      if let known = first[content] {
        repeated.append(RepeatedInput(path: outcome.file.path, first: known))
      } else {
        first[content] = outcome.file.path
      }
    }
    return repeated
  }
}
