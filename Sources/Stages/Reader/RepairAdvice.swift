import Pipeline

/// What the message about a line that is not JSON says about its cause and its repair.
enum RepairAdvice {
  /// Most objects that are searched for in a line.
  private static let mostObjects = 4

  /// Writes which repairs would help, if any.
  static func write(_ repairs: LineRepairs, to text: inout ByteBuffer) {
    if repairs.isEmpty { return }
    text.append("--repair would read it (" as StaticString)
    var isFirst = true
    for (repair, name) in [
      (.prefix, "NUL bytes or U+FEFF before the object"), (.utf8, "bytes that are not UTF-8"),
      (.surrogate, "half of a surrogate pair"), (.trailingComma, "trailing comma"),
    ] as [(LineRepairs, StaticString)] where repairs.contains(repair) {
      if !isFirst { text.append(", " as StaticString) }
      isFirst = false
      text.append(name)
    }
    text.append("); redrive --repair does so later" as StaticString)
  }

  /// The cause that several objects in the line explain, or nil. None of them is guessed at.
  static func shape(of line: Range<Int>, _ fault: ScanFault, in tape: Tape) -> StaticString? {
    let text = tape.sourceBytes(line)
    guard text.count > 0, text[0] == JSONByte.openBrace else { return nil }
    let offset = min(fault.offset, text.count)
    // Only after a complete object is the end of the line expected.
    if offset < text.count, text[offset] == JSONByte.openBrace,
      ByteView(fault.expected) == "the end of the line"
    {
      return "the line has two objects: write each on a line of its own"
    }
    return hasObjectAfterTorn(text, line, tape)
      ? "a whole object follows a torn one: write it on a line of its own" : nil
  }

  /// Whether the line ends with a whole object that is not a value of the object before it.
  private static func hasObjectAfterTorn(
    _ text: ByteView, _ line: Range<Int>, _ tape: Tape
  ) -> Bool {
    let (entries, decoded) = (tape.count, tape.decoded.count)
    var tries = 0
    var last = JSONByte.openBrace
    for position in 1..<text.count where tries < mostObjects {
      let byte = text[position]
      let isValue =
        last == JSONByte.colon || last == JSONByte.comma || last == JSONByte.openBracket
      if byte == JSONByte.openBrace, !isValue {
        tries += 1
        if case .value = Scanner.scan(
          line: line.lowerBound + position..<line.upperBound, into: tape)
        {
          tape.truncate(to: entries)
          tape.decoded.truncate(to: decoded)
          return true
        }
      }
      if byte > JSONByte.space { last = byte }
    }
    return false
  }
}
