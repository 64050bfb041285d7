import Pipeline

/// Names with the surrounding text of a field, `"NAME":` and more, so that a field begins with one
/// copy.
struct MemberNames: Sendable {
  private let text: Frozen<ByteBuffer>
  private let ranges: [Range<Int>]

  /// The names of `list`, each after a quote and before `rest`, which begins with a quote.
  init(_ list: NameList, rest: StaticString) {
    var text = ByteBuffer()
    var ranges: [Range<Int>] = []
    for id in 0..<list.count {
      let start = text.count
      text.append(UInt8(ascii: "\""))
      text.append(list[UInt32(truncatingIfNeeded: id)])
      text.append(rest)
      ranges.append(start..<text.count)
    }
    self.text = Frozen(text)
    self.ranges = ranges
  }

  /// The text of the name with the number `id`.
  subscript(id: UInt32) -> ByteView { text.value[ranges[Int(id)]] }
}
