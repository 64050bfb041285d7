/// Texts that were crafted to have one XXH64. Its steps can be inverted, so one word compensates
/// for a change of another.
package enum EqualHashes {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// `count` texts of 16 bytes with one XXH64 (seed 0) behind `prefix`, of 8 bytes; with `isASCII`
  /// printable ones that JSON need not escape.
  package static func texts(
    _ count: Int, behind prefix: [UInt8] = [], isASCII: Bool = false
  ) -> [[UInt8]] {
    var texts: [[UInt8]] = []
    var start = prime5 &+ UInt64(prefix.count + 16)
    if prefix.count == 8 { start = mixed(start, word(prefix)) }
    let end = mixed(mixed(start, word(Array("AAAAAAAA".utf8))), word(Array("BBBBBBBB".utf8)))
    var number: UInt64 = 0
    while texts.count < count {
      number += 1
      // Eight letters for each number.
      let first = (0..<8).map { UInt8(ascii: "a") + UInt8(number >> (4 * $0) & 15) }
      let second = bytes(repairing(mixed(start, word(first)), to: end))
      if isASCII, !second.allSatisfy({ 0x21..<0x7F ~= $0 && $0 != 0x22 && $0 != 0x5C }) { continue }
      texts.append(first + second)
    }
    return texts
  }

  private static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
    rotated(state ^ rotated(word &* prime2, 31) &* prime1, 27) &* prime1 &+ prime4
  }

  private static func repairing(_ state: UInt64, to end: UInt64) -> UInt64 {
    let before = rotated((end &- prime4) &* inverse(prime1), 64 - 27) ^ state
    return rotated(before &* inverse(prime1), 64 - 31) &* inverse(prime2)
  }

  private static func rotated(_ value: UInt64, _ by: UInt64) -> UInt64 {
    value << by | value >> (64 - by)
  }

  /// The multiplicative inverse of an odd number, by Newton's method.
  private static func inverse(_ odd: UInt64) -> UInt64 {
    var inverse = odd
    for _ in 0..<6 { inverse = inverse &* (2 &- odd &* inverse) }
    return inverse
  }

  private static func word(_ bytes: [UInt8]) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func bytes(_ word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }
}
