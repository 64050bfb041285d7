/// Counts of events per name and day, sorted by the number of the name, then by day; none is 0.
///
/// ```
/// of each pair   distance of its key from the one before, the first from 0: a varint
///                count, zigzag: a varint
/// key            number of the name (32) │ day (16)
/// ```
/// So a name with events on each day takes two or three bytes for a day.
package struct PackedDays: Equatable, Sendable {
  private(set) var bytes: [UInt8] = []
  private var last: UInt64 = 0
  package private(set) var count = 0

  package init() {}

  /// Packs `counts`. Complexity: O(n log n) for n pairs.
  init(_ counts: [EventDay: Int]) {
    for (event, count) in counts.map({ (Self.key($0), $1) }).sorted(by: { $0.0 < $1.0 }) {
      append(event, count)
    }
  }

  /// The sum of two. Complexity: O(pairs of both).
  init(_ one: PackedDays, _ other: PackedDays) {
    guard one.count > 0, other.count > 0 else {
      self = one.count > 0 ? one : other
      return
    }
    bytes.reserveCapacity(one.bytes.count + other.bytes.count)
    var (left, right) = (Cursor(one), Cursor(other))
    while !left.isAtEnd || !right.isAtEnd {
      let key = min(left.key, right.key)
      var count = 0
      if left.key == key {
        count += left.count
        left.advance()
      }
      if right.key == key {
        count += right.count
        right.advance()
      }
      append(key, count)
    }
  }

  private static func key(_ event: EventDay) -> UInt64 {
    UInt64(event.name) << 16 | UInt64(event.day)
  }

  private mutating func append(_ key: UInt64, _ count: Int) {
    if count == 0 { return }
    append(key - last)
    append(UInt64(bitPattern: Int64(count << 1 ^ count >> 63)))
    last = key
    self.count += 1
  }

  private mutating func append(_ number: UInt64) {
    var number = number
    while number >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
      number >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: number))
  }

  fileprivate struct Cursor {
    private static let end = UInt64.max

    private let bytes: [UInt8]
    private var position: Int
    private(set) var key: UInt64
    private(set) var count = 0

    /// At the first pair, or at `start`: the position of a pair, and the key of the one before it.
    init(_ days: PackedDays, at start: (position: Int, key: UInt64) = (0, 0)) {
      bytes = days.bytes
      (position, key) = start
      advance()
    }

    var isAtEnd: Bool { key == Self.end }
    var event: EventDay {
      EventDay(name: UInt32(truncatingIfNeeded: key >> 16), day: UInt16(truncatingIfNeeded: key))
    }
    var next: (position: Int, key: UInt64) { (position, key) }

    mutating func advance() {
      guard position < bytes.count else { return key = Self.end }
      key += number()
      let zigzag = number()
      count = Int(bitPattern: UInt(zigzag >> 1)) ^ -Int(zigzag & 1)
    }

    private mutating func number() -> UInt64 {
      var (number, shift) = (UInt64(0), UInt64(0))
      while true {
        let byte = bytes[position]
        position += 1
        number |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 { return number }
        shift += 7
      }
    }
  }

  /// Calls `body` with all pairs, in order. Complexity: O(pairs).
  package func forEach(_ body: (_ event: EventDay, _ count: Int) -> Void) {
    var cursor = Cursor(self)
    while !cursor.isAtEnd {
      body(cursor.event, cursor.count)
      cursor.advance()
    }
  }
}

extension PackedDays {
  package struct ByName {
    private let days: PackedDays
    /// By number of the name: where its pairs begin.
    private var starts: [(position: Int, key: UInt64)?] = []

    /// Indexes `days`. Complexity: O(pairs + greatest number of a name).
    package init(_ days: PackedDays) {
      self.days = days
      var cursor = Cursor(days)
      var start = (position: 0, key: UInt64(0))
      var name: UInt32?
      while !cursor.isAtEnd {
        if cursor.event.name != name {
          name = cursor.event.name
          starts += repeatElement(nil, count: Int(cursor.event.name) - starts.count)
          starts.append(start)
        }
        start = cursor.next
        cursor.advance()
      }
    }

    /// The days with events of a name, in order; nil if there are none.
    package subscript(name: UInt32) -> DaysOfName? {
      guard Int(name) < starts.count, let start = starts[Int(name)] else { return nil }
      return DaysOfName(name: name, cursor: Cursor(days, at: start))
    }
  }

  package struct DaysOfName: Sequence, IteratorProtocol {
    let name: UInt32
    fileprivate var cursor: Cursor

    package mutating func next() -> CountPairs.Pair? {
      guard !cursor.isAtEnd, cursor.event.name == name else { return nil }
      defer { cursor.advance() }
      return (Int(cursor.event.day), cursor.count)
    }
  }
}
