import Pipeline

/// The root members that one dialect reads, beside those that all readers know (``RootMember``): up
/// to 16.
protocol OwnMember: CaseIterable, RawRepresentable<UInt8> {
  /// As it stands in lines.
  var name: StaticString { get }
}

extension OwnMember {
  /// The place of the member that is called `name`, or 255. Complexity: O(members).
  static func place(of name: ByteView) -> UInt32 {
    UInt32(allCases.first { ByteView($0.name) == name }?.rawValue ?? .max)
  }
}

/// The values of those members in one line: tape indices, none for what is absent or null. Of
/// repeated members the last one counts (data-model 2).
struct OwnMembers<Member: OwnMember> {
  private var nodes = [16 of Node](repeating: .none)

  subscript(member: Member) -> Node { nodes[Int(member.rawValue)] }

  /// Notes the value at `node` of the member at `place`.
  @inline(__always)
  mutating func note(_ node: Node, at place: Int) { nodes[place] = node }
}

extension RootMembers {
  /// Takes the members that the dialect reads out of those that nobody knows.
  ///
  /// What a name is to the dialect is remembered in `memo`; the lowest byte is the place that
  /// ``OwnMember/place(of:)`` tells, the others are the dialect's. Complexity: O(members nobody
  /// knows).
  func take<Member: OwnMember>(
    _ type: Member.Type, of tape: Tape, _ memo: NameMemo<UInt32>,
    meaning: (_ name: ByteView) -> UInt32 = { Member.place(of: $0) }
  ) -> OwnMembers<Member> {
    var own = OwnMembers<Member>()
    keepUnknown { key in
      let entry = tape[key]
      let meaning = memo.meaning(of: entry.number, in: tape) { meaning(tape.bytes(entry)) }
      let place = Int(meaning & 0xFF)
      guard place != 0xFF else { return true }
      own.note(tape[key.index + 1].kind == .null ? .none : key.next, at: place)
      return false
    }
    return own
  }
}
