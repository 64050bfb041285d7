import Pipeline

/// The `batch.user.tag` actions of one line (dialects 3). In a canonical record a key occurs once,
/// so the tags of one collection become one operation; invalid ones stay separate, so that they do
/// not reject the others. Reused from line to line; one thread at a time.
final class ActionTags {
  private static let detail: StaticString = """
    a tag takes "c", the collection, and "t", the tag, both of them texts that are not empty, and "a", \
    which is add or remove
    """

  private struct TagAction: BitwiseCopyable {
    /// Tape indices of the texts.
    var collection = Node.none
    var tag = Node.none
    var isAdded = false
    /// Whether it shares an operation with the others of its collection.
    var isShared = false
    /// Why it is invalid: a number in the batch's findings, if any.
    var fault: Node = .none
  }

  private var actions = PlainList<TagAction>()

  func begin() { actions.removeAll() }

  /// Adds the action whose arguments, if any, are at `path`.
  func read(_ arguments: Node, at path: FieldPath, by reader: DialectReader, in batch: RecordBatch)
  {
    if let action = action(arguments, by: reader, in: batch) { return actions.append(action) }
    actions.append(TagAction(fault: Node(batch.findings.count)))
    batch.findings.add(.badAction, at: path, of: batch.tape, detail: Self.detail)
  }

  /// The action with these arguments; nil if they are invalid.
  private func action(
    _ arguments: Node, by reader: DialectReader, in batch: RecordBatch
  ) -> TagAction? {
    let (fields, tape) = (reader.inner, batch.tape)
    guard arguments.exists, tape[arguments].kind == .object else { return nil }
    fields.read(arguments.index, of: batch)
    func text(_ field: RootField) -> ByteView? {
      tape.string(at: fields[field].exists ? fields[field].index : nil)
        .flatMap { $0.isEmpty ? nil : $0 }
    }
    guard text(.collection) != nil, let tag = text(.actionTags), let word = text(.actionAttributes),
      KeyName.isSame(word, "add") || KeyName.isSame(word, "remove")
    else { return nil }
    return TagAction(
      collection: fields[.collection], tag: fields[.actionTags],
      isAdded: KeyName.isSame(word, "add"),
      isShared: TextRule.v2OperationItem.fault(tag) == nil)
  }

  // MARK: - Operations

  /// Appends the operations, in the order in which collections, and invalid actions, occur first.
  func append(by reader: DialectReader, to batch: RecordBatch) {
    let tape = batch.tape
    for position in actions.indices {
      if actions[position].fault.exists {
        batch.addOperation(.unreadable, value: actions[position].fault)
      } else if !(0..<position).contains(where: { isTogether($0, position, tape) }) {
        reader.readOperations(draft(position, tape), isV1: false, into: batch)
      }
    }
  }

  private func isTogether(_ a: Int, _ b: Int, _ tape: Tape) -> Bool {
    actions[a].isShared && actions[b].isShared
      && KeyName.isSame(
        tape.bytes(at: actions[a].collection), tape.bytes(at: actions[b].collection))
  }

  /// Drafts an object with the operation of the action at `position` and of those that share it.
  private func draft(_ position: Int, _ tape: Tape) -> Node {
    let collection = tape[actions[position].collection]
    return Node(
      tape.appendContainer(.object) {
        tape.appendMember(tape.key(collection, part: 0..<Int(collection.length))) {
          tape.appendContainer(.object) {
            append("$add", isAdded: true, of: position, tape)
            append("$remove", isAdded: false, of: position, tape)
          }
        }
      })
  }

  /// Appends the list of tags that the operation of the action at `position` adds or removes.
  private func append(_ list: StaticString, isAdded: Bool, of position: Int, _ tape: Tape) {
    let start = tape.count
    tape.appendMember(tape.key(list)) {
      tape.appendContainer(.array) {
        for other in position..<actions.count
        where isListed(other, isAdded: isAdded, of: position, tape) {
          tape.appendScalar(tape[actions[other].tag])
        }
      }
    }
    if tape.count == start + 2 { tape.truncate(to: start) }
  }

  /// Whether the action at `other` is in a list of that at `position`: of each tag the last counts.
  private func isListed(_ other: Int, isAdded: Bool, of position: Int, _ tape: Tape) -> Bool {
    guard actions[other].isAdded == isAdded,
      other == position || isTogether(other, position, tape)
    else { return false }
    let tag = tape.bytes(at: actions[other].tag)
    return !(other + 1..<actions.count).contains {
      isTogether($0, other, tape) && tape.bytes(at: actions[$0].tag) == tag
    }
  }
}
