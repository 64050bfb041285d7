import Pipeline

/// A dialect described by a mapping file instead of code (docs/guides/mapping.md). Each path of the
/// file is a number in a ``MappedTree``. Immutable.
package final class Mapping: Sendable {
  /// The dialect of its lines.
  package let dialect: Dialect
  /// XXH64 of the file.
  package let hash: UInt64
  /// The conditions by which its lines are detected; all must hold.
  let match: [MappedCondition]
  /// The kinds of lines; the first that matches is used.
  let kinds: [MappedKind]

  /// The names of root fields without which a line is of another dialect.
  var requiredFields: [String] {
    match.filter(\.isPresent).map { condition in
      JSONPointer.name(ofStep: condition.path.dropFirst().prefix { $0 != "/" })
    }
  }

  /// Whether any of its lines may have the root field `name` in a path.
  func hasRootField(_ name: String, _ words: MappedWords) -> Bool {
    guard let word = words.number(of: Array(name.utf8)) else { return false }
    return kinds.contains { $0.tree.child(of: 0, word) > 0 }
  }

  init(_ dialect: Dialect, hash: UInt64, match: [MappedCondition], kinds: [MappedKind]) {
    (self.dialect, self.hash, self.match, self.kinds) = (dialect, hash, match, kinds)
  }
}

/// A condition on a line.
final class MappedCondition: Sendable {
  /// The path as written in the file.
  let path: String
  /// Its number in ``Mappings/detection``.
  let number: Int
  /// Whether a value other than null is required; otherwise it must be absent or null.
  let isPresent: Bool
  /// The accepted values; empty = any.
  let values: [MappedValue]
  /// The required beginning of a text; nil = any value.
  let prefix: [UInt8]?

  init(path: String, number: Int, isPresent: Bool, values: [MappedValue], prefix: [UInt8]?) {
    (self.path, self.number, self.isPresent) = (path, number, isPresent)
    (self.values, self.prefix) = (values, prefix)
  }

  /// Whether the value at `node` (`.none` if absent) meets the condition.
  func holds(_ node: Node, of tape: Tape) -> Bool {
    guard node.exists == isPresent else { return false }
    if let prefix {
      let text = tape.bytes(at: node)
      guard tape[node].kind == .string, text.count >= prefix.count,
        text[0..<prefix.count] == prefix
      else { return false }
    }
    return values.isEmpty || values.contains { $0.matches(node.index, of: tape) }
  }
}

/// A value in a mapping file: a string, a number as written, true or false.
struct MappedValue: Sendable {
  let kind: TapeKind
  let text: [UInt8]

  /// Whether the value at `node` equals this one: texts by bytes, numbers by digits.
  func matches(_ node: Int, of tape: Tape) -> Bool {
    let entry = tape[node]
    guard entry.kind == kind else { return false }
    return kind == .true || kind == .false || tape.bytes(entry) == text
  }
}

/// The rules for one kind of lines, with the trees of their paths. Immutable.
final class MappedKind: Sendable {
  let rules: MappedRules
  /// The paths of the line.
  let tree: MappedTree
  /// The paths of an item, if the line has a list of events.
  let itemTree: MappedTree?
  /// The paths of a pair, by index in ``MappedRules/attributes``; nil for objects.
  let pairTrees: [MappedTree?]

  init(_ rules: MappedRules, words: Int) {
    self.rules = rules
    tree = rules.paths.tree(words: words)
    itemTree = rules.itemPaths?.tree(words: words)
    pairTrees = rules.attributes.map { $0.pairs?.paths.tree(words: words) }
  }
}

/// The rules for one kind of lines.
struct MappedRules: Sendable {
  /// The effect of a line.
  enum Effect: String, CaseIterable, Sendable {
    /// One or more events.
    case event
    /// Changes attributes of a person or an installation.
    case identify
    /// Links an installation to a person.
    case alias
    /// Erases the data of a person or an installation up to its time.
    case delete
    /// None: its data is dropped.
    case ignore
  }

