import Pipeline

/// Attributes as the SDKs write them: keys with the type of their value, `size.i`, `until.t`,
/// `cart.a` (dialects 2). Drafts them as v2 has them: `size`, `date(until)`, `cart`.
///
/// What is wrong with a member is left in its place (``TapeEntry/fault(_:)``), under the name it
/// would have, so that a later one of that name still wins. Works on one tape; no state.
struct TypedMembers {
  /// What the key says of the value's type.
  private enum ValueType {
    case boolean, integer, double, string, date, url, array, object
    /// `t.NAME`: an array of tags.
    case collection

    /// The type that a letter behind the last dot stands for.
    init?(suffix: UInt8) {
      switch suffix {
      case UInt8(ascii: "b"): self = .boolean
      case UInt8(ascii: "i"): self = .integer
      case UInt8(ascii: "f"): self = .double
      case UInt8(ascii: "s"): self = .string
      case UInt8(ascii: "t"): self = .date
      case UInt8(ascii: "u"): self = .url
      case UInt8(ascii: "a"): self = .array
      case UInt8(ascii: "o"): self = .object
      default: return nil
      }
    }

    var expectedType: ExpectedType {
      switch self {
      case .boolean: .boolean
      case .integer: .integer
      case .double: .number
      case .string: .text
      case .date: .date
      case .url: .url
      case .array: .array
      case .object: .object
      case .collection: .collection
      }
    }
  }

  /// A member, with the key it has in v2. Without a type the key is as it was written, and `fault`
  /// says what is wrong with it.
  private struct Member {
    let key: TapeEntry
    let type: ValueType?
    let fault: ReasonCode
    /// Whether the key is a name without a type.
    let isBare: Bool
    /// Tape index of the value.
    let node: Int
  }

  let tape: Tape
  /// Whether `t.NAME` is the collection of tags `NAME`, and not something else called `t`.
  var hasCollections = false

  /// Appends the members of the object at `node` as attributes of an event; `names` is how many
  /// names stand on their path, themselves included. Complexity: O(entries of the object).
  func appendAttributes(of node: Int, names: Int = 1) {
    append(of: node) { member in appendAttribute(member, names: names) }
  }

  /// Appends the members of the object at `node` as operations on attributes: null unsets, also
  /// under a name without a type; arrays may be changed by item. Complexity: O(entries of the
  /// object).
  func appendOperands(of node: Int) {
    append(of: node) { member in
      switch (member.type, tape[member.node].kind) {
      case (nil, _): appendUntyped(member)
      case (_?, .null): appendNull()
      case (.array, .object): tape.appendCopy(of: member.node)
      case (let type?, _): appendOperand(member.node, type)
      }
    }
  }

  /// Appends the members of the object at `node` as operations that set: each has a type and a
  /// value. Complexity: O(entries of the object).
  func appendValues(of node: Int) {
    append(of: node) { member in
      switch (member.type, tape[member.node].kind) {
      case (nil, _): appendFault(of: member)
      case (_?, .null): tape.appendScalar(.fault(.wrongType, expected: .aValue))
      case (let type?, _): appendOperand(member.node, type)
      }
    }
  }

  /// Appends a null for each member of the object at `node`, whatever its value: operations that
  /// unset. A name without a type needs a null. Complexity: O(members).
  func appendUnsets(of node: Int) {
    append(of: node) { member in
      if member.type == nil { appendUntyped(member) } else { appendNull() }
    }
  }

  // MARK: - Keys

  /// Appends each member of the object, with the value that `value` appends.
  private func append(of object: Int, _ value: (_ member: Member) -> Void) {
    tape.forEachMember(of: object) { index in
      let member = member(index)
      tape.appendMember(member.key) { value(member) }
    }
  }

