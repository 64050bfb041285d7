import Pipeline

/// The id of an event in the merge: 80 bits of its ``Fingerprint``, and the input it came with
/// (data-model 12).
///
/// Ids are equal when these 80 bits are: among n events two different ones collide with a
/// probability of about n² / 2^81, 2^-21 for a billion. Of two deliveries of one event the one from
/// the input with the smaller number counts, so the result does not depend on the order of arrival.
package struct EventID: BitwiseCopyable, Equatable, Sendable {
  /// Bits of the fingerprint in `tail`.
  private static let tailBits: UInt64 = 16

  /// The high word of the fingerprint.
  package let high: UInt64
  /// ``source`` * 2^16 + 16 bits of the low word of the fingerprint.
  package let tail: UInt64

  package init(high: UInt64, tail: UInt64) {
    self.high = high
    self.tail = tail
  }

  /// The id with this fingerprint, of an event in the input `source`.
  package init(_ fingerprint: Fingerprint, source: InputSourceID) {
    high = fingerprint.high
    tail = source.number << Self.tailBits | fingerprint.low & (1 << Self.tailBits - 1)
  }

  /// The input it came with.
  package var source: InputSourceID { InputSourceID(number: tail >> Self.tailBits) }

  /// The part of `tail` that belongs to the fingerprint.
  var lowBits: UInt64 { tail & (1 << Self.tailBits - 1) }

  /// Whether both identify the same event.
  func isSame(as other: EventID) -> Bool { high == other.high && lowBits == other.lowBits }

  /// Ids of one event are consecutive, ordered by their inputs.
  static func < (a: EventID, b: EventID) -> Bool {
    if a.high != b.high { return a.high < b.high }
    return a.lowBits != b.lowBits ? a.lowBits < b.lowBits : a.tail < b.tail
  }

  /// The same id, of the input with the smaller number.
  func merged(with other: EventID) -> EventID { tail < other.tail ? self : other }
}
