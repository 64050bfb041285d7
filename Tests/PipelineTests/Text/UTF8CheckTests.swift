import Pipeline
import TestSupport
import Testing

@Suite struct UTF8CheckTests {
  static func isValid(_ bytes: [UInt8]) -> Bool { withByteView(of: bytes, UTF8Check.isValid) }

  @Test(
    arguments: [
      [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
      [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80],
      [0xFF], [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC3, 0x28], [0xE2, 0x28, 0xA1],
      [0xC3, 0xA9, 0xA9],
    ] as [[UInt8]]) func refuses(_ bytes: [UInt8])
  {
    for padding in 0..<20 {
      let plain = [UInt8](repeating: 0x61, count: padding)
      #expect(!Self.isValid(plain + bytes))
      #expect(!Self.isValid(plain + bytes + plain + [0x62]))
    }
  }

  @Test func acceptsEveryScalarAtTheEdges() {
    let edges: [UInt32] = [
      0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x3FFFF, 0x40000,
      0xFFFFF, 0x100000, 0x10FFFF,
    ]
    for scalar in edges.compactMap(Unicode.Scalar.init) {
      for padding in 0..<20 {
        #expect(Self.isValid(Array((String(repeating: "a", count: padding) + "\(scalar)").utf8)))
      }
    }
  }

  @Test(arguments: [41, 42] as [UInt64]) func agreesWithTheStandardLibrary(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let text = Array("plain ascii, more than sixteen bytes é€😀 and some more: ÿ߿ࠀ퟿\u{10FFFF}!".utf8)
    for round in 0..<5000 {
      let bytes = Mutations.mutate(text, &random)
      let expected = String(validating: bytes, as: UTF8.self) != nil
      #expect(Self.isValid(bytes) == expected, "seed \(seed), round \(round): \(bytes)")
    }
  }

  @Test func everyPairOfBytesAfterALead() {
    for lead in UInt8(0x7E)...UInt8.max {
      for second in stride(from: UInt8(0), through: 255, by: 1) {
        for rest in [[], [0x80], [0xBF, 0x80], [0x80, 0x7F]] as [[UInt8]] {
          let bytes = [lead, second] + rest
          let expected = String(validating: bytes, as: UTF8.self) != nil
          #expect(Self.isValid(bytes) == expected, "\(bytes)")
        }
      }
    }
  }

  @Test func tellsASCII() {
    for count in 0..<40 {
      var bytes = [UInt8](repeating: 0x7F, count: count)
      #expect(withByteView(of: bytes, UTF8Check.isASCII))
      for position in 0..<count {
        bytes[position] = 0x80
        #expect(!withByteView(of: bytes, UTF8Check.isASCII))
        bytes[position] = 0x7F
      }
    }
  }
}
