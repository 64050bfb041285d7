package import Pipeline

/// The days (UTC) on which a key, or several together, had an event (data-model 12.2); the merge is
/// the union, so it is associative, commutative and idempotent. It contains at most the 36,525 days
/// of ``DayNumber/range``.
///
/// ```
/// first day          as its beginning, a time
/// each further one   days from the one before, minus one: a varint (7 bits each, the lowest first)
/// ```
/// Consecutive days are zeros, which compress to almost nothing.
package struct DaySet: Equatable, Sendable {
  /// A bit per day; the first word contains the first day.
  private var words: [UInt64] = []
  /// Index of the first word, counted from day 0.
  private var base = 0
  /// The beginning of the day inserted last: most events are on the same day as the one before.
  private var start = Int.min

  /// No days.
  package init() {}

  package var isEmpty: Bool { words.isEmpty }
  /// Complexity: O(days from the first to the last), as for all iterations.
  package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }
  /// The days, in order.
  package var days: Days { Days(words: words, index: 0, day: base << Self.wordBits) }

  /// Removes all days, and keeps the capacity.
  package mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
    start = .min
  }

  /// Adds the day of `time`, in milliseconds since 1970, unless it is before the day `earliest`.
  @inline(__always)
  package mutating func insert(_ time: Int, from earliest: Int = 0) {
    if UInt(bitPattern: time &- start) >= UInt(DayNumber.milliseconds) {
      insert(day: DayNumber.of(time), from: earliest)
    }
  }

  /// Adds the days of the first event and of the last, as above.
  @inline(__always)
  package mutating func insert(_ seen: Seen, from earliest: Int = 0) {
    if seen.isNever { return }
    insert(seen.first, from: earliest)
    insert(seen.last, from: earliest)
  }

  /// Complexity: O(1), unless the day is far from all others.
  private mutating func insert(day: Int, from earliest: Int) {
    // Events are never outside of the range.
    guard day >= earliest, DayNumber.range.contains(day) else { return }
    start = day * DayNumber.milliseconds
    let index = day >> Self.wordBits - base
    if words.indices.contains(index) {
      words[index] |= Self.bit(of: day)
    } else {
      grow(by: day)
    }
  }

  @inline(never)
  private mutating func grow(by day: Int) {
    if words.isEmpty { base = day >> Self.wordBits }
    let index = day >> Self.wordBits - base
    if index < 0 {
      words.insert(contentsOf: repeatElement(0, count: -index), at: 0)
      base += index
    } else if index >= words.count {
      words.append(contentsOf: repeatElement(0, count: index + 1 - words.count))
    }
    words[max(index, 0)] |= Self.bit(of: day)
  }

  /// Bits of a day's number that are its index in its word.
  private static let wordBits = 6

  private static func bit(of day: Int) -> UInt64 { 1 << UInt64(day & 63) }

  /// Adds the days of `other`.
  package mutating func merge(_ other: DaySet) {
    for day in other.days { insert(day: day, from: 0) }
  }

  /// Removes the day of `time`, in milliseconds since 1970, and all earlier days.
  package mutating func remove(through time: Int) {
    let rest = DayNumber.of(time) + 1 - base << Self.wordBits
    for index in words.indices where index << Self.wordBits < rest {
      let gone = rest - index << Self.wordBits
      words[index] &= gone < UInt64.bitWidth ? ~0 << UInt64(gone) : 0
    }
    trim()
  }

  /// Replaces all days by those of `days` that are not in `others`.
  mutating func set(to days: borrowing DaySet, without others: borrowing DaySet) {
    removeAll()
    words.append(contentsOf: days.words)
    base = days.base
    for index in words.indices {
      let other = base + index - others.base
      if others.words.indices.contains(other) { words[index] &= ~others.words[other] }
    }
    trim()
  }

  /// Removes the words before the first day, and forgets the last inserted day.
  private mutating func trim() {
    let empty = words.firstIndex { $0 != 0 } ?? words.count
    words.removeFirst(empty)
    base += empty
    start = .min
  }

  /// Whether the day of `time` is the only one; false without a time.
  func isOnly(_ time: Int) -> Bool {
    count == 1 && time != .max && first == DayNumber.of(time) * DayNumber.milliseconds
  }

  /// The first day after that of `mark`, in milliseconds since 1970; the minimum without a mark.
  static func earliest(after mark: Int) -> Int { mark == .min ? 0 : DayNumber.of(mark) + 1 }

  package static func == (one: DaySet, other: DaySet) -> Bool {
    one.days.elementsEqual(other.days)
  }

  /// The days of a set, in order.
  package struct Days: Sequence, IteratorProtocol {
    private let words: [UInt64]
    private var index: Int
    /// The first day of the word.
    private var day: Int
    /// The days of the word that are left.
    private var word: UInt64

    fileprivate init(words: [UInt64], index: Int, day: Int) {
      (self.words, self.index, self.day) = (words, index, day)
      word = words.first ?? 0
    }

    package mutating func next() -> Int? {
      while word == 0 {
        index += 1
        guard index < words.count else { return nil }
        word = words[index]
        day += UInt64.bitWidth
      }
      defer { word &= word - 1 }
      return day + word.trailingZeroBitCount
    }
  }
}

// MARK: - As bytes

extension DaySet {
  /// Bits of a varint's byte that belong to the number.
  private static let bits = 7
  /// Set in all bytes of a varint but the last.
  private static let more: UInt8 = 1 << bits

  /// The beginning of the first day, in milliseconds since 1970; the set must not be empty.
  package var first: Int {
    (base << Self.wordBits + words[0].trailingZeroBitCount) * DayNumber.milliseconds
  }

  /// Appends the days after the first one.
  package func appendGaps(to out: inout ByteBuffer) {
    var days = days
    guard var last = days.next() else { return }
    while let day = days.next() {
      var gap = day - last - 1
      while gap >= Int(Self.more) {
        out.append(UInt8(truncatingIfNeeded: gap) | Self.more)
        gap >>= Self.bits
      }
      out.append(UInt8(truncatingIfNeeded: gap))
      last = day
    }
  }

  /// Adds the days encoded as `first` and `gaps`, for which ``isSound(_:_:)`` must be true, from
  /// the day `earliest` on.
  package mutating func insert(_ first: Int, _ gaps: ByteView, from earliest: Int = 0) {
    var day = DayNumber.of(first)
    insert(day: day, from: earliest)
    var position = 0
    while position < gaps.count {
      day += Self.gap(gaps, &position) + 1
      insert(day: day, from: earliest)
    }
  }

  /// Whether `first` and `gaps` encode days within the range.
  package static func isSound(_ first: Int, _ gaps: ByteView) -> Bool {
    guard first >= Rules.earliestTime, first % DayNumber.milliseconds == 0,
      gaps.count == 0 || gaps[gaps.count - 1] < more
    else { return false }
    var day = DayNumber.of(first)
    var position = 0
    while position < gaps.count, DayNumber.range.contains(day) { day += gap(gaps, &position) + 1 }
    return DayNumber.range.contains(day)
  }

  /// The number at `position`, which moves past it. A number that is too long is cut, which puts it
  /// out of range.
  private static func gap(_ bytes: ByteView, _ position: inout Int) -> Int {
    var (value, shift) = (0, 0)
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if shift < 28 { value |= Int(byte & ~more) << shift }
      shift += bits
      if byte < more { break }
    }
    return shift > 28 ? DayNumber.range.upperBound : value
  }
}
