import Pipeline

/// The envelope of an event in a log line of a foreign dialect (dialects 4).
extension ForeignDraft {
  /// Sets the first valid custom id and the first valid installation id of the line.
  func identify(_ record: inout RecordEntry, by root: RootFields) {
    record.customID = first([.customID, .userID, .camelUserID], of: root, .person)
    record.installationID = first(
      [.installationID, .installID, .deviceID], of: root, .installation)
  }

  @inline(__always)
  private func first(_ fields: [3 of RootField], of root: RootFields, _ kind: IDKind) -> Node {
    for number in fields.indices where root.has(fields[number]) {
      let field = fields[number]
      let id = identifier(root[field], kind, at: FieldPath(root: field.text))
      if id.exists { return id }
    }
    return .none
  }
}

/// Finds ids among the fields in a list (``IdentityKeys``): all are noted first, as the order of
/// the list counts and not that of the object. Reused from object to object; one thread at a time.
final class IdentitySearch {
  /// Tape indices of values, by index in the list, first those of custom ids; stale without a note.
  private var values = [64 of Node](repeating: .none)
  /// The indices with a note, as bits, and those that were considered as ids of the record.
  private var (noted, taken): (UInt64, UInt64) = (0, 0)

  /// The indices of custom ids, and those of installation ids, as bits.
  private static let custom: UInt64 = 1 << UInt64(IdentityKeys.most) - 1
  private static let installation = custom << UInt64(IdentityKeys.most)

  func begin() { (noted, taken) = (0, 0) }

  var hasNoted: Bool { noted != 0 }

  /// The meaning of `name` in a search by `keys`, in seven bits: 0 = none.
  static func info(of name: ByteView, _ keys: IdentityKeys) -> UInt32 {
    guard let (owner, position) = keys.match(name) else { return 0 }
    return UInt32(owner == .custom ? position : IdentityKeys.most + position) + 1
  }

  /// Notes a field. Of equal keys the later counts; a later null removes the note.
  @inline(__always)
  func note(_ key: Int, info: UInt32, of tape: Tape) {
    guard info > 0 else { return }
    let position = Int(info) - 1
    let bit: UInt64 = 1 << UInt64(position)
    if noted & bit == 0 { values[position] = .none }
    noted |= bit
    let node = values[position]
    if tape[key + 1].kind != .null {
      values[position] = Node(key + 1)
    } else if node.exists, tape.bytes(at: node.index - 1) == tape.bytes(at: key) {
      values[position] = .none
    }
  }

  /// Sets those ids that the record lacks: the first valid one of each list in the object at
  /// `path`.
  func identify(_ record: inout RecordEntry, _ draft: ForeignDraft, at path: FieldPath) {
    identify(&record.customID, Self.custom, .person, draft, path)
    identify(&record.installationID, Self.installation, .installation, draft, path)
  }

  private func identify(
    _ id: inout Node, _ list: UInt64, _ kind: IDKind, _ draft: ForeignDraft, _ path: FieldPath
  ) {
    var rest = noted & list
    while rest != 0, !id.exists {
      let node = values[rest.trailingZeroBitCount]
      taken |= rest & (0 &- rest)
      rest &= rest - 1
      if node.exists { id = draft.identifier(node, kind, at: path.field(node.index - 1)) }
    }
  }

  /// Whether a field was considered as an id of the record, or repeats one that was.
  func hasTaken(_ key: Int, of tape: Tape) -> Bool {
    var rest = taken
    while rest != 0 {
      let node = values[rest.trailingZeroBitCount]
      if node.exists, node.index == key + 1 || tape.bytes(at: node.previous) == tape.bytes(at: key)
      {
        return true
      }
      rest &= rest - 1
    }
    return false
  }
}

extension ForeignDraft {
  /// `node` if it is a valid id, else none: an invalid one and a placeholder are losses.
  @inline(__always)
  func identifier(_ node: Node, _ kind: IDKind, at path: @autoclosure () -> FieldPath) -> Node {
    guard node.exists else { return .none }
    let entry = tape[node]
    if scratch.placeholders.contain(entry, as: kind, of: tape) {
      lose(.nobodyID, at: path())
      return .none
    }
    let rule = kind == .person ? TextRule.customID : .installationID
    if rule.fault(entry, of: tape) == nil, !IdentityRule.isDoubtful(node, of: tape, repairs) {
      return node
    }
    lose(.badIDIgnored, at: path())
    return .none
  }

  /// The event id at `node`, a UUID or an ObjectId in lower case, also `{"$oid": …}`. An invalid
  /// one is a loss, and a placeholder if the event counts once for its id (`isTimeless`).
  func eventID(
    _ node: Node, isTimeless: Bool = false, at path: @autoclosure () -> FieldPath
  ) -> Node {
    guard node.exists else { return .none }
    let id = inner("$oid", of: node.index)
    let entry = tape[id]
    guard entry.kind == .string || entry.kind == .integer,
      TextRule.eventID.fault(entry, of: tape) == nil,
      !IdentityRule.isDoubtful(Node(id), of: tape, repairs)
    else {
      lose(.badIDIgnored, at: path())
      return .none
    }
    if isTimeless, scratch.placeholders.contain(entry, as: .event, of: tape) {
      lose(.nobodyID, at: path())
      return .none
    }
    if entry.kind == .integer { return Node(id) }
    let text = tape.bytes(entry)
    func isObjectID() -> Bool {
      text.count == 24
        && (0..<24).allSatisfy {
          Characters.isDigit(text[$0]) || Characters.lowercased(text[$0]) &- UInt8(ascii: "a") < 6
        }
    }
    guard Characters.needsLowercasing(text), UUIDText.shape(text).isUUID || isObjectID() else {
      return Node(id)
    }
    let small = tape.text { KeyName.appendLowercase(tape.bytes(entry), to: &$0) }
    return Node(tape.appendScalar(small))
  }

  /// The time at `node` in a form that the validator reads: also a text of 13 digits, and Extended
  /// JSON. Text without a zone is a loss; an invalid value is left for the validator to reject.
  func time(_ node: Node, at path: @autoclosure () -> FieldPath) -> Node {
    guard node.exists else { return .none }
    let date = inner("$date", of: node.index)
    let value = inner("$numberLong", of: date)
    let entry = tape[value]
    guard entry.kind == .string else { return Node(value) }
    let text = tape.bytes(entry)
    // A long may be negative, and has any number of digits.
    let digits = value != date && text.starts(with: "-") ? text.dropFirst(1) : text
    if value != date || digits.count == 13, digits.count > 0,
      (0..<digits.count).allSatisfy({ Characters.isDigit(digits[$0]) })
    {
      var number = entry
      number.kind = .integer
      return Node(tape.appendScalar(number))
    }
    if Timestamp.parseAny(text)?.hasZone == false { lose(.timeNoZone, at: path()) }
    return Node(value)
  }

  /// The value of the field `name` if the value at `node` is an object that has it, else `node`.
  private func inner(_ name: ByteView, of node: Int) -> Int {
    tape[node].kind == .object ? tape.present(name, of: node) ?? node : node
  }
}
