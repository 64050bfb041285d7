package import Pipeline

/// The number of an input in ids: 48 bits of the XXH64 of its path, the same everywhere.
package struct InputSourceID: BitwiseCopyable, Hashable, Sendable {
  package static let bits: UInt64 = 48

  /// Below 2^48; 0 for an unknown input.
  package let number: UInt64

  package init(number: UInt64) { self.number = number & (1 << Self.bits - 1) }

  package init(path: String) {
    let bytes = ByteBuffer(text: path)
    self.init(path: bytes.view)
  }

  package init(path: ByteView) { self.init(number: XXH64.hash(path) >> (64 - Self.bits)) }

  package static let unknown = InputSourceID(number: 0)
}
