import Pipeline

/// Finds all paths of a mapping in a line, in one walk (docs/guides/mapping.md). Reused for each
/// line; one thread at a time.
final class MappedLine {
  struct Value: BitwiseCopyable {
    /// Tape index of the value; none if it is absent or null.
    var node = Node.none
    var place = SourcePlaces.none
  }

  /// A field that becomes an attribute, or an object whose fields all do.
  struct Field: BitwiseCopyable {
    /// Tape index of its key, or of the object.
    let node: Node
    /// The path of the object that contains it.
    let place: Int32
    let isObject: Bool
    /// Whether it is an attribute of a profile.
    let isOfProfile: Bool
  }

  /// A field, or an item of one, that no rule reads.
  struct Unread: BitwiseCopyable {
    /// Tape index of the field's key.
    let key: Node
    /// The path of the object that contains it; for an item, its own path.
    let place: Int32
    /// The item; none for a field.
    var item = Node.none
    /// Whether it is null, or repeated by a later field.
    fileprivate var isAbsent = false

    var isItem: Bool { item.exists }
  }

  /// The line, or an item of a list around events.
  struct Outer {
    /// Tape index of the object, and its path.
    var node = Node.none
    var place = SourcePlaces.none
    /// Different for all objects that are entered.
    var number = 0
  }

  /// The values found with one tree. A class, so that passing it copies nothing.
  final class Found {
    fileprivate var values = PlainList<Value>()
    /// Fields that become attributes, in line order.
    var attributes = PlainList<Field>()
    /// Fields that no rule reads.
    var others = PlainList<Unread>()
    /// The objects whose repeated fields are losses, and whether they are of a profile.
    var objects = PlainList<(value: Value, isOfProfile: Bool)>()
    /// The repeated fields of those of a profile but the last ones; nil until they are needed.
    var overwritten: Set<Int>?

    subscript(number: Int) -> Value {
      get { values[number] }
      set { values[number] = newValue }
    }

    /// Notes a value at a point; returns whether no earlier one counts for all paths that end
    /// there.
    @inline(__always)
    fileprivate func note(_ value: Value, at entry: MappedTree.Point, of tree: MappedTree) -> Bool {
      var isFirst = false
      func note(_ number: Int32) {
        if values[Int(number)].node.exists { return }
        values[Int(number)] = value
        isFirst = true
      }
      note(entry.number)
      for index in entry.firstAlso..<entry.endOfAlso { note(tree.also[Int(index)]) }
      return isFirst
    }

    fileprivate func begin(_ tree: MappedTree) {
      if values.count == tree.count {
        values.fill(with: Value())
      } else {
        values.removeAll()
        while values.count < tree.count { values.append(Value()) }
      }
      if !attributes.isEmpty { attributes.recycle() }
      if !others.isEmpty { others.recycle() }
      objects.removeAll()
      overwritten = nil
    }
  }

  private let mappings: Mappings
  /// The values found for the conditions of all mappings.
  private let conditions = Found()
  /// Those found for conditions on items of lists, by level, and the lists themselves.
  private var levels: [Found] = []
  let places: SourcePlaces
  /// The word + 1, by number of a name on the tape; 0 = not looked up yet.
  private var words = PlainList<UInt16>()
  /// The ``Tape/block`` of these numbers.
  private var block = 0
  /// The last field found, by point of the tree.
  private var last = PlainList<Hit>()
  /// Number of objects walked.
  private var visits: UInt64 = 0
  /// The points found in the open objects, those of an inner one after those of the outer one.
  private var hits = PlainList<UInt16>()
  private let fold = KeyFold()
  /// The scopes, by kind of lines, and the one used last.
  private var scopes: [ObjectIdentifier: MappedScope] = [:]
  private var lastScope: MappedScope?
  /// The line, and the items of the lists around the events that are read.
  private(set) var outer: [Outer] = []
  private var entered = 0
  /// Losses of a line with a list, which are noted when its events have been read.
  var losses: [Reason] = []

  /// The path of the item that is read.
  var itemPlace = SourcePlaces.none
  /// The size of the copies of shared attributes that may still be made.
  private var bytesLeft = 0

  init(_ mappings: Mappings, _ places: SourcePlaces) {
    (self.mappings, self.places) = (mappings, places)
  }

  // MARK: - Detection

