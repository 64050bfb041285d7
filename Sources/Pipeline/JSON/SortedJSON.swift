/// Writes a value of a tape as JSON in a normal form: no white space, fields in the byte order of
/// their keys, of repeated fields the last one only (data-model 2), numbers as in the source. Its
/// scratch memory is reused. One thread at a time.
package struct SortedJSON: ~Copyable {
  private var order = MemberOrder()

  package init() {}

  package mutating func shrink(to limit: Int) { order.shrink(to: limit) }

  /// Appends the value at `node`. Stops early, in the middle, when the text exceeds `limit` bytes;
  /// no token begins after that. Complexity: O(bytes and entries), sorting aside. The recursion is
  /// as deep as the value (``Scanner/maxDepth``).
  package mutating func append(
    _ node: Int, of tape: Tape, atMost limit: Int, to text: inout ByteBuffer
  ) {
    let end = text.count + min(limit, Int.max - text.count)
    append(node, of: tape, until: end, to: &text)
  }

  /// Whether the normal form of the object or array at `node` is its source text.
  ///
  /// Without white space and escapes a container is exactly as long as its content and punctuation,
  /// and longer with any of them; so it suffices to add lengths, and to check the order of keys.
  /// Complexity: O(bytes of keys and entries of the value).
  package static func isSourceText(_ node: Int, of tape: Tape) -> Bool {
    let entry = tape[node]
    guard entry.kind == .object || entry.kind == .array else { return false }
    let end = Int(entry.next)
    // The opening bracket, or the comma before each but the first; then the closing bracket.
    var length = end > node + 1 ? 1 : 2
    var last: ByteView = ""
    var child = node + 1
    while child < end {
      if entry.kind == .object {
        let name = tape.bytes(at: child)
        if child > node + 1, !(last < name) { return false }
        last = name
        length += name.count + 3
        child += 1
      }
      let value = tape[child]
      switch value.kind {
      case .string: length += Int(value.length) + 3
      case .object, .array:
        guard isSourceText(child, of: tape) else { return false }
        length += Int(value.length) + 1
      case .date, .key: return false
      default: length += Int(value.length) + 1
      }
      child = Int(value.next)
    }
    return length == Int(entry.length)
  }

  private mutating func append(
    _ node: Int, of tape: Tape, until end: Int, to text: inout ByteBuffer
  ) {
    let entry = tape[node]
    switch entry.kind {
    case .object: appendObject(node, of: tape, until: end, to: &text)
    case .array: appendArray(node, of: tape, until: end, to: &text)
    case .string: text.appendJSONString(tape.bytes(entry))
    case .integer, .double: text.append(tape.bytes(entry))
    case .true: text.append("true")
    case .false: text.append("false")
    case .null: text.append("null")
    case .date:
      text.append(JSONByte.quote)
      Timestamp.append(milliseconds: entry.milliseconds, to: &text)
      text.append(JSONByte.quote)
    case .key: preconditionFailure("a key is not a value")
    }
  }

  private mutating func appendObject(
    _ node: Int, of tape: Tape, until end: Int, to text: inout ByteBuffer
  ) {
    let members = order.push(node, of: tape)
    var separator = JSONByte.openBrace
    for index in members {
      guard text.count <= end else { break }
      let key = order[index]
      text.append(separator)
      separator = JSONByte.comma
      text.appendJSONString(tape.bytes(at: key))
      text.append(JSONByte.colon)
      append(key + 1, of: tape, until: end, to: &text)
    }
    order.pop(members)
    if separator == JSONByte.openBrace { text.append(separator) }
    text.append(JSONByte.closeBrace)
  }

  private mutating func appendArray(
    _ node: Int, of tape: Tape, until end: Int, to text: inout ByteBuffer
  ) {
    var separator = JSONByte.openBracket
    var item = node + 1
    while item < Int(tape[node].next), text.count <= end {
      text.append(separator)
      separator = JSONByte.comma
      append(item, of: tape, until: end, to: &text)
      item = Int(tape[item].next)
    }
    if separator == JSONByte.openBracket { text.append(separator) }
    text.append(JSONByte.closeBracket)
  }
}
