import Pipeline

/// The root members some dialect knows.
enum RootMember: Int, CaseIterable {
  case identifiers, update, name, id, eventID, customID, userID, installationID, installID
  case time, label, tags, attributes, events, overwrite

  /// The member with exactly this name, or nil.
  init?(_ name: ByteView) {
    switch name.count {
    case 2: self.init(name, "id", .id)
    case 4:
      switch name[0] {
      case UInt8(ascii: "n"): self.init(name, "name", .name)
      case UInt8(ascii: "t"):
        self.init(
          name, name[1] == UInt8(ascii: "i") ? "time" : "tags",
          name[1] == UInt8(ascii: "i") ? .time : .tags)
      default: return nil
      }
    case 5: self.init(name, "label", .label)
    case 6:
      self.init(
        name, name[0] == UInt8(ascii: "u") ? "update" : "events",
        name[0] == UInt8(ascii: "u") ? .update : .events)
    case 7: self.init(name, "user_id", .userID)
    case 8: self.init(name, "event_id", .eventID)
    case 9:
      self.init(
        name, name[0] == UInt8(ascii: "c") ? "custom_id" : "overwrite",
        name[0] == UInt8(ascii: "c") ? .customID : .overwrite)
    case 10:
      self.init(
        name, name[0] == UInt8(ascii: "a") ? "attributes" : "install_id",
        name[0] == UInt8(ascii: "a") ? .attributes : .installID)
    case 11: self.init(name, "identifiers", .identifiers)
    case 15: self.init(name, "installation_id", .installationID)
    default: return nil
    }
  }

  private init?(_ name: ByteView, _ expected: StaticString, _ member: RootMember) {
    guard name == ByteView(expected) else { return nil }
    self = member
  }
}

/// The members of one object that the readers look for, found in one walk over it.
///
/// Of repeated members the last one counts; a member that is null counts as absent (SPEC 2).
struct RootMembers {
  private var nodes = [15 of Int32](repeating: -1)
  private var present: UInt32 = 0
  /// Tape indices of the keys that no dialect knows, null ones included.
  private(set) var unknownKeys: [Int32] = []
  private var fold = KeyFold()

  init() {}

  /// Walks over the object at tape index `object`.
  mutating func read(_ object: Int, of tape: borrowing Tape) {
    nodes = [15 of Int32](repeating: -1)
    present = 0
    unknownKeys.removeAll(keepingCapacity: true)
    var key = object + 1
    let end = Int(tape[object].next)
    while key < end {
      let entry = tape[key]
      if let member = RootMember(tape.bytes(entry)) {
        let isNull = tape[key + 1].kind == .null
        nodes[member.rawValue] = isNull ? -1 : Int32(key + 1)
        let bit = 1 << UInt32(member.rawValue) as UInt32
        if isNull { present &= ~bit } else { present |= bit }
      } else {
        unknownKeys.append(Int32(key))
      }
      key = Int(entry.next)
    }
  }

  /// The tape index of the member's value, or -1 when it is absent or null.
  subscript(member: RootMember) -> Int32 { nodes[member.rawValue] }

  /// Whether the member is there and not null.
  func has(_ member: RootMember) -> Bool { nodes[member.rawValue] >= 0 }

  /// The first of the members that is there, or -1.
  func first(_ a: RootMember, _ b: RootMember) -> Int32 { has(a) ? self[a] : self[b] }

  /// The first of the members that is there, or -1.
  func first(_ a: RootMember, _ b: RootMember, _ c: RootMember) -> Int32 {
    has(a) ? self[a] : first(b, c)
  }

  /// Counts the members that are there, not null, and not among `known`. Of repeated members the
  /// last one counts. Complexity: O(members).
  mutating func countOthers(
    than known: UInt32, of tape: borrowing Tape, in tally: inout FieldTally
  ) {
    if present & ~known == 0, unknownKeys.isEmpty { return }
    for member in RootMember.allCases where present & ~known & member.bit != 0 {
      tally.add(tape.bytes(at: Int(self[member]) - 1))
    }
    fold.begin()
    for place in unknownKeys.indices.reversed() {
      let key = Int(unknownKeys[place])
      let name = tape.bytes(at: key)
      let later = fold.add(KeyFold.tag(name), item: key) { tape.bytes(at: $0) == name }
      if later == nil, tape[key + 1].kind != .null { tally.add(name) }
    }
  }
}

extension RootMember {
  /// The bit of the member in a set of members.
  var bit: UInt32 { 1 << UInt32(rawValue) }
}
