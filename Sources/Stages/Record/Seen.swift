/// The earliest and the latest time of something, in milliseconds since 1970; the merge is
/// minimum and maximum (data-model 13.3).
package struct Seen: BitwiseCopyable, Equatable, Sendable {
  package var first: Int
  package var last: Int

  /// Never seen: the neutral element of the merge.
  package static var never: Seen { Seen(first: .max, last: .min) }

  package init(first: Int, last: Int) {
    self.first = first
    self.last = last
  }

  /// Whether there was anything to see.
  package var isNever: Bool { first > last }

  /// Takes in what happened at `time`.
  package mutating func merge(_ time: Int) {
    if time < first { first = time }
    if time > last { last = time }
  }

  /// Takes in what `other` saw.
  package mutating func merge(_ other: Seen) {
    if other.first < first { first = other.first }
    if other.last > last { last = other.last }
  }
}

/// Times of events where they are plain numbers: milliseconds since 1970, or ``absent``.
package enum EventTime {
  /// Stands for the time of an event that has none (dialects 5): such an event counts and is never
  /// seen.
  ///
  /// Later than every time there is, so that the id of such an event is never too old; and the
  /// greatest number that a record of 48 bits for it can hold.
  package static let absent = (1 << 47) - 1
}
