import Pipeline

/// A dialect described by a mapping file instead of code (docs/guides/mapping.md). Each path of the
/// file is a number in a ``MappedTree``. Immutable.
package final class Mapping: Sendable {
  package let dialect: Dialect
  /// XXH64 of the file.
  package let hash: UInt64
  /// The conditions by which its lines are detected: all of one list must hold.
  let matches: [[MappedCondition]]
  /// The kinds of lines; the first that matches is used.
  let kinds: [MappedKind]
  /// Those with the same lists of events.
  let groups: [MappedGroup]

  /// The names of root fields without which a line is of another dialect: those of one list.
  var requiredFields: [[String]] {
    matches.map { match in
      match.filter(\.isPresent).map { condition in
        JSONPointer.name(ofStep: condition.path.dropFirst().prefix { $0 != "/" })
      }
    }
  }

  /// Whether any of its lines may have the root field `name` in a path.
  func hasRootField(_ name: String, _ words: MappedWords) -> Bool {
    let name = ByteBuffer(text: name)
    let word = words.number(of: name.view)
    return kinds.contains { $0.tree.child(of: 0, word) > 0 }
  }

  init(
    _ dialect: Dialect, hash: UInt64, _ matches: [[MappedCondition]], _ rules: [MappedRules],
    _ groups: [MappedGroupDraft], _ words: MappedWords
  ) {
    (self.dialect, self.hash, self.matches) = (dialect, hash, matches)
    let kinds = rules.map { MappedKind($0, words) }
    self.kinds = kinds
    self.groups = groups.enumerated().map { index, group in
      MappedGroup(group, kinds.filter { $0.rules.group == index }, words)
    }
  }
}

/// The kinds of lines with the same lists: each item is of the first whose conditions hold.
final class MappedGroup: Sendable {
  let kinds: [MappedKind]
  /// By level: the paths of the conditions on its items, and that of the list in them.
  let trees: [MappedTree]
  /// The numbers of the lists, by level.
  let lists: [Int]
  /// Whether each item has an owner, or an effect, of its own.
  let hasOwners: Bool

  init(_ draft: MappedGroupDraft, _ kinds: [MappedKind], _ words: MappedWords) {
    self.kinds = kinds
    trees = draft.levels.map { $0.tree(words) }
    lists = draft.numbers
    hasOwners = kinds.contains { kind in
      let rules = kind.rules
      return rules.effect != .event || !rules.profile.isEmpty || rules.changesConsent
        || rules.hasOwnOwner && kinds.count > 1
        || (rules.customID + rules.installationID).contains { $0.level > 0 }
    }
  }
}

/// The same while its paths are read.
struct MappedGroupDraft: Sendable {
  let lists: [[MappedStep]]
  var levels: [MappedPaths]
  let numbers: [Int]

  init(_ lists: [[MappedStep]]) {
    self.lists = lists
    var levels = lists.map { _ in MappedPaths() } + [MappedPaths()]
    numbers = lists.enumerated().map { levels[$0].number(of: $1) }
    self.levels = levels
  }
}

/// A condition on a line.
final class MappedCondition: Sendable {
  /// The path as written in the file.
  let path: String
  /// Where it begins: 0 = at the line, else at an item of a list.
  let level: Int
  /// Its number in ``Mappings/detection``, or in ``MappedGroup/trees``.
  let number: Int
  /// Whether a value other than null is required; otherwise it must be absent or null.
  let isPresent: Bool
  /// The accepted values; empty = any.
  let values: [MappedValue]
  /// The required beginning of a text; nil = any value.
  let prefix: [UInt8]?

  init(
    path: String, level: Int = 0, number: Int, isPresent: Bool, values: [MappedValue] = [],
    prefix: [UInt8]? = nil
  ) {
    (self.path, self.level, self.number, self.isPresent) = (path, level, number, isPresent)
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
  /// The paths of ``MappedRules/levels``.
  let trees: [MappedTree]
  /// The paths of a pair of an event, and of a profile, by index in ``MappedMembers/attributes``;
  /// nil for objects.
  let pairTrees: [MappedTree?]
  let profilePairTrees: [MappedTree?]
  /// The same of the pairs of all ids.
  let idPairTree: MappedTree?

  var tree: MappedTree { trees[0] }
  var hasList: Bool { trees.count > 1 }

  init(_ rules: MappedRules, _ words: MappedWords) {
    self.rules = rules
    trees = rules.levels.map { $0.tree(words) }
    pairTrees = rules.event.attributes.map { $0.pairs?.paths.tree(words) }
    profilePairTrees = rules.profile.attributes.map { $0.pairs?.paths.tree(words) }
    idPairTree = rules.pairs.last?.paths.tree(words)
  }
}

struct MappedRules: Sendable {
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
  /// The conditions for a line to be of this kind, and those for an item of the list.
  var when: [MappedCondition] = []
  var itemConditions: [MappedCondition] = []
  /// The paths of the line; with a list of events then those of the items of each list around it,
  /// and at last those of its own items.
  var levels = [MappedPaths()]
  /// These, and those of pairs.
  var allPaths: [MappedPaths] {
    levels + (event.attributes + profile.attributes).compactMap { $0.pairs?.paths }
      + pairs.map(\.paths)
  }
  /// The lists, each as a path from an item of the one around it.
  var lists: [[MappedStep]] = []
  /// The number of the kinds with these lists; -1 = there are none.
  var group = -1
  /// The paths of values around the items.
  var outerPaths: [[MappedStep]] = []
  var hasOwnOwner = false
  var customID: [MappedSource] = []
  var installationID: [MappedSource] = []
  /// Alternatives: each is one source, or several whose texts are joined to one id.
  var id: [[MappedSource]] = []
  /// Whether the id alone, not with the time, identifies deliveries of an event.
  var hasTimelessIDs = false
  /// The texts that are not ids, beside those of the run.
  var placeholders: Placeholders?
  var time: [MappedTime] = []
  /// Whether events without any of the times count, too.
  var isUntimed = false
  var name: [MappedName] = []
  var event = MappedMembers()
  var profile = MappedMembers()
  var pairs: [MappedAttributes.Pairs] = []
  var label: [MappedSource] = []
  var tags: [MappedSource] = []
  /// Whether the installation has opted out: a value of the line, or always the same.
  var optedOut: [MappedSource] = []
  var constantOptOut: Bool?
  /// Attributes added to each event.
  var constants: [(key: [UInt8], value: MappedValue)] = []
  /// New keys of attributes, by word.
  var renames: [Int: [UInt8]] = [:]

