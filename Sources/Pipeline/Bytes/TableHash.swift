/// The hash of bytes for tables of this process, by secret numbers, against forged collisions.
///
/// Nothing that is written may depend on it; for that there is ``XXH64``. Two words at a time are
/// multiplied, and the halves of the product folded into one.
@usableFromInline
package enum TableHash {
  /// Numbers that no input can know.
  @frozen @usableFromInline
  package struct Secret: BitwiseCopyable, Sendable {
    @usableFromInline package let first: UInt64
    @usableFromInline package let second: UInt64
    @usableFromInline package let third: UInt64
  }

  /// Those of this process. Odd, because ``DigestSet`` multiplies by them and must lose nothing.
  @usableFromInline package static let secret = Secret(
    first: .random(in: 0 ... .max) | 1, second: .random(in: 0 ... .max) | 1,
    third: .random(in: 0 ... .max) | 1)

  /// The hash of `bytes`. Complexity: O(`bytes.count`).
  @usableFromInline package static func of(_ bytes: ByteView) -> UInt64 {
    let secret = secret
    let count = bytes.count
    var state = secret.first
    if count >= 8 {
      var position = 0
      while position + 16 < count {
        state = fold(
          bytes.word64(at: position) ^ secret.second, bytes.word64(at: position + 8) ^ state)
        position += 16
      }
      // The last 16 bytes, which may overlap those before; of fewer the first and last 8.
      state = fold(
        bytes.word64(at: max(0, count - 16)) ^ secret.second, bytes.word64(at: count - 8) ^ state)
    } else if count >= 4 {
      let word = UInt64(bytes.word32(at: 0)) << 32 | UInt64(bytes.word32(at: count - 4))
      state = fold(word ^ secret.second, state)
    } else {
      var word: UInt64 = 0
      for index in 0..<count { word = word << 8 | UInt64(bytes[index]) }
      state = fold(word ^ secret.second, state)
    }
    return fold(state ^ UInt64(truncatingIfNeeded: count), secret.third)
  }

  /// Both halves of the product of two words, as one.
  @inlinable @inline(__always)
  package static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
