import Pipeline

/// Names with what stands around them in an object, `"NAME":` and more, so that a member begins
/// with one copy.
final class MemberNames: @unchecked Sendable {
  // @unchecked because nothing is written after init.
  private var text = ByteBuffer()
  private var ranges: [Range<Int>] = []

  /// The names of `list`, each behind a quote and before `rest`, which begins with a quote.
  init(_ list: NameList, rest: StaticString) {
    for id in 0..<list.count {
      let start = text.count
      text.append(UInt8(ascii: "\""))
      text.append(list[UInt32(truncatingIfNeeded: id)])
      text.append(rest)
      ranges.append(start..<text.count)
    }
  }

  /// The text of the name with the number `id`.
  subscript(id: UInt32) -> ByteView { text[ranges[Int(id)]] }
}
