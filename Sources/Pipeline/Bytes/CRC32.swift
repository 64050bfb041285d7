/// The checksum CRC-32 of IEEE 802.3 (polynomial 0x04C11DB7, reflected), as gzip and PNG have it.
///
/// ```swift
/// var checksum = CRC32()
/// checksum.update(bytes)
/// checksum.value
/// ```
package struct CRC32: BitwiseCopyable, Sendable {
  private static let polynomial: UInt32 = 0xEDB8_8320

  /// The register after each byte, starting from zero.
  private static let table = InlineArray<256, UInt32> { byte in
    var register = UInt32(byte)
    for _ in 0..<8 {
      register = register & 1 == 0 ? register >> 1 : register >> 1 ^ polynomial
    }
    return register
  }

  private var register = UInt32.max

  /// The checksum of no bytes.
  package init() {}

  /// The checksum of everything added so far.
  package var value: UInt32 { ~register }

  /// Adds one byte.
  package mutating func update(_ byte: UInt8) {
    let index = Int(UInt8(truncatingIfNeeded: register) ^ byte)
    register = register >> 8 ^ CRC32.table[index]
  }

  /// Adds `bytes`. Complexity: O(`bytes.count`), a byte at a time: for short texts.
  package mutating func update(_ bytes: ByteView) {
    for index in 0..<bytes.count { update(bytes[index]) }
  }
}
