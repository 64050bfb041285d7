import Pipeline

/// What the message about a line that is not JSON or not UTF-8 says about its cause and its repair.
enum RepairAdvice {
  /// Most bytes that are scanned in search of an object, in lengths of the line.
  private static let mostScans = 4

  /// Writes which repairs would make `line` an object, or which objects are in it. The tape stays
  /// unchanged. Complexity: O(`line.count`).
  static func write(of line: Range<Int>, in tape: Tape, to text: inout ByteBuffer) {
    let (entries, decoded) = (tape.count, tape.decoded.count)
    let (result, repairs, repaired) = Scanner.scan(repaired: line, into: tape)
    switch result {
    case .value(let root):
      guard tape[root].kind == .object else { break }
      if hasDoubtfulID(root, repairs, in: tape) {
        text.append("the damage is in an id, which no repair can restore: write the line again")
      } else {
        write(repairs, to: &text)
      }
    case .fault(let fault):
      if hasTwoObjects(repaired, fault, in: tape) {
        text.append("the line has two objects: write each on a line of its own")
      } else if hasObjectAfterTorn(repaired, in: tape) {
        text.append("a whole object follows a torn one: write it on a line of its own")
      }
    }
    tape.truncate(to: entries)
    tape.decoded.truncate(to: decoded)
  }

  /// Whether the validator would reject the repaired object for its owner, or for the id of the
  /// event that it is (``IdentityRule/isDoubtful(_:of:_:)``).
  private static func hasDoubtfulID(_ object: Int, _ repairs: LineRepairs, in tape: Tape) -> Bool {
    var isDoubtful = false
    tape.forEachMember(of: object) { key in
      let (name, value) = (tape.bytes(at: key), key + 1)
      if tape[value].kind == .object {
        guard owners.contains(where: { name == ByteView($0) }) else { return }
        isDoubtful = isDoubtful || hasDoubtfulID(value, repairs, in: tape)
      } else if ids.contains(where: { name == ByteView($0) }) {
        isDoubtful = isDoubtful || IdentityRule.isDoubtful(Node(value), of: tape, repairs)
      }
    }
    return isDoubtful
  }

  /// The fields with the ids of a line, and the objects that have them.
  private static let ids: [StaticString] = [
    "id", "event_id", "custom_id", "user_id", "installation_id", "install_id", "cus",
  ]
  private static let owners: [StaticString] = ["identifiers", "installation", "ids"]

  private static func write(_ repairs: LineRepairs, to text: inout ByteBuffer) {
    text.append("--repair would read it (")
    var isFirst = true
    for (repair, name) in [
      (.prefix, "NUL bytes or U+FEFF before the object"), (.utf8, "bytes that are not UTF-8"),
      (.surrogate, "half of a surrogate pair"), (.trailingComma, "trailing comma"),
    ] as [(LineRepairs, StaticString)] where repairs.contains(repair) {
      if !isFirst { text.append(", ") }
      isFirst = false
      text.append(name)
    }
    text.append("); redrive --repair does so later")
  }

  /// Whether another object follows the one that `text` begins with, possibly after a comma.
  private static func hasTwoObjects(_ text: Range<Int>, _ fault: ScanFault, in tape: Tape) -> Bool {
    guard fault.kind == .moreText, tape.decoded[text.lowerBound] == JSONByte.openBrace else {
      return false
    }
    var position = text.lowerBound + fault.offset
    while position < text.upperBound,
      tape.decoded[position] == JSONByte.comma || tape.decoded[position] <= JSONByte.space
    {
      position += 1
    }
    return tape.decoded[position] == JSONByte.openBrace
  }

  /// Whether `text` of the decoded bytes ends with an object with fields that is not a value of the
  /// object before it. That one lacks its end, or its beginning.
  private static func hasObjectAfterTorn(_ text: Range<Int>, in tape: Tape) -> Bool {
    let beginsObject = tape.decoded[text.lowerBound] == JSONByte.openBrace
    var budget = mostScans * text.count
    /// The last byte that is not white space.
    var last = JSONByte.colon
    for position in text where budget > 0 {
      let byte = tape.decoded[position]
      let isValue = last == JSONByte.colon || last == JSONByte.comma || last == JSONByte.openBracket
      if byte == JSONByte.openBrace, beginsObject ? !isValue : last == JSONByte.closeBrace {
        switch Scanner.scan(decoded: position..<text.upperBound, into: tape) {
        case .value(let object): if Int(tape[object].next) > object + 1 { return true }
        case .fault(let fault): budget -= fault.offset + 1
        }
      }
      if byte > JSONByte.space { last = byte }
    }
    return false
  }
}

/// The names of an object's fields, for a message about an unknown dialect: bounded, no values.
enum FieldNames {
  /// Most names listed.
  private static let most = 8
  /// Most bytes of a listed name.
  private static let longest = 40

  /// Writes the names of the object at tape index `object`, in their order. Complexity: O(fields).
  static func write(of object: Int, _ tape: Tape, to text: inout ByteBuffer) {
    var count = 0
    tape.forEachMember(of: object) { key in
      if count < most {
        if count > 0 { text.append(", ") }
        append(tape.bytes(at: key), to: &text)
      }
      count += 1
    }
    if count == 0 { text.append("no fields") }
    if count > most {
      text.append(" and ")
      text.append(decimal: count - most)
      text.append(" more")
    }
  }

  private static func append(_ name: ByteView, to text: inout ByteBuffer) {
    let kept = Characters.wholeCharacters(name, atMost: longest)
    text.append(name[0..<kept])
    if kept < name.count { text.append(text: "…") }
  }
}