  /// The first two mappings that match the object; only that of the dialect `preferred` if it does.
  func claims(
    of object: Int, in batch: RecordBatch, preferring preferred: Dialect? = nil
  ) -> (first: Mapping?, second: Mapping?) {
    read(object, as: mappings.detection, into: conditions, at: SourcePlaces.none, in: batch.tape)
    var (first, second): (Mapping?, Mapping?)
    for mapping in mappings.all
    where mapping.matches.contains(where: { $0.allSatisfy { holds($0, in: batch.tape) } }) {
      if mapping.dialect == preferred { return (mapping, nil) }
      if first == nil { first = mapping } else if second == nil { second = mapping }
    }
    return (first, second)
  }

  /// The kind of the line last passed to ``claims(of:in:preferring:)``, regardless of its items.
  func kind(of mapping: Mapping, in tape: Tape) -> MappedKind? {
    mapping.kinds.first { isOpen($0, in: tape) }
  }

  func isOpen(_ kind: MappedKind, in tape: Tape) -> Bool {
    kind.rules.when.allSatisfy { holds($0, in: tape) }
  }

  private func holds(_ condition: MappedCondition, in tape: Tape) -> Bool {
    condition.holds(conditions[condition.number].node, of: tape)
  }

  // MARK: - Lines

  /// Finds the list of the next level, and the values of conditions, in the line or an item.
  func list(
    of group: MappedGroup, in item: Int, level: Int, at place: Int32, _ tape: Tape
  ) -> Value {
    while levels.count <= level { levels.append(Found()) }
    read(item, as: group.trees[level], into: levels[level], at: place, in: tape)
    return level < group.lists.count ? levels[level][group.lists[level]] : Value()
  }

  func beginLine() {
    losses.removeAll(keepingCapacity: true)
    bytesLeft = SharedAttributes.mostBytes
  }

  /// Whether that many bytes more may be drafted of what events share.
  func spend(_ bytes: Int) -> Bool {
    bytesLeft -= bytes
    return bytesLeft >= 0
  }

  /// Whether the conditions on items hold for those passed to ``list(of:in:level:at:_:)``.
  func holds(_ kind: MappedKind, in tape: Tape) -> Bool {
    kind.rules.itemConditions.allSatisfy { condition in
      condition.holds(levels[condition.level][condition.number].node, of: tape)
    }
  }

  /// Finds the paths of a tree; without `place` only their values, not the unread fields.
  func read(_ object: Int, as tree: MappedTree, into found: Found, at place: Int32, in tape: Tape) {
    if block != tape.block {
      block = tape.block
      words.removeAll()
    }
    found.begin(tree)
    while last.count < tree.points.count { last.append(Hit()) }
    let root = tree.points[0]
    if tape[object].kind == .array {
      takeItems(Node(object), of: .none, 0, tree, at: place, isWhole: root.isDropped, found, tape)
    } else {
      visit(
        object, 0, tree, at: place, takesAttributes: root.isAttributes, isWhole: root.isDropped,
        found, tape)
    }
    if found.others.count > 1 { removeRepeated(&found.others, of: tape) }
  }

  /// The last key of a field, and the number of the visit that found it.
  private struct Hit: BitwiseCopyable {
    var key = Node.none
    var visit: UInt64 = 0
  }

