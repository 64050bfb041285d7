import Pipeline

/// Attributes as the SDKs write them (dialects 2), with the type of the value in the key: drafts
/// `size.i`, `until.t` as `size`, `date(until)`. An invalid field becomes a fault under its name
/// (``TapeEntry/fault(_:)``), so that a later one of that name still wins.
struct TypedMembers {
  /// The type of the value according to the key: the index of its letter after the last dot.
  enum ValueType: UInt8 {
    case boolean, integer, double, string, date, url, array, object
    /// `t.NAME`: an array of tags.
    case collection

    fileprivate static let letters: ByteView = "bifstuao"
    private static let expectedTypes: [ExpectedType] = [
      .boolean, .integer, .number, .text, .date, .url, .array, .object, .collection,
    ]

    var expectedType: ExpectedType { Self.expectedTypes[Int(rawValue)] }
  }

  /// A field, with its key in v2. Without a type the key is unchanged.
  private struct Member {
    let key: TapeEntry
    let type: ValueType?
    let node: Int
  }

  let tape: Tape
  let names: ForeignNames
  /// Whether `t.NAME` is the collection of tags `NAME`, and not something else called `t`.
  var hasCollections = false

  /// Appends the fields of the object at `node` as attributes of an event; `names` is the number of
  /// names on their path, themselves included. Complexity: O(entries of the object).
  func appendAttributes(of node: Int, names: Int = 1) {
    append(of: node) { member in appendAttribute(member, names: names) }
  }

  /// What an object says of attributes of a profile: it changes them, where null unsets and arrays
  /// may be changed by item; it sets them, each with a type and a value; or it unsets them.
  enum Operation { case change, set, unset }

  /// Appends the fields of the object at `node` as such operations.
  func append(_ operation: Operation, of node: Int) {
    append(of: node) { member in
      let kind = tape[member.node].kind
      switch (operation, member.type, kind) {
      case (_, nil, _):
        // Where null unsets, a name without a type has to have it.
        if operation != .set, kind == .null, Characters.isName(tape.bytes(member.key)) {
          tape.appendScalar(TapeEntry(kind: .null))
        } else {
          appendFault(of: member)
        }
      case (.unset, _, _), (.change, _, .null): tape.appendScalar(TapeEntry(kind: .null))
      case (.set, _, .null): tape.appendScalar(.fault(.wrongType, expected: .aValue))
      case (.change, .array?, .object): tape.appendCopy(of: member.node)
      case (_, let type?, _): appendOperand(member.node, type)
      }
    }
  }

  // MARK: - Keys

  /// Appends each field of the object, with the value that `value` appends.
  private func append(of object: Int, _ value: (_ member: Member) -> Void) {
    tape.forEachMember(of: object) { index in
      let member = member(index)
      tape.appendMember(member.key) { value(member) }
    }
  }

  private func member(_ index: Int) -> Member {
    let entry = tape[index]
    guard hasCollections, tape.bytes(entry).starts(with: "t.") else {
      let (key, type) = names.typedMember(entry, in: tape)
      return Member(key: key, type: type, node: index + 1)
    }
    let isName = Characters.isName(tape.bytes(entry).dropFirst(2))
    return Member(
      key: isName ? tape.key(entry, part: 2..<Int(entry.length)) : entry,
      type: isName ? .collection : nil, node: index + 1)
  }

  /// The key in v2, and the type in the name. Without one, or with an invalid name, it is
  /// unchanged.
  static func typed(_ entry: TapeEntry, in tape: Tape) -> (key: TapeEntry, type: ValueType?) {
    let text = tape.bytes(entry)
    let length = text.count - 2
    guard length > 0, text[length] == UInt8(ascii: "."),
      let letter = ValueType.letters.firstIndex(of: text[length + 1]),
      let type = ValueType(rawValue: UInt8(letter)), Characters.isName(text[0..<length])
    else { return (entry, nil) }
    let name = 0..<length
    guard type == .date || type == .url else { return (tape.key(entry, part: name), type) }
    let form: KeyForm = type == .date ? .date : .url
    return (KeyName.typed(entry, as: form, part: name, in: tape), type)
  }

  // MARK: - Values

  private func appendFault(of member: Member) {
    let isReserved = tape.bytes(member.key).starts(with: "$")
    tape.appendScalar(
      isReserved ? .fault(.reservedKey, expected: .nothing) : .fault(.badKey, expected: .typedKey))
  }

  private func appendAttribute(_ member: Member, names: Int) {
    let kind = tape[member.node].kind
    switch (member.type, kind) {
    case (nil, _): appendFault(of: member)
    case (.array, .array) where names <= Limits.nesting:
      tape.appendContainer(.array) {
        tape.forEachItem(of: member.node) { item, _ in
          if tape[item].kind == .object {
            tape.appendContainer(.object) { appendAttributes(of: item, names: names + 1) }
          } else {
            tape.appendCopy(of: item)
          }
        }
      }
    case (.object, .object) where names <= Limits.nesting:
      tape.appendContainer(.object) { appendAttributes(of: member.node, names: names + 1) }
    case (.array, .array), (.object, .object):
      // Nested too deep, whatever its content.
      tape.appendContainer(kind) {}
    case (let type?, _): appendScalar(member.node, type)
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

  /// Appends the value at `node`, if it is a scalar of that type.
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
