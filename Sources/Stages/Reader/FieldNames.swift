import Pipeline

/// The names of the fields of an object for a message about a line of an unknown dialect: bounded,
/// and without values.
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
        if count > 0 { text.append(", " as StaticString) }
        append(tape.bytes(at: key), to: &text)
      }
      count += 1
    }
    if count == 0 { text.append("no fields" as StaticString) }
    if count > most {
      text.append(" and " as StaticString)
      text.append(decimal: count - most)
      text.append(" more" as StaticString)
    }
  }

  private static func append(_ name: ByteView, to text: inout ByteBuffer) {
    let kept = Characters.wholeCharacters(name, atMost: longest)
    text.append(name[0..<kept])
    if kept < name.count { text.append(text: "…") }
  }
}
