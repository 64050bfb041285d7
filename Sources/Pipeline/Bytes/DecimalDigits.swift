/// Decimal digits, eight at a time.
@usableFromInline enum DecimalDigits {
  /// `00000000`
  @usableFromInline static var zeros: UInt64 { 0x3030_3030_3030_3030 }

  /// Marks non-digits in a word of digits after exclusive or with ``zeros``: the lowest marked byte
  /// is the first that is not a digit; 0 means eight digits. (Adding 0x76 sets bit 7 of a byte from
  /// 10 on. Carries reach higher bytes only.)
  @inlinable @inline(__always) static func others(in digits: UInt64) -> UInt64 {
    ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
  }

  /// The eight digits of a number below 100,000,000 as a word, the first digit in the lowest byte.
  ///
  /// Divides all parts of the number at once: two of four digits, then four of two, then eight.
  /// The factors are 1/100 and 1/10 as fractions of powers of two, exact for such small numbers.
  @inlinable static func eight(_ number: UInt64) -> UInt64 {
    let fours = (number / 10_000) | (number % 10_000) << 32
    let hundreds = ((fours * 5243) >> 19) & 0x0000_007F_0000_007F
    let twos = hundreds | (fours - hundreds * 100) << 16
    let tens = ((twos * 103) >> 10) & 0x000F_000F_000F_000F
    return zeros | tens | (twos - tens * 10) << 8
  }
}