  /// Walks the object at `point` of the tree. Its fields without a path become attributes with
  /// `takesAttributes`, and are not unknown with `isWhole`: a rule reads the whole object. The
  /// recursion is at most as deep as the tree. Complexity: O(fields of the objects on paths).
  private func visit(
    _ object: Int, _ point: Int, _ tree: MappedTree, at place: Int32, takesAttributes: Bool,
    isWhole: Bool, _ found: Found, _ tape: Tape
  ) {
    let entry = tree.points[point]
    if point == 0 || takesAttributes, place != SourcePlaces.none {
      found.objects.append((Value(node: Node(object), place: place), entry.isOfProfile))
    }
    if takesAttributes, entry.firstChild == entry.endOfChildren {
      found.attributes.append(
        Field(node: Node(object), place: place, isObject: true, isOfProfile: entry.isOfProfile))
      return
    }
    let notesOthers = place != SourcePlaces.none && !isWhole
    let first = hits.count
    let firstAttribute = found.attributes.count
    /// Whether a condition may read a later field of the name of an attribute.
    var mayRepeat = false
    visits &+= 1
    let visit = visits
    var key = object + 1
    let end = Int(tape[object].next)
    while key < end {
      let name = tape[key]
      let child = tree.child(of: point, word(of: name, tape))
      if child > 0, !takesAttributes || !isAttribute(key + 1, tree.points[child], tape) {
        if last[child].visit != visit { addHit(UInt16(truncatingIfNeeded: child), from: first) }
        last[child] = Hit(key: Node(key), visit: visit)
      } else if takesAttributes {
        mayRepeat = mayRepeat || tree.points[child].isKnown
        found.attributes.append(
          Field(node: Node(key), place: place, isObject: false, isOfProfile: entry.isOfProfile))
      } else if notesOthers {
        found.others.append(Unread(key: Node(key), place: place))
      }
      key = Int(name.next)
    }
    if mayRepeat { removeOverwritten(from: firstAttribute, point, tree, found, tape) }
    for index in first..<hits.count {
      let child = Int(hits[index])
      // The last of repeated fields is used.
      let key = last[child].key
      guard tape[key.next].kind != .null,
        !takeField(key, child, tree, in: place, isWhole: isWhole, found, tape), notesOthers
      else { continue }
      found.others.append(Unread(key: key, place: place))
    }
    hits.truncate(to: first)
  }

  /// Records the value of a field at `point` of the tree; returns whether a rule reads it.
  private func takeField(
    _ key: Node, _ point: Int, _ tree: MappedTree, in place: Int32, isWhole: Bool, _ found: Found,
    _ tape: Tape
  ) -> Bool {
    let entry = tree.points[point]
    if entry.isLost {
      if place != SourcePlaces.none { found.others.append(Unread(key: key, place: place)) }
      return true
    }
    let node = entry.isJSON ? json(key.next, tape) : key.next
    if tape[node].kind == .null { return true }
    if entry.isAttributes, place != SourcePlaces.none, tape[node].kind != .object,
      entry.firstChild == entry.endOfChildren
    {
      // Not an object of attributes, so it is an attribute itself; other rules may read it, too.
      let value = Value(node: node, place: places.field(key, of: place))
      if !found.note(value, at: entry, of: tree) { return false }
      found.attributes.append(
        Field(node: key, place: place, isObject: false, isOfProfile: entry.isOfProfile))
      return true
    }
    let below = place == SourcePlaces.none ? place : places.field(key, of: place)
    return take(node, of: key, point, tree, at: below, isWhole: isWhole, found, tape)
  }

  /// Inserts a point into the sorted ones of the current object, which begin at `first`.
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

  /// Removes attributes of the object walked last that a later field for conditions only repeats.
  private func removeOverwritten(
    from first: Int, _ point: Int, _ tree: MappedTree, _ found: Found, _ tape: Tape
  ) {
    found.attributes.removeAll(from: first) { attribute in
      let hit = last[tree.child(of: point, word(of: tape[attribute.node], tape))]
      return hit.visit == visits && hit.key > attribute.node
    }
  }

  /// Whether a value on a path becomes an attribute: only conditions read it, and not as a whole.
  private func isAttribute(_ node: Int, _ point: MappedTree.Point, _ tape: Tape) -> Bool {
    !point.hasRules && (!point.isKnown || hasInside(tape[node], Node(node)))
  }

