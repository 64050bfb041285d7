package import Pipeline

/// Writes records in their canonical v2 form (data-model 11): no spaces, the shortest escaping,
/// numbers as in the source. Only accepted parts are written.
package enum CanonicalWriter {
  package static func hasAttributes(_ event: EventEntry, of tape: Tape) -> Bool {
    event.label.exists || event.attributeCount > 0
      || event.tags.exists && hasItems(event.tags.index, of: tape)
  }

  /// Writes the event's attributes, if there are any: `$label`, `$tags`, then the others in source
  /// order. In a line without white space between tokens (`isCompact`), parts that were not
  /// relabelled are copied. Complexity: O(bytes written).
  package static func appendAttributes(
    of event: EventEntry, in tape: Tape, isCompact: Bool = false, to text: inout ByteBuffer
  ) {
    guard hasAttributes(event, of: tape) else { return }
    var separator = UInt8(ascii: "{")
    if event.label.exists {
      text.append("{\"$label\":")
      appendValue(event.label.index, of: tape, isCompact: isCompact, to: &text)
      separator = UInt8(ascii: ",")
    }
    if event.tags.exists, hasItems(event.tags.index, of: tape) {
      text.append(separator)
      text.append("\"$tags\":")
      appendValue(event.tags.index, of: tape, isCompact: isCompact, to: &text)
      separator = UInt8(ascii: ",")
    }
    if event.attributeCount > 0 {
      appendMembers(
        event.attributes.index, of: tape, isCompact: isCompact, separator: &separator, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  /// Whether an item of the array is not dropped.
  package static func hasItems(_ array: Int, of tape: Tape) -> Bool {
    let end = Int(tape[array].next)
    var item = array + 1
    while item < end {
      if !tape[item].isDropped { return true }
      item = Int(tape[item].next)
    }
    return false
  }

  /// Writes the fields of the object at `node` that are not dropped, each after a separator that
  /// becomes a comma. Consecutive ones whose source text is canonical are copied together.
  private static func appendMembers(
    _ node: Int, of tape: Tape, isCompact: Bool, separator: inout UInt8, to text: inout ByteBuffer
  ) {
    if tape[node].flags & TapeEntry.prevalidated != 0 {
      // The text of all fields.
      text.append(separator)
      separator = UInt8(ascii: ",")
      text.append(tape.bytes(at: node))
      return
    }
    let end = Int(tape[node].next)
    var key = node + 1
    // The range of the source to copy.
    var run = 0..<0
    while key < end {
      let entry = tape[key]
      let isWritten = !entry.isDropped
      if isWritten, isCompact, !entry.isDecoded, tape.isVerbatim(key + 1) {
        let first = run.isEmpty ? entry.keyStart : run.lowerBound
        run = first..<tape[key + 1].valueEnd
      } else {
        appendRun(&run, of: tape, separator: &separator, to: &text)
        if isWritten {
          text.append(separator)
          separator = UInt8(ascii: ",")
          appendKey(entry, of: tape, to: &text)
          text.append(UInt8(ascii: ":"))
          appendValue(key + 1, of: tape, isCompact: isCompact, to: &text)
        }
      }
      key = Int(entry.next)
    }
    appendRun(&run, of: tape, separator: &separator, to: &text)
  }

  @inline(__always)
  private static func appendRun(
    _ run: inout Range<Int>, of tape: Tape, separator: inout UInt8, to text: inout ByteBuffer
  ) {
    if run.isEmpty { return }
    text.append(separator)
    separator = UInt8(ascii: ",")
    text.append(tape.sourceBytes(run))
    run = 0..<0
  }

  /// Writes a key in quotes. Accepted keys need no escaping.
  package static func appendKey(_ key: TapeEntry, of tape: Tape, to text: inout ByteBuffer) {
    text.append(UInt8(ascii: "\""))
    KeyName.append(key, of: tape, to: &text)
    text.append(UInt8(ascii: "\""))
  }

  /// Writes the value at `node`, without its dropped fields and items.
  package static func appendValue(
    _ node: Int, of tape: Tape, isCompact: Bool = false, to text: inout ByteBuffer
  ) {
    let entry = tape[node]
    if isCompact, tape.isVerbatim(node) {
      let start = Int(entry.start) - (entry.kind == .string ? 1 : 0)
      text.append(tape.sourceBytes(start..<entry.valueEnd))
      return
    }
    switch entry.kind {
    case .object:
      var separator = UInt8(ascii: "{")
      appendMembers(node, of: tape, isCompact: isCompact, separator: &separator, to: &text)
      if separator == UInt8(ascii: "{") { text.append(separator) }
      text.append(UInt8(ascii: "}"))
    case .array: appendArray(node, of: tape, isCompact: isCompact, to: &text)
    case .string: appendString(entry, of: tape, to: &text)
    case .date:
      text.append(UInt8(ascii: "\""))
      Timestamp.append(milliseconds: entry.milliseconds, to: &text)
      text.append(UInt8(ascii: "\""))
    case .integer, .double: text.append(tape.bytes(entry))
    case .true: text.append("true")
    case .false: text.append("false")
    case .null: text.append("null")
    case .key: preconditionFailure("a key is not a value")
    }
  }

  private static func appendArray(
    _ node: Int, of tape: Tape, isCompact: Bool, to text: inout ByteBuffer
  ) {
    var separator = UInt8(ascii: "[")
    if tape[node].flags & TapeEntry.prevalidated != 0 {
      // The text of all items.
      text.append(separator)
      text.append(tape.bytes(at: node))
      text.append(UInt8(ascii: "]"))
      return
    }
    tape.forEachItem(of: node) { item, _ in
      if !tape[item].isDropped {
        text.append(separator)
        separator = UInt8(ascii: ",")
        appendValue(item, of: tape, isCompact: isCompact, to: &text)
      }
    }
    if separator == UInt8(ascii: "[") { text.append(separator) }
    text.append(UInt8(ascii: "]"))
  }

  /// Writes a string, or an integer used as one (an event id), in quotes.
  package static func appendString(_ entry: TapeEntry, of tape: Tape, to text: inout ByteBuffer) {
    // Text without escapes in the source needs none now.
    if entry.isDecoded { return text.appendJSONString(tape.bytes(entry)) }
    text.append(UInt8(ascii: "\""))
    text.append(tape.bytes(entry))
    text.append(UInt8(ascii: "\""))
  }
}