  var changesConsent: Bool { constantOptOut != nil || !optedOut.isEmpty }

  /// Whether the mapping itself names an attribute so.
  func hasKey(_ text: ByteView) -> Bool {
    event.fields.contains { text == $0.key } || constants.contains { text == $0.key }
  }
}

struct MappedMembers: Sendable {
  /// Objects whose fields do.
  var attributes: [MappedAttributes] = []
  /// Further paths, with their keys; the key of an attribute of a profile has its form, too.
  var fields: [(key: [UInt8], form: KeyForm, sources: [MappedSource])] = []

  var isEmpty: Bool { attributes.isEmpty && fields.isEmpty }
}

/// The source of a name: texts of the line, which are joined, or a constant.
struct MappedName: Sendable {
  var sources: [MappedSource] = []
  var separator: [UInt8] = []
  /// Beginnings that are left out: the first that the text has.
  var prefixes: [[UInt8]] = []
  /// The name of events that have none in the line; without sources.
  var constant: [UInt8] = []
}

enum MappedType: String, CaseIterable, Sendable {
  case text, number, bool, date, url
  /// Text that holds JSON.
  case json

  var form: KeyForm { self == .date ? .date : self == .url ? .url : .plain }
}

struct MappedSource: BitwiseCopyable, Sendable {
  /// The number of its path.
  var number = -1
  /// Where the path begins: at the line, or at an item of a list (``MappedRules/levels``).
  var level = 0
  /// Of the pairs in the list at the path the one with a certain key: an index of
  /// ``MappedRules/pairs``; -1 = the value itself.
  var pair = -1
}

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

  /// One, or several whose texts are joined by a space.
  let sources: [MappedSource]
  /// Of several the first in which a number is a time.
  let units: [Unit]
  /// The offset from UTC of texts without a zone, in minutes; nil = UTC, recorded as a loss.
  let zone: Int?

  /// Whether its usual values are milliseconds or texts with a zone.
  var isPlain: Bool { units == [.auto] || units == [.milliseconds] }
}

/// Objects, or lists of pairs, that become attributes.
struct MappedAttributes: Sendable {
  /// The numbers of the paths of key and value in an item of a list, or in a field of an object.
  struct Pairs: Sendable {
    /// Of several ids, the last one has those of all.
    var paths: MappedPaths
    /// -1 = the name of the field is the key.
    let key: Int
    let values: [Int]
    /// The key of the only pair that counts, if one does.
    var wanted: [UInt8] = []
  }

  let source: MappedSource
  /// The list of the values, if the source is a list of their keys.
  var values: MappedSource?
  /// How the items of a list, or the fields of an object, are pairs.
  var pairs: Pairs?

  /// Whether they are not simply the fields of an object.
  var isList: Bool { pairs != nil || values != nil }
  /// Where they are complete: at the line, or at an item of a list.
  var level: Int { max(source.level, values?.level ?? 0) }
}

/// The mappings of a run, in the order of the options.
package struct Mappings: Sendable, Equatable {
  package static let most = 16

  package internal(set) var all: [Mapping] = []
  /// The field names of all paths; the number of a word is its index + 1.
  var words = MappedWords()
  /// The paths of the conditions of all mappings, and their tree.
  var paths = MappedPaths()
  var detection = MappedPaths().tree(MappedWords())
  /// Number of steps of all paths.
  var steps = 0
  /// The recorded text of mappings that are not loaded.
  private var recorded = ""

  package init() {}

  /// Mappings that are not loaded, with the text that a document records of them.
  package init(recorded: String) { self.recorded = recorded }

  package var isEmpty: Bool { all.isEmpty }

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

extension [[MappedStep]] {
  /// Where a path begins, at the line or at an item of these lists, and its steps from there.
  func level(of path: [MappedStep]) -> (level: Int, steps: [MappedStep]) {
    var (level, rest) = (0, path[...])
    while level < count, rest.starts(with: self[level] + [.item]) {
      rest = rest.dropFirst(self[level].count + 1)
      level += 1
    }
    return (level, [MappedStep](rest))
  }
}
