import Pipeline

/// A dialect that a file describes instead of code (docs/guides/mapping.md), ready to be read with:
/// every path of the file is a number of a ``MappedTree``. Immutable.
package final class Mapping: Sendable {
  /// What its lines are counted as.
  package let dialect: Dialect
  /// A hash of the file's bytes.
  package let hash: UInt64
  /// What has to hold for a line to be one of the dialect.
  let match: [MappedCondition]
  /// The kinds of lines it has, of which the first that fits counts.
  let kinds: [MappedKind]

  init(_ dialect: Dialect, hash: UInt64, match: [MappedCondition], kinds: [MappedKind]) {
    (self.dialect, self.hash, self.match, self.kinds) = (dialect, hash, match, kinds)
  }
}

/// Something that holds for a line or not.
final class MappedCondition: Sendable {
  /// The path as it stands in the file.
  let path: String
  /// Its number in ``Mappings/detection``.
  let number: Int
  /// Whether there has to be something, not null; else there must be nothing.
  let isPresent: Bool
  /// What it has to be one of; any value if empty.
  let values: [MappedValue]
  /// What a text has to begin with; nil = any value.
  let prefix: [UInt8]?

  init(path: String, number: Int, isPresent: Bool, values: [MappedValue], prefix: [UInt8]?) {
    (self.path, self.number, self.isPresent) = (path, number, isPresent)
    (self.values, self.prefix) = (values, prefix)
  }

  /// Whether the value at `node`, none where there is nothing, is as it has to be.
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

/// A value that a mapping names: a string, a number as it is written, true or false.
struct MappedValue: Sendable {
  let kind: TapeKind
  let text: [UInt8]

  /// Whether the value at `node` is this one: texts byte for byte, numbers digit for digit.
  func matches(_ node: Int, of tape: Tape) -> Bool {
    let entry = tape[node]
    guard entry.kind == kind else { return false }
    return kind == .true || kind == .false || tape.bytes(entry) == text
  }
}

/// What is made of one kind of lines, and where it stands in them. Immutable.
final class MappedKind: Sendable {
  let rules: MappedRules
  /// Where the fields of the line are.
  let tree: MappedTree
  /// Where the fields of an item are, if the line holds a list of events.
  let itemTree: MappedTree?
  /// By position in ``MappedRules/attributes``: where the fields of a pair are, if it lists some.
  let pairTrees: [MappedTree?]

  init(_ rules: MappedRules, words: Int) {
    self.rules = rules
    tree = rules.paths.tree(words: words)
    itemTree = rules.itemPaths?.tree(words: words)
    pairTrees = rules.attributes.map { $0.pairs?.paths.tree(words: words) }
  }
}

/// What is made of one kind of lines.
struct MappedRules: Sendable {
  /// What a line does.
  enum Effect: String, CaseIterable, Sendable {
    /// It is an event, or several of them.
    case event
    /// It changes attributes of a person or an installation.
    case identify
    /// It links an installation to a person.
    case alias
    /// It erases what is known up to its time.
    case delete
    /// It is known and says nothing that is kept.
    case ignore
  }

  let effect: Effect
  /// What has to hold for a line to be of this kind.
  var when: [MappedCondition] = []
  var paths = MappedPaths()
  var itemPaths: MappedPaths?
  /// The number of that list's path.
  var list = -1
  var customID: [MappedSource] = []
  var installationID: [MappedSource] = []
  /// Each one source, or several whose texts are one id.
  var id: [[MappedSource]] = []
  var time: [MappedTime] = []
  var name: [MappedSource] = []
  /// What an event is called where its name is none that stands in the line.
  var constantName: [UInt8] = []
  /// The objects whose fields become attributes, or operations.
  var attributes: [MappedAttributes] = []
  /// Further paths that become attributes, with the keys that they get.
  var fields: [(key: [UInt8], sources: [MappedSource])] = []
  /// Attributes that each event gets.
  var constants: [(key: [UInt8], value: MappedValue)] = []
  /// Keys that attributes get instead of their own, by word.
  var renames: [Int: [UInt8]] = [:]
}

/// Where a value comes from.
struct MappedSource: BitwiseCopyable, Sendable {
  /// The number of its path; of none, it is the ``MappedRules/constantName``.
  var number = -1
  /// Whether the path is one of the item's, and not of the line's.
  var isOfItem = false
}

/// Where a time comes from, and how it is written.
struct MappedTime: Sendable {
  enum Unit: String, CaseIterable, Sendable {
    /// As in other foreign dialects: text, or milliseconds.
    case auto
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

    /// What its numbers count; nil if it may be text.
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
  /// What a text without a zone is ahead of UTC, in minutes; nil = it is UTC, and a loss says so.
  let zone: Int?
}

/// Objects, or lists of pairs, whose content becomes attributes.
struct MappedAttributes: Sendable {
  /// Where an item of a list has its key and its value: numbers of paths.
  struct Pairs: Sendable {
    let paths: MappedPaths
    let key: Int
    let values: [Int]
  }

  let source: MappedSource
  /// Nil for an object.
  let pairs: Pairs?
}

/// A mapping that was read and is still to be sealed.
struct MappingDraft: Sendable {
  let dialect: Dialect
  let hash: UInt64
  let match: [MappedCondition]
  let kinds: [MappedRules]
}

/// The mappings of a run: those that the user named, in their order.
package struct Mappings: Sendable, Equatable {
  /// The most of one run.
  package static let most = 16

  package internal(set) var all: [Mapping] = []
  /// The field names of all paths; the number of a word is its index + 1.
  var words = MappedWords()
  /// Where the conditions of all mappings look.
  var paths = MappedPaths()
  /// The same, once they are sealed.
  var detection = MappedPaths().tree(words: 0)
  /// What is added until they are sealed.
  var drafts: [MappingDraft] = []
  /// The steps of all their paths.
  var steps = 0
  /// What a document records of mappings that are not here.
  private var recorded = ""

  /// No mappings.
  package init() {}

  /// Mappings of which only what a document records is known: nothing can be read with them.
  package init(recorded: String) { self.recorded = recorded }

  /// Whether there are none to read with.
  package var isEmpty: Bool { all.isEmpty }

  /// The paths by which lines of a dialect are detected; none without its mapping.
  package func evidence(of dialect: Dialect) -> [String] {
    mapping(of: dialect)?.match.map(\.path) ?? []
  }

  /// The mapping of a dialect, if there is one.
  func mapping(of dialect: Dialect) -> Mapping? { all.first { $0.dialect == dialect } }

  /// Name and hash of each, sorted, as documents record them; empty without mappings.
  package var text: String {
    all.isEmpty
      ? recorded
      : all.map { "\($0.dialect.name):\(XXH64.text($0.hash))" }.sorted().joined(separator: ",")
  }

  package static func == (a: Mappings, b: Mappings) -> Bool {
    a.all.map(\.hash) == b.all.map(\.hash) && a.text == b.text
  }
}
