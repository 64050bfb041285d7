/// The text form of a UUID: 8-4-4-4-12 hexadecimal digits (data-model 5).
package enum UUIDText {
  /// The classification of a text as a UUID: not one, without or with lower-case letters.
  @frozen package enum Shape: UInt8, Sendable {
    case none, uppercase, mixed

    @inlinable package var isUUID: Bool { rawValue != Self.none.rawValue }
    @inlinable package var isMixed: Bool { rawValue == Self.mixed.rawValue }
  }

  package static let length = 36
  /// The positions of the hyphens, as bits.
  private static let hyphens: UInt64 = 1 << 8 | 1 << 13 | 1 << 18 | 1 << 23
  private static let digits: UInt64 = (1 << 36 - 1) ^ hyphens

  package static func shape(_ text: ByteView) -> Shape {
    guard text.count == length else { return .none }
    var (hex, hyphen, lower): (UInt64, UInt64, UInt64) = (0, 0, 0)
    // The last 16 bytes overlap those before.
    look(at: text, from: 0, &hex, &hyphen, &lower)
    look(at: text, from: 16, &hex, &hyphen, &lower)
    look(at: text, from: length - 16, &hex, &hyphen, &lower)
    guard hex == digits, hyphen == hyphens else { return .none }
    return lower == 0 ? .uppercase : .mixed
  }

  @inline(__always) private static func look(
    at text: ByteView, from start: Int, _ hex: inout UInt64, _ hyphens: inout UInt64,
    _ lower: inout UInt64
  ) {
    let some = text.hex16(at: start)
    hex |= UInt64(some.digits) << UInt64(start)
    hyphens |= UInt64(some.hyphens) << UInt64(start)
    lower |= UInt64(some.lower) << UInt64(start)
  }
}
