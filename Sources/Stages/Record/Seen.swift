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
