import Pipeline

/// Members of one object, written in the order of their names and given out in the order of their
/// written keys: `date(k)` stands among the `d`, not where `k` would.
final class SortedMembers {
  /// The members so far, each `"KEY":VALUE`.
  private var text = ByteBuffer(capacity: 1 << 10)
  /// Where each member begins, and where its written key ends.
  private var members: [(start: Int, keyEnd: Int)] = []
  private var isSorted = true

  /// Whether there is no member.
  var isEmpty: Bool { members.isEmpty }

  /// Forgets the members and keeps the room.
  func removeAll() {
    text.removeAll()
    members.removeAll(keepingCapacity: true)
    isSorted = true
  }

  /// Begins a member; its value is to be appended next.
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

  /// Appends the value of the member that was begun, as it is written.
  func append(_ value: ByteView) { text.append(value) }

  /// Appends an array of texts as the value of the member that was begun.
  func append(_ items: [ByteView]) {
    for (position, item) in items.enumerated() {
      text.append(UInt8(ascii: position == 0 ? "[" : ","))
      text.appendJSONString(item)
    }
    text.append(UInt8(ascii: "]"))
  }

  /// Appends the members in the order of their written keys, with commas between them.
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