  /// Records the value at `node`, at `point` of the tree, and the values of paths inside it; of
  /// several items the first that has a path is used. Returns whether a rule reads the value. None
  /// does if paths continue and it is not an object or list, or if it is a non-empty object or list
  /// that only a condition names.
  private func take(
    _ node: Node, of key: Node, _ point: Int, _ tree: MappedTree, at place: Int32, isWhole: Bool,
    _ found: Found, _ tape: Tape
  ) -> Bool {
    let entry = tree.points[point]
    let number = Int(entry.number)
    let isKnown = entry.isKnown || entry.isKnownElsewhere && !entry.hasRules
    let isList = tape[node].kind == .array
    var isRead =
      number >= 0 && (entry.takesAny || isList) || entry.isDropped
      || isKnown && !hasInside(tape[node], node)
    if isList, number >= 0, !entry.takesAny, !entry.isData, !entry.isDropped, !isWhole,
      place != SourcePlaces.none
    {
      // Which pairs ids are read from is known later.
      tape.forEachItem(of: node.index) { item, position in
        if tape[item].kind == .null { return }
        let place = places.item(position, of: place)
        found.others.append(Unread(key: key, place: place, item: Node(item)))
      }
    }
    var takesAttributes = entry.isAttributes
    if number >= 0, !found.note(Value(node: node, place: place), at: entry, of: tree), entry.isData
    {
      (isRead, takesAttributes) = (false, false)
    }
    let isWhole = isWhole || entry.isDropped || number >= 0 && !entry.isAttributes
    if entry.isAttributes, tape[node].kind != .object { isRead = false }
    switch tape[node].kind {
    case .object where entry.hasFields || takesAttributes:
      visit(
        node.index, point, tree, at: place, takesAttributes: takesAttributes, isWhole: isWhole,
        found, tape)
      return true
    case .array where entry.item > 0 || entry.hasIndexes:
      takeItems(node, of: key, point, tree, at: place, isWhole: isWhole, found, tape)
      return true
    default: return isRead
    }
  }

  /// Whether the value `entry` at `node` is a non-empty object or list.
  @inline(__always)
  private func hasInside(_ entry: TapeEntry, _ node: Node) -> Bool {
    (entry.kind == .object || entry.kind == .array) && Int(entry.next) > node.index + 1
  }

  /// Takes the items of a list at `point`.
  private func takeItems(
    _ array: Node, of key: Node, _ point: Int, _ tree: MappedTree, at place: Int32, isWhole: Bool,
    _ found: Found, _ tape: Tape
  ) {
    tape.forEachItem(of: array.index) { item, position in
      guard tape[item].kind != .null else { return }
      let child = tree.item(position, of: point)
      let notesOthers = place != SourcePlaces.none && !isWhole
      let place = place != SourcePlaces.none ? places.item(position, of: place) : place
      let node = tree.points[child].isJSON ? json(Node(item), tape) : Node(item)
      let isRead =
        child > 0 && !tree.points[child].isLost
        && take(node, of: key, child, tree, at: place, isWhole: isWhole, found, tape)
      if !isRead, notesOthers {
        found.others.append(Unread(key: key, place: place, item: Node(item)))
      }
    }
  }

  /// The value that a text holds as JSON; the text itself if it is none.
  private func json(_ node: Node, _ tape: Tape) -> Node {
    guard tape[node].kind == .string,
      case .value(let root) = Scanner.scan(textAt: node.index, into: tape)
    else { return node }
    return Node(root)
  }

  // MARK: - Names

  /// The word of a name on the tape; 0 = not in a path.
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

  func scope(of kind: MappedKind, in tape: Tape) -> MappedScope {
    if let lastScope, lastScope.kind === kind {
      lastScope.begin(tape)
      return lastScope
    }
    let scope = scopes[ObjectIdentifier(kind)] ?? MappedScope(kind)
    scopes[ObjectIdentifier(kind)] = scope
    lastScope = scope
    scope.begin(tape)
    return scope
  }

  /// Notes the line, or the item of a list, whose values the events that follow can read.
  func enter(_ object: Int, level: Int, at place: Int32) {
    while outer.count <= level { outer.append(Outer()) }
    entered += 1
    outer[level] = Outer(node: Node(object), place: place, number: entered)
  }

  /// The key of an attribute: its new key if it is renamed, else the usual one of a foreign event.
  @inline(__always)
  func name(_ key: TapeEntry, _ scope: MappedScope, _ draft: ForeignDraft) -> TapeEntry {
    if scope.hasRenames, let renamed = scope.renamed(word(of: key, draft.tape)) { return renamed }
    return draft.names.key(key, in: draft.tape)
  }

  /// Removes fields that are null or repeated by a later one in the same object.
  private func removeRepeated(_ fields: inout PlainList<Unread>, of tape: Tape) {
    fold.begin()
    for index in fields.indices.reversed() where !fields[index].isItem {
      let field = fields[index]
      let name = tape.bytes(at: field.key)
      let later = fold.add(KeyFold.tag(name, of: field.place), item: index) {
        fields[$0].place == field.place && tape.bytes(at: fields[$0].key) == name
      }
      fields[index].isAbsent = later != nil || tape[field.key.next].kind == .null
    }
    // Only after all are compared.
    fields.removeAll(where: \.isAbsent)
  }
}
