import Pipeline

/// Finds what a mapping looks for in one line, in one walk over it (docs/guides/mapping.md).
///
/// Reused from line to line; belongs to one ``DialectReader``, one thread at a time.
package final class MappedLine {
  /// What a path has found.
  struct Value: BitwiseCopyable {
    /// Tape index of the value; none where it is absent or null.
    var node = Node.none
    /// Where it is (``SourcePlaces``).
    var place = SourcePlaces.none
  }

  /// A field that becomes an attribute, or all fields of an object.
  struct Field: BitwiseCopyable {
    /// Tape index of its key, or of the object.
    let node: Node
    /// Where the object is that it stands in.
    let place: Int32
    let isObject: Bool
  }

  /// What nothing reads: a field, or an item of one.
  struct Unread: BitwiseCopyable {
    /// Tape index of the field's key.
    let key: Node
    /// Where the object is that it stands in; of an item, where that is.
    let place: Int32
    var isItem = false
    /// Whether it is null, or a later field has its name.
    fileprivate var isAbsent = false
  }

  /// What was found by one tree of paths. A class, so that handing it on costs nothing.
  final class Found {
    fileprivate init() {}

    /// By number of the path.
    fileprivate var values = PlainList<Value>()
    /// Fields that become attributes, in the order of the line.
    fileprivate(set) var attributes = PlainList<Field>()
    /// What nothing reads.
    fileprivate(set) var others = PlainList<Unread>()

    subscript(number: Int) -> Value { number < 0 ? Value() : values[number] }

    fileprivate func begin(_ tree: MappedTree) {
      if values.count == tree.count {
        values.fill(with: Value())
      } else {
        values.removeAll()
        while values.count < tree.count { values.append(Value()) }
      }
      if !attributes.isEmpty { attributes.recycle() }
      if !others.isEmpty { others.recycle() }
    }
  }

  private let mappings: Mappings
  /// What the conditions of all mappings have found.
  private let conditions = Found()
  /// What the line, an item of the list that is unrolled, and a pair of the chosen kind have.
  let line = Found()
  let item = Found()
  let pair = Found()
  let shared = SharedAttributes()
  let places: SourcePlaces
  /// By number of a name on the tape: its word + 1; 0 = not looked up yet.
  private var words = PlainList<UInt16>()
  /// The ``Tape/block`` that these numbers belong to.
  private var block = 0
  /// By point of a tree.
  private var last = PlainList<Hit>()
  /// How many objects were walked.
  private var visits: UInt64 = 0
  /// Points that fields of the objects which are being walked lead to, those of an inner one behind
  /// those of the outer.
  private var hits = PlainList<UInt16>()
  private let fold = KeyFold()
  /// What is drafted for kinds of lines, by kind; the one that was asked for last.
  private var allKeys: [ObjectIdentifier: MappedKeys] = [:]
  private var lastKeys: MappedKeys?

  /// Finds what `mappings` look for.
  package convenience init(_ mappings: Mappings) { self.init(mappings, SourcePlaces()) }

  init(_ mappings: Mappings, _ places: SourcePlaces) {
    (self.mappings, self.places) = (mappings, places)
  }

  // MARK: - Detection

  /// The mappings that claim the object at tape index `object`: the first, and another one; only
  /// that of the dialect `preferred` if it is one of them.
  func claims(
    of object: Int, in batch: RecordBatch, preferring preferred: Dialect? = nil
  ) -> (first: Mapping?, second: Mapping?) {
    find(object, mappings.detection, conditions, at: SourcePlaces.none, batch.tape)
    var (first, second): (Mapping?, Mapping?)
    for mapping in mappings.all where mapping.match.allSatisfy({ holds($0, in: batch.tape) }) {
      if mapping.dialect == preferred { return (mapping, nil) }
      if first == nil { first = mapping } else if second == nil { second = mapping }
    }
    return (first, second)
  }

  /// The dialects of the mappings that claim the object at tape index `object`, two at most.
  package func dialects(of object: Int, in batch: RecordBatch) -> [Dialect] {
    let (first, second) = claims(of: object, in: batch)
    return [first, second].compactMap { $0?.dialect }
  }

  /// The kind of the line, which ``claims(of:in:)`` was asked about last.
  func kind(of mapping: Mapping, in tape: Tape) -> MappedKind? {
    mapping.kinds.first { $0.rules.when.allSatisfy { holds($0, in: tape) } }
  }

  private func holds(_ condition: MappedCondition, in tape: Tape) -> Bool {
    condition.holds(conditions[condition.number].node, of: tape)
  }

  // MARK: - Lines

  /// Finds what a kind of lines has in the object at tape index `object`.
  func read(_ object: Int, as kind: MappedKind, in tape: Tape) {
    find(object, kind.tree, line, at: SourcePlaces.root, tape)
  }

  /// Finds what an item of a list has: the object at tape index `object`. Its paths begin with it.
  func readItem(_ object: Int, as tree: MappedTree, in tape: Tape) {
    find(object, tree, item, at: SourcePlaces.item, tape)
  }

  /// Finds what a pair has: the object at tape index `object`, which is at `place`.
  func readPair(_ object: Int, as tree: MappedTree, at place: Int32, in tape: Tape) {
    find(object, tree, pair, at: place, tape)
  }

  /// Without a place only values are found.
  private func find(
    _ object: Int, _ tree: MappedTree, _ found: Found, at place: Int32, _ tape: Tape
  ) {
    if block != tape.block {
      block = tape.block
      words.removeAll()
    }
    found.begin(tree)
    while last.count < tree.points.count { last.append(Hit()) }
    visit(object, 0, tree, at: place, found, tape)
    if found.others.count > 1 { removeRepeated(&found.others, of: tape) }
  }

  /// The last key of a field, and the number of the visit that has seen it.
  private struct Hit: BitwiseCopyable {
    var key = Node.none
    var visit: UInt64 = 0
  }

  /// Walks the object at tape index `object`, which is the `point` of the tree. The recursion is as
  /// deep as the tree. Complexity: O(fields of the objects on paths).
  private func visit(
    _ object: Int, _ point: Int, _ tree: MappedTree, at place: Int32, _ found: Found, _ tape: Tape
  ) {
    let entry = tree.points[point]
    if entry.isAttributes, entry.firstChild == entry.endOfChildren {
      found.attributes.append(Field(node: Node(object), place: place, isObject: true))
      return
    }
    let notesOthers = place != SourcePlaces.none && !entry.isDropped
    let first = hits.count
    visits &+= 1
    let visit = visits
    var key = object + 1
    let end = Int(tape[object].next)
    while key < end {
      let name = tape[key]
      let child = tree.child(of: point, word(of: name, tape))
      if child > 0 {
        if last[child].visit != visit { addHit(UInt16(truncatingIfNeeded: child), from: first) }
        last[child] = Hit(key: Node(key), visit: visit)
      } else if entry.isAttributes {
        found.attributes.append(Field(node: Node(key), place: place, isObject: false))
      } else if notesOthers {
        found.others.append(Unread(key: Node(key), place: place))
      }
      key = Int(name.next)
    }
    for index in first..<hits.count {
      let child = Int(hits[index])
      // Of repeated fields the last one counts.
      let key = last[child].key
      guard tape[key.next].kind != .null else { continue }
      let below = place == SourcePlaces.none ? place : places.field(key, of: place)
      if !take(key.next, of: key, child, tree, at: below, found, tape),
        place != SourcePlaces.none
      {
        found.others.append(Unread(key: key, place: place))
      }
    }
    hits.truncate(to: first)
  }

  /// Adds a point to those of the object that is walked, which begin at `first` and are in order:
  /// so attributes of several objects are in the order of the mapping.
  @inline(__always)
  private func addHit(_ point: UInt16, from first: Int) {
    hits.append(point)
    var index = hits.count - 1
    while index > first, hits[index - 1] > point {
      hits[index] = hits[index - 1]
      index -= 1
    }
    hits[index] = point
  }

  /// Takes the value at `node`, which is the `point` of the tree and belongs to the field with the
  /// key at `key`, and what paths name inside of it. Of items the first counts that has it. Returns
  /// whether anything reads it: nothing does where paths go on and it has no inside, and of an
  /// object or list that only a condition names nothing reads what is inside.
  private func take(
    _ node: Node, of key: Node, _ point: Int, _ tree: MappedTree, at place: Int32, _ found: Found,
    _ tape: Tape
  ) -> Bool {
    let entry = tree.points[point]
    let number = Int(entry.number)
    var isRead = number >= 0 || entry.isDropped || entry.isKnown && !hasInside(tape[node], node)
    if number >= 0 {
      if !found.values[number].node.exists {
        found.values[number] = Value(node: node, place: place)
      } else if entry.isAttributes {
        // Of several attribute objects all are read, but nothing else is.
        isRead = false
      }
    }
    switch tape[node].kind {
    case .object where entry.hasFields || entry.isAttributes:
      visit(node.index, point, tree, at: place, found, tape)
      return true
    case .array where entry.item > 0:
      takeItems(node, of: key, Int(entry.item), tree, at: place, found, tape)
      return true
    default: return isRead
    }
  }

  /// Whether the value `entry` at `node` is an object or list with anything in it.
  @inline(__always)
  private func hasInside(_ entry: TapeEntry, _ node: Node) -> Bool {
    (entry.kind == .object || entry.kind == .array) && Int(entry.next) > node.index + 1
  }

  private func takeItems(
    _ array: Node, of key: Node, _ point: Int, _ tree: MappedTree, at place: Int32,
    _ found: Found, _ tape: Tape
  ) {
    tape.forEachItem(of: array.index) { item, position in
      guard tape[item].kind != .null else { return }
      let isNoted = place != SourcePlaces.none
      let place = isNoted ? places.item(position, of: place) : place
      if !take(Node(item), of: key, point, tree, at: place, found, tape), isNoted {
        found.others.append(Unread(key: key, place: place, isItem: true))
      }
    }
  }

  // MARK: - Names

  /// The word of a name on the tape; 0 = no path goes through it.
  @inline(__always)
  private func word(of name: TapeEntry, _ tape: Tape) -> Int {
    let number = Int(name.number)
    if number > 0, number < words.count, words[number] > 0 { return Int(words[number]) - 1 }
    return learn(name, tape)
  }

  @inline(never)
  private func learn(_ name: TapeEntry, _ tape: Tape) -> Int {
    let word = mappings.words.number(of: tape.bytes(name))
    let number = Int(name.number)
    if number > 0 {
      while words.count <= number { words.append(0) }
      words[number] = UInt16(word + 1)
    }
    return word
  }

  /// What is drafted for a kind of lines.
  func keys(of kind: MappedKind, in tape: Tape) -> MappedKeys {
    if let lastKeys, lastKeys.kind === kind {
      lastKeys.begin(tape)
      return lastKeys
    }
    let keys = allKeys[ObjectIdentifier(kind)] ?? MappedKeys(kind)
    allKeys[ObjectIdentifier(kind)] = keys
    lastKeys = keys
    keys.begin(tape)
    return keys
  }

  /// The key that the attribute with the key `key` gets: the one that it is renamed to, else the
  /// one that keys of foreign events get.
  @inline(__always)
  func name(_ key: TapeEntry, _ keys: MappedKeys, _ draft: ForeignDraft) -> TapeEntry {
    if keys.hasRenames, let renamed = keys.renamed(word(of: key, draft.tape)) { return renamed }
    return draft.names.key(key, in: draft.tape)
  }

  /// Keeps the last one of fields that stand several times in one object, and none that is null.
  private func removeRepeated(_ fields: inout PlainList<Unread>, of tape: Tape) {
    fold.begin()
    for index in fields.indices.reversed() where !fields[index].isItem {
      let field = fields[index]
      let name = tape.bytes(at: field.key)
      let later = fold.add(KeyFold.tag(name) &+ UInt64(field.place), item: index) {
        fields[$0].place == field.place && tape.bytes(at: fields[$0].key) == name
      }
      fields[index].isAbsent = later != nil || tape[field.key.next].kind == .null
    }
    // Not before all are compared.
    var kept = 0
    for index in fields.indices where !fields[index].isAbsent {
      fields[kept] = fields[index]
      kept += 1
    }
    fields.truncate(to: kept)
  }
}
