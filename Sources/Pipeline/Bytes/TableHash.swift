/// A keyed hash of bytes for tables of this process, resistant to forged collisions.
///
/// Must not influence any output; use ``XXH64`` for that. Two words at a time are multiplied, and
/// the halves of the product folded into one.
@usableFromInline package enum TableHash {
  /// Keys that no input can know.
  @frozen @usableFromInline package struct Secret: BitwiseCopyable, Sendable {
    @usableFromInline package let first: UInt64
    @usableFromInline package let second: UInt64
    @usableFromInline package let third: UInt64
  }

  /// The keys of this process. Odd, so that multiplication loses nothing.
  @usableFromInline package static let secret = Secret(
    first: .random(in: 0 ... .max) | 1, second: .random(in: 0 ... .max) | 1,
    third: .random(in: 0 ... .max) | 1)

  @usableFromInline package static func of(_ bytes: ByteView) -> UInt64 { secret.hash(bytes) }

  /// Both halves of the product of two words, folded into one.
  @inlinable @inline(__always) package static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}

extension TableHash.Secret {
  @inline(__always) package func hash(_ bytes: ByteView) -> UInt64 {
    var state = first
    Self.forEachPair(of: bytes) { low, high in
      state = TableHash.fold(low ^ second, high ^ state)
    }
    return TableHash.fold(state ^ UInt64(truncatingIfNeeded: bytes.count), third)
  }

  /// Two independent hashes of `bytes` and `seed`. Complexity: O(`bytes.count`).
  @inline(__always)
  package func twoHashes(_ bytes: ByteView, seed: UInt64) -> (low: UInt64, high: UInt64) {
    var (low, high) = (first ^ seed, third &- seed)
    Self.forEachPair(of: bytes) { one, other in
      low = TableHash.fold(one ^ second, other ^ low)
      high = TableHash.fold(one ^ first, other ^ high)
    }
    let count = UInt64(truncatingIfNeeded: bytes.count)
    return (TableHash.fold(low ^ count, third), TableHash.fold(high ^ count, second))
  }

  /// Calls `mix` with 16 bytes at a time, as two words.
  @inline(__always)
  private static func forEachPair(of bytes: ByteView, _ mix: (UInt64, UInt64) -> Void) {
    let count = bytes.count
    if count >= 8 {
      var position = 0
      while position + 16 < count {
        mix(bytes.word64(at: position), bytes.word64(at: position + 8))
        position += 16
      }
      // The last 16 bytes, which may overlap those before, or the first and last 8.
      mix(bytes.word64(at: max(0, count - 16)), bytes.word64(at: count - 8))
    } else {
      mix(bytes.head64, 0)
    }
  }
}
