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
  /// The days, in order.
  package private(set) var days: [Int] = []
  /// The beginning of the day inserted last: most events are on the same day as the one before.
  private var start = Int.min

  package init() {}
  package var isEmpty: Bool { days.isEmpty }

  package mutating func removeAll() {
    days.removeAll(keepingCapacity: true)
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

  /// Complexity: O(1) behind the last day, else O(days).
  private mutating func insert(day: Int, from earliest: Int) {
    // Events are never outside of the range.
    guard day >= earliest, DayNumber.range.contains(day) else { return }
    start = day * DayNumber.milliseconds
    guard let last = days.last, day <= last else { return days.append(day) }
    let index = days.indices.binarySearch { days[$0] < day }
    if days[index] != day { days.insert(day, at: index) }
  }

  /// Complexity: O(days of both), as of an insertion of several.
  package mutating func merge(_ other: DaySet) {
    let middle = days.count
    days += other.days
    unite(from: middle)
  }

  /// Sorts the days: those before the index `middle` are in order, and so are those from it on.
  private mutating func unite(from middle: Int) {
    guard middle > 0, middle < days.count, days[middle] <= days[middle - 1] else { return }
    var union: [Int] = []
    union.reserveCapacity(days.count)
    var (first, second) = (0, middle)
    while first < middle || second < days.count {
      let isFirst = second == days.count || first < middle && days[first] < days[second]
      let day = days[isFirst ? first : second]
      if isFirst { first += 1 } else { second += 1 }
      if union.last != day { union.append(day) }
    }
    days = union
  }

  /// Removes the day of `time`, in milliseconds since 1970, and all earlier days.
  package mutating func remove(through time: Int) {
    let last = DayNumber.of(time)
    days.removeAll { $0 <= last }
    start = .min
  }

  /// Replaces all days by those of `days` that are not in `others`.
  mutating func set(to days: borrowing DaySet, without others: borrowing DaySet) {
    removeAll()
    var next = 0
    for day in days.days {
      while next < others.days.count, others.days[next] < day { next += 1 }
      if next == others.days.count || others.days[next] != day { self.days.append(day) }
    }
  }

  /// Whether the day of `time` is the only one; false without a time.
  func isOnly(_ time: Int) -> Bool {
    days.count == 1 && time != .max && days[0] == DayNumber.of(time)
  }

  /// The first day after that of `mark`, in milliseconds since 1970; the minimum without a mark.
  static func earliest(after mark: Int) -> Int { mark == .min ? 0 : DayNumber.of(mark) + 1 }
  package static func == (one: DaySet, other: DaySet) -> Bool { one.days == other.days }
}

// MARK: - As bytes

extension DaySet {
  /// Bits of a varint's byte that belong to the number.
  private static let bits = 7
  /// Set in all bytes of a varint but the last.
  private static let more: UInt8 = 1 << bits

  /// The beginning of the first day, in milliseconds since 1970; the set must not be empty.
  package var first: Int { days[0] * DayNumber.milliseconds }

  package func appendGaps(to out: inout ByteBuffer) {
    for (last, day) in zip(days, days.dropFirst()) {
      var gap = day - last - 1
      while gap >= Int(Self.more) {
        out.append(UInt8(truncatingIfNeeded: gap) | Self.more)
        gap >>= Self.bits
      }
      out.append(UInt8(truncatingIfNeeded: gap))
    }
  }

  /// Adds the days encoded as `first` and `gaps`, for which ``isSound(_:_:)`` must be true, from
  /// the day `earliest` on.
  package mutating func insert(_ first: Int, _ gaps: ByteView, from earliest: Int = 0) {
    let middle = days.count
    var day = DayNumber.of(first)
    if day >= earliest { days.append(day) }
    var position = 0
    while position < gaps.count {
      day += Self.gap(gaps, &position) + 1
      if day >= earliest { days.append(day) }
    }
    unite(from: middle)
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
