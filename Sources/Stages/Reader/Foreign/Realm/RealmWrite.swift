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
  /// The lists of a class.
  static let lists: [3 of StaticString] = ["insertions", "modifications", "deletions"]
  /// What was done to the objects in each list.
  static let operations: [3 of DraftedWord] = [.insert, .modify, .delete]

  /// One class: tape indices of its name, a key, and of its lists.
  struct Class: BitwiseCopyable {
    let key: Node
    let lists: [3 of Node]
  }

  /// The classes by the bytes of their names; of repeated ones the last.
  private(set) var classes = PlainList<Class>()
  /// Number of objects in each list, in all classes.
  private(set) var counts = [3 of Int](repeating: 0)
  private var members = MemberOrder()

  /// Reads the payload at `node`, an object; false when it has another shape. Complexity: O(n log
  /// n) for n classes, and O(objects), regardless of their content.
  mutating func read(_ node: Int, of tape: Tape) -> Bool {
    counts = [3 of Int](repeating: 0)
    classes.recycle()
    members.shrink(to: RetainedCapacity.elements)
    let names = members.push(node, of: tape)
    defer { members.pop(names) }
    guard !names.isEmpty else { return false }
    for position in names {
      let key = members[position]
      // A null list is absent.
      guard let lists = tape.values(ofOnly: Self.lists, in: key + 1) else { return false }
      for number in lists.indices where lists[number].exists {
        guard let count = Self.count(lists[number], Self.operations[number], in: tape) else {
          return false
        }
        counts[number] += count
      }
      classes.append(Class(key: Node(key), lists: lists))
    }
    return true
  }

  /// Number of items of the list at `node`; nil when it, or an item, has another form.
  private static func count(_ node: Node, _ operation: DraftedWord, in tape: Tape) -> Int? {
    guard tape[node].kind == .array else { return nil }
    var count = 0
    var isValid = true
    tape.forEachItem(of: node.index) { item, _ in
      count += 1
      guard isValid else { return }
      isValid =
        operation == .modify
        ? Modification(item, of: tape) != nil : tape[item].kind == .object
    }
    return isValid ? count : nil
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
