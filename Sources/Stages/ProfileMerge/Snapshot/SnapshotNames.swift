import Pipeline

/// The names of a run in byte order, and in the forms used in lines. Made when all names are known;
/// any thread.
package struct SnapshotNames: Sendable {
  package let events: NameList
  package let attributes: NameList
  /// `"NAME":{"count":`
  let profileNames: MemberNames
  let order: NameOrder
  package let lists: NameLists

  package init(_ names: RunNames) {
    events = names.events.list()
    attributes = names.attributes.list()
    lists = NameLists(events: events, attributes: attributes)
    profileNames = MemberNames(events, rest: "\":{\"count\":")
    order = .bytes(events: events.ranks, attributes: attributes.ranks)
  }
}

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

  subscript(id: UInt32) -> ByteView { text.value[ranges[Int(id)]] }
}
