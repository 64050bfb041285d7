package import Pipeline

/// Facts of the keys of a frame, by which readers know whether they need it: collected while the
/// frame is made, and stored with its index entry (docs/reference/file-formats.md, the index).
///
/// ```
/// number of the fact (4) │ length (4) │ bytes              omitted if there is nothing to say
/// 1: the latest delivery of the event id that was delivered last the longest time ago, in
///    milliseconds since 1970 (8): when it is too old, the frame loses it
/// 2: ``KeyHash/mark(_:)`` of people (4 each): its own, and those its installations are linked to
/// ```
package struct FrameFacts: ~Copyable {
  static let oldestID: UInt32 = 1
  static let persons: UInt32 = 2

  private var oldest: Int?
  private var marks = ByteBuffer()
  private var last: UInt32?
  private var links = LinksRegister()

  package mutating func begin(_ key: ByteView, _ hash: UInt64) {
    if KeySection(of: key) == .custom { mark(hash) }
  }

  @inline(__always)
  package mutating func add(_ record: Mutation) {
    if record.isID { oldest = min(oldest ?? .max, record.latestDelivery) }
    if record.kind.isOfLinks { links.add(record, rank: 0) }
  }

  package mutating func end() {
    if let link = links.current { mark(XXH64.hash(link.target)) }
    if !links.isEmpty { links.removeAll() }
  }

  private mutating func mark(_ person: UInt64) {
    let mark = KeyHash.mark(person)
    // The installations of a person are often consecutive.
    guard mark != last else { return }
    last = mark
    marks.append(word32: mark)
  }

  /// Appends the facts to `bytes`, and forgets the keys.
  mutating func take(into bytes: inout ByteBuffer) {
    if let oldest {
      bytes.append(word64: 8 << 32 | UInt64(Self.oldestID))
      bytes.append(word64: UInt64(bitPattern: Int64(oldest)))
    }
    if !marks.isEmpty {
      bytes.append(word64: UInt64(marks.count) << 32 | UInt64(Self.persons))
      bytes.append(marks.view)
    }
    marks.removeAll()
    marks.shrink(to: RetainedCapacity.bytes)
    (oldest, last) = (nil, nil)
  }
}

extension IndexEntry {
  /// Whether the frame has ids of events before `time`.
  func hasIDs(before time: Int) -> Bool {
    guard let bytes = fact(FrameFacts.oldestID), bytes.count == 8 else { return false }
    return Int(Int64(bitPattern: bytes.word64(at: 0))) < time
  }

  /// Whether any of `persons` may be among those of the frame. Complexity: O(people of the frame).
  func mayHave(_ persons: borrowing DirtyPersonFilter) -> Bool {
    guard !persons.isEmpty, let marks = fact(FrameFacts.persons) else { return false }
    return stride(from: 0, to: marks.count & ~3, by: 4)
      .contains { persons.contains(mark: marks.word32(at: $0)) }
  }

  /// The bytes of the fact with a number; nil without it.
  func fact(_ number: UInt32) -> ByteView? {
    var offset = 0
    while offset + 8 <= facts.count {
      let start = offset + 8
      let end = start + Int(facts.word32(at: offset + 4))
      guard end <= facts.count else { return nil }
      if facts.word32(at: offset) == number { return facts[start..<end] }
      offset = end
    }
    return nil
  }
}
