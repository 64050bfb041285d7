import CSIMD
import TestSupport
import Testing

/// Every vector kernel against its scalar twin, at every alignment.
@Suite struct KernelTests {
  @Test(arguments: [11, 12] as [UInt64]) func vectorsAgreeWithScalars(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let edges: [UInt8] = [
      0, 0x09, 0x0A, 0x0B, 0x0D, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0x8A,
      0x9F, 0xA2, 0xDC, 0xFF, 0x2D, 0x2F, 0x30, 0x39, 0x3A, 0x40, 0x41, 0x46, 0x47, 0x60, 0x61,
      0x66, 0x67,
    ]
    for round in 0..<300 {
      let isSparse = round % 3 == 0
      let bytes: [UInt8] = (0..<160).map { _ in
        if isSparse && Int.random(in: 0..<8, using: &random) > 0 { return 0x61 }
        return Bool.random(using: &random)
          ? edges[Int.random(in: 0..<edges.count, using: &random)]
          : UInt8.random(in: 0...255, using: &random)
      }
      unsafe bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        for alignment in 0..<64 { unsafe Self.expectAgreement(base + alignment) }
      }
    }
  }

  private static func expectAgreement(_ start: UnsafePointer<UInt8>) {
    #expect(unsafe csimd_string_stops16(start) == csimd_string_stops16_scalar(start))
    #expect(unsafe csimd_quotes32(start) == csimd_quotes32_scalar(start))
    #expect(unsafe csimd_count_newlines(start, 64) == csimd_count_newlines_scalar(start, 64))
    for count in [32, 33, 63, 64, 65, 96] {
      let specials = (0..<count).contains { unsafe start[$0] < 0x20 || start[$0] == 0x5C }
      #expect(unsafe csimd_has_specials(start, count) == specials, "\(count) bytes")
    }
    var found = (UInt32(1), UInt32(1)), expected = (UInt32(2), UInt32(2))
    let hex = unsafe csimd_hex16(start, &found.0, &found.1)
    let scalar = unsafe csimd_hex16_scalar(start, &expected.0, &expected.1)
    #expect(hex == scalar && found == expected)
    var parts = (UInt64(1), UInt64(1)), expectedParts = (UInt64(2), UInt64(2))
    let controls = unsafe csimd_string_parts64(start, &parts.0, &parts.1)
    let others = unsafe csimd_string_parts64_scalar(start, &expectedParts.0, &expectedParts.1)
    #expect(controls == others && parts == expectedParts)
  }
}
