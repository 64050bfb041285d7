package import Pipeline

/// A fact of the keys of a frame, by which readers know whether they need it: collected while the
/// frame is made, and stored with the frame's index entry (docs/reference/file-formats.md, the
/// index).
protocol FrameFact: ~Copyable {
  /// What its bytes are found by.
  static var number: UInt32 { get }
  /// Begins a key, whose text has the hash `hash`.
  mutating func begin(_ key: ByteView, _ hash: UInt64)
  /// Adds a record of the key.
  mutating func add(_ record: Mutation)
  /// Ends the key.
  mutating func end()
  /// Appends its bytes, none if there is nothing to say, and forgets the keys.
  mutating func take(into bytes: inout ByteBuffer)
}

extension FrameFact where Self: ~Copyable {
  mutating func begin(_ key: ByteView, _ hash: UInt64) {}
  mutating func end() {}
}

/// The facts of a frame, one after the other: number (4), length (4), bytes.
package struct FrameFacts: ~Copyable {
  private var oldestID = OldestID()
  private var persons = PersonMarks()

  package mutating func begin(_ key: ByteView, _ hash: UInt64) { persons.begin(key, hash) }

  @inline(__always)
  package mutating func add(_ record: Mutation) {
    oldestID.add(record)
    persons.add(record)
  }

  package mutating func end() { persons.end() }

  mutating func take(into bytes: inout ByteBuffer) {
    Self.take(&oldestID, into: &bytes)
    Self.take(&persons, into: &bytes)
  }

  private static func take<F: FrameFact & ~Copyable>(_ fact: inout F, into bytes: inout ByteBuffer)
  {
    let start = bytes.count
    bytes.append(word32: F.number)
    bytes.append(word32: 0)
    fact.take(into: &bytes)
    let length = bytes.count - start - 8
    if length > 0 {
      bytes.replace(word32: UInt32(length), at: start + 4)
    } else {
      bytes.truncate(to: start)
    }
  }
}

/// The latest delivery of the event id that was delivered last the longest time ago, in
/// milliseconds since 1970 (8 bytes): when it is too old, the frame loses it.
struct OldestID: FrameFact {
  static let number: UInt32 = 1
  private var oldest: Int?

  @inline(__always)
  mutating func add(_ record: Mutation) {
    if record.isID { oldest = min(oldest ?? .max, record.latestDelivery) }
  }

  mutating func take(into bytes: inout ByteBuffer) {
    if let oldest { bytes.append(word64: UInt64(bitPattern: Int64(oldest))) }
    oldest = nil
  }

  /// Whether the frame of `entry` has ids of events before `time`.
  static func isBefore(_ time: Int, in entry: IndexEntry) -> Bool {
    guard let bytes = entry.fact(number), bytes.count == 8 else { return false }
    return Int(Int64(bitPattern: bytes.word64(at: 0))) < time
  }
}

/// ``KeyHash/mark(_:)`` of people (4 bytes each): of the frame's own, and of those that its
/// installations are linked to.
struct PersonMarks: FrameFact, ~Copyable {
  static let number: UInt32 = 2
  private var marks = ByteBuffer()
  private var last: UInt32?
  private var links = LinksRegister()

  mutating func begin(_ key: ByteView, _ hash: UInt64) {
    if KeySection(of: key) == .custom { mark(hash) }
  }

  @inline(__always)
  mutating func add(_ record: Mutation) {
    if record.kind.isOfLinks { links.add(record, rank: 0) }
  }

  mutating func end() {
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

  mutating func take(into bytes: inout ByteBuffer) {
    bytes.append(marks.view)
    marks.removeAll()
    marks.shrink(to: RetainedCapacity.bytes)
    last = nil
  }

  /// Whether any of `persons` may be among the marks of the frame of `entry`. Complexity: O(marks).
  static func mayHave(_ persons: borrowing DirtyPersonFilter, in entry: IndexEntry) -> Bool {
    guard !persons.isEmpty, let marks = entry.fact(number) else { return false }
    return stride(from: 0, to: marks.count & ~3, by: 4)
      .contains { persons.contains(mark: marks.word32(at: $0)) }
  }
}