  let effect: Effect
  /// The conditions for a line to be of this kind.
  var when: [MappedCondition] = []
  var paths = MappedPaths()
  var itemPaths: MappedPaths?
  /// The number of the path of the list of events; -1 = none.
  var list = -1
  var customID: [MappedSource] = []
  var installationID: [MappedSource] = []
  /// Alternatives: each is one source, or several whose texts are joined to one id.
  var id: [[MappedSource]] = []
  /// Whether the id alone, not with the time, identifies deliveries of an event.
  var hasTimelessIDs = false
  var time: [MappedTime] = []
  var name: [MappedSource] = []
  /// The name of events that have none in the line.
  var constantName: [UInt8] = []
  /// Objects whose fields become attributes or operations.
  var attributes: [MappedAttributes] = []
  /// Further paths that become attributes, with their keys.
  var fields: [(key: [UInt8], sources: [MappedSource])] = []
  /// Attributes added to each event.
  var constants: [(key: [UInt8], value: MappedValue)] = []
  /// New keys of attributes, by word.
  var renames: [Int: [UInt8]] = [:]

  /// Whether the mapping itself names an attribute so.
  func hasKey(_ text: ByteView) -> Bool {
    fields.contains { text == $0.key } || constants.contains { text == $0.key }
  }
}

/// The source of a value.
struct MappedSource: BitwiseCopyable, Sendable {
  /// The number of its path; -1 = ``MappedRules/constantName``.
  var number = -1
  /// Whether the path begins at the item instead of the line.
  var isOfItem = false
}

/// The source of a time, and its format.
struct MappedTime: Sendable {
  enum Unit: String, CaseIterable, Sendable {
    /// As in other foreign dialects: text, or milliseconds.
    case auto
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

    /// The unit of its numbers; nil if the value may be text.
    var number: DecimalNumber.Unit? {
      switch self {
      case .auto: nil
      case .seconds: .seconds
      case .milliseconds: .milliseconds
      case .microseconds: .microseconds
      case .nanoseconds: .nanoseconds
      }
    }
  }

  let source: MappedSource
  let unit: Unit
  /// The offset from UTC of texts without a zone, in minutes; nil = UTC, recorded as a loss.
  let zone: Int?
}

/// Objects, or lists of pairs, that become attributes.
struct MappedAttributes: Sendable {
  /// The numbers of the paths of key and value in an item of a list.
  struct Pairs: Sendable {
    let paths: MappedPaths
    let key: Int
    let values: [Int]
  }

  let source: MappedSource
  /// Nil for an object.
  let pairs: Pairs?
}

/// A mapping that was read but is not sealed.
struct MappingDraft: Sendable {
  let dialect: Dialect
  let hash: UInt64
  let match: [MappedCondition]
  let kinds: [MappedRules]
}

/// The mappings of a run, in the order of the options.
package struct Mappings: Sendable, Equatable {
  /// Maximum number of mappings per run.
  package static let most = 16

  package internal(set) var all: [Mapping] = []
  /// The field names of all paths; the number of a word is its index + 1.
  var words = MappedWords()
  /// The paths of the conditions of all mappings.
  var paths = MappedPaths()
  /// The same, once sealed.
  var detection = MappedPaths().tree(words: 0)
  /// The mappings added so far, until they are sealed.
  var drafts: [MappingDraft] = []
  /// Number of steps of all paths.
  var steps = 0
  /// The recorded text of mappings that are not loaded.
  private var recorded = ""

  package init() {}

  /// Mappings that are not loaded, with the text that a document records of them. Nothing can be
  /// read with them.
  package init(recorded: String) { self.recorded = recorded }

  /// Whether no mapping is loaded.
  package var isEmpty: Bool { all.isEmpty }

  /// The paths by which lines of a dialect are detected; empty without its mapping.
  package func evidence(of dialect: Dialect) -> [String] {
    mapping(of: dialect)?.match.map(\.path) ?? []
  }

  /// The mapping of a dialect, if any.
  func mapping(of dialect: Dialect) -> Mapping? { all.first { $0.dialect == dialect } }

  /// The name and hash of each, sorted, as recorded in documents; empty without mappings.
  package var text: String {
    all.isEmpty
      ? recorded
      : all.map { "\($0.dialect.name):\(XXH64.text($0.hash))" }.sorted().joined(separator: ",")
  }

  package static func == (a: Mappings, b: Mappings) -> Bool {
    a.all.map(\.hash) == b.all.map(\.hash) && a.text == b.text
  }
}
