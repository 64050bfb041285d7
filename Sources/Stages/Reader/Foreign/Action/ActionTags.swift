import Pipeline

/// The `batch.user.tag` actions of one line, on their way to becoming operations (dialects 3).
///
/// In a canonical record a key stands once, so the tags of one collection become one operation.
/// What would be refused stays by itself, so that the others of its collection do not go with it.
struct ActionTags: ~Copyable {
  private static let detail: StaticString = """
    a tag takes "c", the collection, and "t", the tag, both of them texts that are not empty, and "a", \
    which is add or remove
    """

  /// One action.
  private struct TagAction {
    /// Tape indices of the texts.
    var collection = Node.none
    var tag = Node.none
    var isAdded = false
    /// Whether it shares an operation with the others of its collection.
    var isShared = false
    /// Why it is none: a number in the batch's findings, if any.
    var fault: Node = .none
  }

  private let batch: RecordBatch
  private let tape: Tape
  /// As many as a group may have.
  private var actions = [10 of TagAction](repeating: TagAction())
  private var count = 0

  init(batch: RecordBatch) {
    self.batch = batch
    tape = batch.tape
  }

  /// Takes in the action whose arguments stand at `path`; if it has any.
  mutating func read(_ arguments: Node, at path: FieldPath) {
    precondition(count < ActionDialect.mostInGroup, "a line has no more actions")
    actions[count] = action(arguments, at: path)
    count += 1
  }

  private func action(_ arguments: Node, at path: FieldPath) -> TagAction {
    if arguments.exists, let collection = text("c", of: arguments),
      let tag = text("t", of: arguments),
      let word = text("a", of: arguments), let isAdded = Self.isAddition(tape.bytes(at: word))
    {
      return TagAction(
        collection: collection, tag: tag, isAdded: isAdded, isShared: isItem(tape.bytes(at: tag)))
    }
    batch.findings.add(.badAction, at: path, of: tape, detail: Self.detail)
    return TagAction(fault: Node(batch.findings.count - 1))
  }

  /// The tape index of an argument that is text and not empty.
  private func text(_ name: ByteView, of arguments: Node) -> Node? {
    guard let node = tape.present(name, of: arguments.index), tape[node].kind == .string,
      tape[node].length > 0
    else { return nil }
    return Node(node)
  }

  /// Whether the tag obeys the rule for items of a profile's arrays (data-model 9).
  private func isItem(_ tag: ByteView) -> Bool {
    !Characters.isBlank(tag) && Characters.count(tag, moreThan: Limits.v2.operationString) == nil
  }

  private static func isAddition(_ word: ByteView) -> Bool? {
    if KeyName.isSame(word, "add") { return true }
    return KeyName.isSame(word, "remove") ? false : nil
  }

  // MARK: - Operations

  /// Appends the operations to the batch, in the order in which collections, and bad actions, come
  /// first. Complexity: O(actions²), of which there are few.
  func append(by reader: DialectReader) {
    for position in 0..<count {
      if actions[position].fault.exists {
        batch.operations.append(
          OperationEntry(
            record: UInt32(batch.records.count), kind: .unreadable, key: .none,
            value: actions[position].fault))
      } else if !(0..<position).contains(where: { isTogether($0, position) }) {
        reader.readOperations(draft(position), isV1: false, into: batch)
      }
    }
  }

  /// Whether two actions share an operation.
  private func isTogether(_ a: Int, _ b: Int) -> Bool {
    actions[a].isShared && actions[b].isShared
      && KeyName.isSame(
        tape.bytes(at: actions[a].collection), tape.bytes(at: actions[b].collection))
  }

  /// Drafts the operation of the action at `position` and of those it is shared with; returns the
  /// tape index of an object with this one field.
  private func draft(_ position: Int) -> Node {
    let collection = tape[actions[position].collection]
    return Node(
      tape.appendContainer(.object) {
        tape.appendMember(tape.key(collection, part: 0..<Int(collection.length))) {
          tape.appendContainer(.object) {
            append("$add", isAdded: true, of: position)
            append("$remove", isAdded: false, of: position)
          }
        }
      })
  }

  /// Appends the list of tags that are added, or removed, by the operation of the action at
  /// `position`.
  private func append(_ list: StaticString, isAdded: Bool, of position: Int) {
    guard (position..<count).contains(where: { isListed($0, isAdded: isAdded, of: position) })
    else {
      return
    }
    tape.appendMember(tape.key(list)) {
      tape.appendContainer(.array) {
        for other in position..<count where isListed(other, isAdded: isAdded, of: position) {
          tape.appendScalar(tape[actions[other].tag])
        }
      }
    }
  }

  /// Whether the action at `other` is in a list of the operation of that at `position`: the last
  /// that is said of a tag counts.
  private func isListed(_ other: Int, isAdded: Bool, of position: Int) -> Bool {
    guard actions[other].isAdded == isAdded, other == position || isTogether(other, position) else {
      return false
    }
    let tag = tape.bytes(at: actions[other].tag)
    return !(other + 1..<count).contains {
      isTogether($0, other) && tape.bytes(at: actions[$0].tag) == tag
    }
  }
}
