/// The earliest and the latest time of something, in milliseconds since 1970 (data-model 13.3).
package struct Seen: BitwiseCopyable, Equatable, Sendable {
  package var first: Int
  package var last: Int

  /// Never seen: the neutral element of the merge.
  package static var never: Seen { Seen(first: .max, last: .min) }

  package var isNever: Bool { first > last }

  package mutating func merge(_ time: Int) {
    if time < first { first = time }
    if time > last { last = time }
  }

  package mutating func merge(_ other: Seen) {
    if other.first < first { first = other.first }
    if other.last > last { last = other.last }
  }
}

/// Times of events as plain numbers: milliseconds since 1970, or ``absent``.
package enum EventTime {
  /// The value for an event without a time (dialects 5). Later than every valid time, so that the
  /// id of such an event never expires; the greatest number that the 48 bits for it can hold.
  package static let absent = (1 << 47) - 1
}
