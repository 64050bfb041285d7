import Pipeline

/// Finds what a mapping looks for in one line, in one walk over it (docs/guides/mapping.md).
///
/// Reused from line to line; belongs to one ``DialectReader``, one thread at a time.
package final class MappedLine {
  /// A field that no path names.
  struct Field: BitwiseCopyable {
    /// Tape index of its key.
    let key: Node
    /// The object it is in: an index of ``MappedLine/objects``.
    let object: Int32
  }

  /// What was found by one tree of paths. A class, so that handing it on costs nothing.
  final class Found {
    fileprivate init() {}

    /// By number of the path: the tape index of the value; none where it is absent or null.
    fileprivate(set) var values = PlainList<Node>()
    /// By number of the path: where the value stands.
    fileprivate(set) var paths: [FieldPath] = []
    /// Fields that become attributes, in the order of the line.
    fileprivate(set) var attributes = PlainList<Field>()
    /// Fields that nothing reads.
    fileprivate(set) var others = PlainList<Field>()

    subscript(number: Int) -> Node { number < 0 ? .none : values[number] }
  }

  private let mappings: Mappings
  /// What the conditions of all mappings have found.
  private let conditions = Found()
  /// What the line, and the item, of the chosen kind have.
  let line = Found()
  let item = Found()
  /// Where the objects stand that were gone through.
  private(set) var objects: [FieldPath] = []
  /// By number of a name on the tape: its word + 1; 0 = not looked up yet.
  private var words = PlainList<UInt16>()
  /// The ``Tape/block`` that these numbers belong to.
  private var block = 0
  /// By point of a tree: the last key of the field in the object that is gone through.
  private var last = PlainList<Node>()
  private let fold = KeyFold()

  package init(_ mappings: Mappings) { self.mappings = mappings }

  // MARK: - Detection

  /// The mappings that claim the object at tape index `object`: the first, and another one.
  func claims(of object: Int, in batch: RecordBatch) -> (first: Mapping?, second: Mapping?) {
    find(object, mappings.detection, conditions, notesOthers: false, at: FieldPath(root: ""), batch)
    var first: Mapping?
    for mapping in mappings.all where mapping.match.allSatisfy({ holds($0, in: batch.tape) }) {
      if let first { return (first, mapping) }
      first = mapping
    }
    return (first, nil)
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
    let node = conditions[condition.number]
    guard node.exists == condition.isPresent else { return false }
    return condition.values.isEmpty
      || condition.values.contains { $0.matches(node.index, of: tape) }
  }

  // MARK: - Lines

  /// Finds what a kind of lines has in the object at tape index `object`.
  func read(_ object: Int, as kind: MappedKind, of batch: RecordBatch) {
    objects.removeAll(keepingCapacity: true)
    find(object, kind.tree, line, notesOthers: true, at: FieldPath(root: ""), batch)
  }

  /// Finds what an item of a list has: the object at tape index `object`. Its paths begin with it.
  func readItem(_ object: Int, as tree: MappedTree, of batch: RecordBatch) {
    find(object, tree, item, notesOthers: true, at: FieldPath(root: ""), batch)
  }

  private func find(
    _ object: Int, _ tree: MappedTree, _ found: Found, notesOthers: Bool,
    at path: FieldPath, _ batch: RecordBatch
  ) {
    if block != batch.tape.block {
      block = batch.tape.block
      words.removeAll()
    }
    found.values.removeAll()
    while found.values.count < tree.count { found.values.append(.none) }
    while found.paths.count < tree.count { found.paths.append(FieldPath(root: "")) }
    while last.count < tree.points.count { last.append(.none) }
    found.attributes.recycle()
    found.others.recycle()
    let walk = Walk(tree: tree, tape: batch.tape, notesOthers: notesOthers)
    visit(object, 0, walk, at: path, found)
    if found.others.count > 1 { removeRepeated(&found.others, of: batch.tape) }
  }

  private struct Walk {
    let tree: MappedTree
    let tape: Tape
    let notesOthers: Bool
  }

  /// Goes through the object at tape index `object`, the `point` of the tree. The recursion is as
  /// deep as the tree. Complexity: O(fields of the objects on paths).
  private func visit(
    _ object: Int, _ point: Int, _ walk: Walk, at path: FieldPath, _ found: Found
  ) {
    let (tape, tree) = (walk.tape, walk.tree)
    let children = tree.children(of: point)
    for index in children { last[Int(tree.children[index])] = .none }
    let isAttributes = tree.points[point].isAttributes
    let isDropped = tree.points[point].isDropped
    let position = Int32(objects.count)
    if walk.notesOthers { objects.append(path) }
    var key = object + 1
    let end = Int(tape[object].next)
    while key < end {
      let name = tape[key]
      let child = tree.child(of: point, word(of: name, tape))
      if child > 0 {
        last[child] = Node(key)
      } else if isAttributes {
        found.attributes.append(Field(key: Node(key), object: position))
      } else if walk.notesOthers, !isDropped {
        found.others.append(Field(key: Node(key), object: position))
      }
      key = Int(name.next)
    }
    for index in children {
      let child = Int(tree.children[index])
      let key = last[child]
      guard key.exists, tape[key.next].kind != .null else { continue }
      var path = path
      path.push(key: key.index)
      take(key.next, child, walk, at: path, found)
      if isUnread(key.next, child, walk) {
        found.others.append(Field(key: key, object: position))
      }
    }
  }

  /// Takes the value at `node`, the `point` of the tree, and what paths name inside of it. Of items
  /// the first counts that has it.
  private func take(
    _ node: Node, _ point: Int, _ walk: Walk, at path: FieldPath, _ found: Found
  ) {
    let (tape, entry) = (walk.tape, walk.tree.points[point])
    let number = Int(entry.number)
    if number >= 0, !found.values[number].exists {
      found.values[number] = node
      if walk.notesOthers { found.paths[number] = path }
    }
    switch tape[node].kind {
    case .object where entry.hasFields || entry.isAttributes:
      visit(node.index, point, walk, at: path, found)
    case .array where entry.item > 0:
      tape.forEachItem(of: node.index) { item, position in
        guard tape[item].kind != .null else { return }
        var path = path
        path.push(index: position)
        take(Node(item), Int(entry.item), walk, at: path, found)
      }
    default: break
    }
  }

  /// Whether paths go on from a value that has no inside, so that nothing reads it.
  private func isUnread(_ node: Node, _ point: Int, _ walk: Walk) -> Bool {
    let entry = walk.tree.points[point]
    guard walk.notesOthers, entry.number < 0, !entry.isDropped, !entry.isKnown else { return false }
    switch walk.tape[node].kind {
    case .object: return !entry.hasFields
    case .array: return entry.item == 0
    default: return true
    }
  }

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

  /// The key that an attribute gets instead of its own; nil when it keeps it.
  func rename(_ key: TapeEntry, _ kind: MappedKind, _ tape: Tape) -> [UInt8]? {
    kind.rules.renames.isEmpty ? nil : kind.rules.renames[word(of: key, tape)]
  }

  /// Keeps the last one of fields that stand several times in one object, and none that is null.
  private func removeRepeated(_ fields: inout PlainList<Field>, of tape: Tape) {
    fold.begin()
    var kept = fields.count
    for index in fields.indices.reversed() {
      let field = fields[index]
      let name = tape.bytes(at: field.key)
      let other = fold.add(KeyFold.tag(name) &+ UInt64(field.object), item: index) {
        fields[$0].object == field.object && tape.bytes(at: fields[$0].key) == name
      }
      guard other == nil, tape[field.key.next].kind != .null else { continue }
      kept -= 1
      fields[kept] = field
    }
    var count = 0
    for index in kept..<fields.count {
      fields[count] = fields[index]
      count += 1
    }
    fields.truncate(to: count)
  }
}