  private func member(_ index: Int) -> Member {
    let entry = tape[index]
    let text = tape.bytes(entry)
    if let (type, name) = typed(text) {
      return Member(
        key: key(entry, type, name), type: type, fault: .badKey, isBare: false, node: index + 1)
    }
    return Member(
      key: entry, type: nil, fault: text.starts(with: "$") ? .reservedKey : .badKey,
      isBare: Characters.isName(text), node: index + 1)
  }

  /// The type of a key, and where its name stands in it; nil when it has none, or its name is bad.
  private func typed(_ text: ByteView) -> (ValueType, name: Range<Int>)? {
    if hasCollections, text.starts(with: "t.") {
      return Characters.isName(text.dropFirst(2)) ? (.collection, 2..<text.count) : nil
    }
    let length = text.count - 2
    guard length > 0, text[length] == UInt8(ascii: "."),
      let type = ValueType(suffix: text[length + 1]), Characters.isName(text[0..<length])
    else { return nil }
    return (type, 0..<length)
  }

  /// The key in v2 of what is called as the part `name` of `entry` says.
  private func key(_ entry: TapeEntry, _ type: ValueType, _ name: Range<Int>) -> TapeEntry {
    switch type {
    case .date: KeyName.typed(entry, as: .date, part: name, in: tape)
    case .url: KeyName.typed(entry, as: .url, part: name, in: tape)
    default: tape.key(entry, part: name)
    }
  }

  // MARK: - Values

  private func appendFault(of member: Member) {
    let expected: ExpectedType = member.fault == .badKey ? .typedKey : .nothing
    tape.appendScalar(.fault(member.fault, expected: expected))
  }

  private func appendNull() {
    tape.appendScalar(TapeEntry(start: 0, length: 0, next: 0, kind: .null))
  }

  /// A null unsets under a name without a type.
  private func appendUntyped(_ member: Member) {
    if member.isBare, tape[member.node].kind == .null {
      appendNull()
    } else {
      appendFault(of: member)
    }
  }

  private func appendAttribute(_ member: Member, names: Int) {
    let kind = tape[member.node].kind
    switch (member.type, kind) {
    case (nil, _): appendFault(of: member)
    case (.array, .array) where names <= Limits.nesting:
      tape.appendContainer(.array) { appendItems(of: member.node, names: names) }
    case (.object, .object) where names <= Limits.nesting:
      tape.appendContainer(.object) { appendAttributes(of: member.node, names: names + 1) }
    case (.array, .array), (.object, .object):
      // Nested too deep, whatever it holds.
      tape.appendContainer(kind) {}
    case (let type?, _): appendScalar(member.node, type)
    }
  }

  private func appendItems(of array: Int, names: Int) {
    tape.forEachItem(of: array) { item, _ in
      if tape[item].kind == .object {
        tape.appendContainer(.object) { appendAttributes(of: item, names: names + 1) }
      } else {
        tape.appendCopy(of: item)
      }
    }
  }

  /// Appends the value at `node` of a profile's attribute.
  private func appendOperand(_ node: Int, _ type: ValueType) {
    switch (type, tape[node].kind) {
    case (.array, .array), (.collection, .array): tape.appendCopy(of: node)
    case (.object, .object): tape.appendScalar(.fault(.wrongType, expected: .noObject))
    default: appendScalar(node, type)
    }
  }

  /// Appends the value at `node`, if it is of the type and holds no others.
  private func appendScalar(_ node: Int, _ type: ValueType) {
    let entry = tape[node]
    switch (type, entry.kind) {
    case (.boolean, .true), (.boolean, .false), (.integer, .integer), (.double, .double),
      (.double, .integer), (.string, .string), (.url, .string):
      tape.appendScalar(entry)
    case (.date, .integer), (.date, .double):
      let time = DecimalNumber.milliseconds(tape.bytes(entry), per: .milliseconds)
      if let time, Timestamp.years.contains(time) {
        tape.appendDate(milliseconds: time)
      } else {
        tape.appendScalar(.fault(.dateInvalid))
      }
    default: tape.appendScalar(.fault(.wrongType, expected: type.expectedType))
    }
  }
}
