import Pipeline

/// A `write` payload of the Realm Event Library: the objects, by class, that were inserted,
/// modified and deleted (dialects 6). Tape indices of the payload; nothing is copied.
///
/// ```json
/// {"Visit":{"insertions":[{…}],"modifications":[{"oldValue":{…},"newValue":{…}}],
///  "deletions":[{…}]}}
/// ```
/// Reused from payload to payload: nothing is allocated per record after warm-up. One thread at a
/// time.
struct RealmWrite: ~Copyable {
  /// One change of one object: tape indices.
  struct Change {
    /// `insert`, `modify` or `delete`.
    let operation: DraftedWord
    /// The number of its class.
    let classIndex: Int
    /// The index of its list, and of the item in it.
    let list: Int
    let position: Int
    /// The object that was inserted or deleted, or the pair of a modification.
    let item: Int
  }

  /// One class: tape indices of its name, a key, and of its lists.
  struct Class: BitwiseCopyable {
    let key: Node
    let insertions: Node
    let modifications: Node
    let deletions: Node
  }

  /// The classes by the bytes of their names; of repeated ones the last.
  private(set) var classes = PlainList<Class>()
  /// Number of objects inserted, modified and deleted, in all classes.
  private(set) var insertions = 0
  private(set) var modifications = 0
  private(set) var deletions = 0
  private var members = MemberOrder()

  /// Reads the payload at `node`, an object; false when it has another shape, and then the result
  /// is undefined. Complexity: O(n log n) for n classes, and O(objects), regardless of their
  /// content.
  mutating func read(_ node: Int, of tape: Tape) -> Bool {
    (insertions, modifications, deletions) = (0, 0, 0)
    classes.recycle()
    let names = members.push(node, of: tape)
    defer { members.pop(names) }
    guard !names.isEmpty else { return false }
    for position in names {
      guard let lists = Self.lists(of: members[position], in: tape),
        let inserted = Self.count(lists.insertions, in: tape, where: { tape[$0].kind == .object }),
        let modified = Self.count(
          lists.modifications, in: tape, where: { Modification($0, of: tape) != nil }),
        let deleted = Self.count(lists.deletions, in: tape, where: { tape[$0].kind == .object })
      else { return false }
      insertions += inserted
      modifications += modified
      deletions += deleted
      classes.append(lists)
    }
    return true
  }

  /// Calls `body` with the changes until it returns false: class by class, of each the insertions,
  /// the modifications, the deletions, in source order. Complexity: O(changes visited).
  func forEachChange(of tape: Tape, _ body: (Change) -> Bool) {
    for position in classes.indices {
      let lists = classes[position]
      guard forEachItem(of: lists.insertions, .insert, position, in: tape, body),
        forEachItem(of: lists.modifications, .modify, position, in: tape, body),
        forEachItem(of: lists.deletions, .delete, position, in: tape, body)
      else { return }
    }
  }

  /// Calls `body` with the items of one list; false when `body` returned false.
  private func forEachItem(
    of list: Node, _ operation: DraftedWord, _ classIndex: Int, in tape: Tape,
    _ body: (Change) -> Bool
  ) -> Bool {
    guard list.exists else { return true }
    var item = list.index + 1
    var position = 0
    while item < Int(tape[list].next) {
      let change = Change(
        operation: operation, classIndex: classIndex, list: list.index, position: position,
        item: item)
      guard body(change) else { return false }
      position += 1
      item = Int(tape[item].next)
    }
    return true
  }

  /// Removes the payload, and releases excess capacity.
  mutating func recycle() {
    classes.recycle()
    members.shrink(to: RetainedCapacity.elements)
  }

  // MARK: - Shape

  /// The lists of the class whose key is at tape index `key`, or nil when it has another shape. A
  /// null list is absent.
  private static func lists(of key: Int, in tape: Tape) -> Class? {
    let names: [3 of StaticString] = ["insertions", "modifications", "deletions"]
    return tape.values(ofOnly: names, in: key + 1).map {
      Class(key: Node(key), insertions: $0[0], modifications: $0[1], deletions: $0[2])
    }
  }

  /// Number of items of the list at `node`, 0 when it is absent; nil when it is not an array, or
  /// `test` rejects an item.
  private static func count(
    _ node: Node, in tape: Tape, where test: (_ item: Int) -> Bool
  ) -> Int? {
    guard node.exists else { return 0 }
    let list = tape[node]
    guard list.kind == .array else { return nil }
    var count = 0
    var item = node.index + 1
    while item < Int(list.next) {
      guard test(item) else { return nil }
      count += 1
      item = Int(tape[item].next)
    }
    return count
  }

  /// The pair of a modification: tape indices of two objects.
  struct Modification {
    let old: Int
    let new: Int

    /// Reads the object at `item`; nil when it is not a pair, or has other fields.
    init?(_ item: Int, of tape: Tape) {
      guard let values = tape.values(ofOnly: ["oldValue", "newValue"], in: item),
        values[0].exists, values[1].exists,
        tape[values[0]].kind == .object, tape[values[1]].kind == .object
      else { return nil }
      (old, new) = (values[0].index, values[1].index)
    }
  }
}
