import TestSupport
import Testing

@testable import Pipeline

/// The checksum of gzip, PNG and others.
@Suite struct CRC32Tests {
  private func checksum(_ text: String) -> UInt32 {
    withByteView(of: text) { bytes in
      var checksum = CRC32()
      checksum.update(bytes)
      return checksum.value
    }
  }

  @Test func knownChecksums() {
    #expect(CRC32().value == 0)
    #expect(checksum("") == 0)
    #expect(checksum("123456789") == 0xCBF4_3926)
    #expect(checksum("a") == 0xE8B7_BE43)
    #expect(checksum("The quick brown fox jumps over the lazy dog") == 0x414F_A339)
    #expect(checksum("\u{0}\u{0}\u{0}\u{0}") == 0x2144_DF1C)
  }

  @Test func howTheBytesAreCutDoesNotMatter() {
    let text = "app/permission/photo_library/granted, 購入"
    let bytes = Array(text.utf8)
    for cut in bytes.indices {
      var checksum = CRC32()
      withByteView(of: Array(bytes[..<cut])) { checksum.update($0) }
      for byte in bytes[cut...] { checksum.update(byte) }
      #expect(checksum.value == self.checksum(text))
    }
  }
}
