import Pipeline

/// Fields of one object, written in the order of their names and returned in the order of their
/// written keys: `date(k)` sorts under `d`, not under `k`.
final class SortedMembers {
  /// The fields so far, each `"KEY":VALUE`.
  private var text = ByteBuffer(capacity: 1 << 10)
  /// The start of each field, and the end of its written key.
  private var members: [(start: Int, keyEnd: Int)] = []
  /// Whether their order is that of the written keys.
  var isSorted = true

  /// Whether there are no fields.
  var isEmpty: Bool { members.isEmpty }

  /// Removes the fields and keeps the capacity.
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
    members.append((start: start, keyEnd: text.count))
    text.append("\":")
  }

  /// Appends the value of the current field, unchanged.
  func append(_ value: ByteView) { text.append(value) }

  /// Appends an array of texts as the value of the current field.
  func append(_ items: [ByteView]) {
    for (position, item) in items.enumerated() {
      text.append(UInt8(ascii: position == 0 ? "[" : ","))
      text.appendJSONString(item)
    }
    text.append(UInt8(ascii: "]"))
  }

  /// Appends the fields in the order of their written keys, separated by commas.
  func append(to out: inout ByteBuffer) {
    if isSorted {
      for index in members.indices { append(index, isFirst: index == 0, to: &out) }
    } else {
      let order = members.indices.sorted { key($0) < key($1) }
      for (position, index) in order.enumerated() {
        append(index, isFirst: position == 0, to: &out)
      }
    }
  }

  private func append(_ index: Int, isFirst: Bool, to out: inout ByteBuffer) {
    if !isFirst { out.append(UInt8(ascii: ",")) }
    out.append(text[members[index].start..<end(of: index)])
  }

  private func end(of index: Int) -> Int {
    index + 1 < members.count ? members[index + 1].start : text.count
  }

  private func key(_ index: Int) -> ByteView {
    text[members[index].start..<members[index].keyEnd]
  }
}
