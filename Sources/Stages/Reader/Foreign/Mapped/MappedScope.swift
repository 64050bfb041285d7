import Pipeline

/// What is known of a kind of lines while they are read: the values found in the current line and
/// its items, and the keys and values of the mapping, drafted once per block.
final class MappedScope {
  let kind: MappedKind
  let hasRenames: Bool
  /// The values found, by level (``MappedRules/levels``).
  let levels: [MappedLine.Found]
  let pair = MappedLine.Found()
  let shared = SharedAttributes()
  /// The object around the items for which ``shared`` was drafted: its number.
  var sharedNumber = 0
  /// By index in ``MappedRules/pairs``: the pair found last, and its list.
  private var pairs: [(block: Int, list: Node, value: MappedLine.Value)] = []
  /// By level: the object that the values come from.
  private var objects: [MappedLine.Outer]
  /// The keys of ``MappedMembers/fields``, of events and of profiles.
  private(set) var fields: [TapeEntry] = []
  private(set) var profileFields: [TapeEntry] = []
  /// By index in ``MappedRules/constants``: keys and values.
  private(set) var constantKeys: [TapeEntry] = []
  private(set) var constants: [TapeEntry] = []
  /// By word; kind `null` if the key is not renamed.
  private var renames = PlainList<TapeEntry>()
  /// The ``Tape/block`` of the texts.
  private var block = 0

  init(_ kind: MappedKind) {
    self.kind = kind
    hasRenames = !kind.rules.renames.isEmpty
    levels = kind.trees.map { _ in MappedLine.Found() }
    objects = kind.trees.map { _ in MappedLine.Outer() }
    pairs = kind.rules.pairs.map { _ in (0, Node.none, MappedLine.Value()) }
  }

  @inline(__always)
  func begin(_ tape: Tape) { if block != tape.block { beginBlock(tape) } }

  private func beginBlock(_ tape: Tape) {
    block = tape.block
    func key(_ text: [UInt8]) -> TapeEntry { tape.key { $0.append(contentsOf: text) } }
    let rules = kind.rules
    fields = rules.event.fields.map { key($0.key) }
    profileFields = rules.profile.fields.map { key($0.key) }
    constantKeys = rules.constants.map { key($0.key) }
    constants = rules.constants.map { constant in
      var entry = tape.text { $0.append(contentsOf: constant.value.text) }
      entry.kind = constant.value.kind
      if constant.value.kind == .double { entry.flags |= TapeEntry.exponent }
      return entry
    }
    renames.removeAll()
    for (word, text) in rules.renames {
      while renames.count <= word { renames.append(TapeEntry(kind: .null)) }
      renames[word] = key(text)
    }
  }

  /// The pair of a list that an id is, which `find` finds once for each list.
  func pair(
    _ index: Int, of list: Node, in tape: Tape, _ find: () -> MappedLine.Value
  ) -> MappedLine.Value {
    if pairs[index].block == tape.block, pairs[index].list == list { return pairs[index].value }
    pairs[index] = (tape.block, list, find())
    return pairs[index].value
  }

  /// Notes that the values of a level come from `object`; returns whether they came from another.
  func enter(_ object: MappedLine.Outer, level: Int) -> Bool {
    if objects[level].number == object.number { return false }
    objects[level] = object
    return true
  }

  /// The new key of a field named by this word, if it is renamed.
  func renamed(_ word: Int) -> TapeEntry? {
    word < renames.count && renames[word].kind == .key ? renames[word] : nil
  }
}
