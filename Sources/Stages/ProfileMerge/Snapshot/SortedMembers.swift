import Pipeline

/// Fields of one object, written in the order of their names and returned in the order of their
/// written keys: `date(k)` sorts under `d`, not under `k`.
final class SortedMembers {
  /// The fields so far, each `"KEY":VALUE`.
  private var text = ByteBuffer(capacity: 1 << 10)
  /// The start of each field, the end of its written key, and its end.
  private var members: [(start: Int, keyEnd: Int, end: Int)] = []
  /// Whether their order is that of the written keys.
  var isSorted = true

  var isEmpty: Bool { members.isEmpty }

  func removeAll() {
    text.removeAll()
    members.removeAll(keepingCapacity: true)
    isSorted = true
  }

  /// Begins a field; its value must be appended next.
  func begin(_ key: ByteView, _ form: KeyForm) {
    let start = text.count
    text.append(UInt8(ascii: "\""))
    if form != .plain { text.append(form.opening) }
    text.append(key)
    if form != .plain {
      text.append(UInt8(ascii: ")"))
      isSorted = false
    }
    members.append((start, text.count, text.count))
    text.append("\":")
  }

  /// Appends the value of the current field, unchanged.
  func append(_ value: ByteView) {
    text.append(value)
    members[members.count - 1].end = text.count
  }

  /// Appends an array of texts as the value of the current field.
  func append(_ items: ArraySlice<ByteView>) {
    for (position, item) in items.enumerated() {
      text.append(UInt8(ascii: position == 0 ? "[" : ","))
      text.appendJSONString(item)
    }
    append("]")
  }

  /// Appends the fields in the order of their written keys, separated by commas.
  func append(to out: inout ByteBuffer) {
    if !isSorted { members.sort { text[$0.start..<$0.keyEnd] < text[$1.start..<$1.keyEnd] } }
    for (index, member) in members.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.append(text[member.start..<member.end])
    }
  }
}
