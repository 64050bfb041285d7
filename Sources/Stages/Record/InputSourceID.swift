package import Pipeline

/// An input as ids remember it: 48 bits of the XXH64 of its path, so that every night, machine and
/// order gives it the same number.
package struct InputSourceID: BitwiseCopyable, Hashable, Sendable {
  /// Bits of a number.
  package static let bits: UInt64 = 48

  /// Below 2^48; 0 for an input that is not known.
  package let number: UInt64

  package init(number: UInt64) { self.number = number & (1 << Self.bits - 1) }

  /// The input with this path.
  package init(path: String) {
    let bytes = ByteBuffer(text: path)
    self.init(path: bytes.view)
  }

  /// The input with the path of these bytes.
  package init(path: ByteView) { self.init(number: XXH64.hash(path) >> (64 - Self.bits)) }

  /// An input that nobody remembers: states of earlier versions do not tell.
  package static let unknown = InputSourceID(number: 0)
}
