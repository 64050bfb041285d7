import Pipeline
import TestSupport
import Testing

@Suite struct UTF8CheckTests {
  /// Whether the check says the same as the standard library.
  private static func isRight(_ bytes: [UInt8]) -> Bool {
    withByteView(of: bytes, UTF8Check.isValid) == (String(validating: bytes, as: UTF8.self) != nil)
  }

  /// Sequences at the edges of their lengths, good and bad, behind and before ASCII.
  @Test(
    arguments: [
      [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
      [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0xFF], [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98],
      [0xC3, 0x28], [0xE2, 0x28, 0xA1], [0xC3, 0xA9, 0xA9],
    ] as [[UInt8]]
      + [
        "\0", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{FFF}", "\u{1000}", "\u{D7FF}",
        "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{3FFFF}", "\u{40000}", "\u{FFFFF}", "\u{100000}",
        "\u{10FFFF}",
      ].map { Array($0.utf8) })
  func edgesBehindAndBeforeASCII(_ bytes: [UInt8]) {
    for padding in 0..<20 {
      let plain = [UInt8](repeating: 0x61, count: padding)
      #expect(Self.isRight(plain + bytes) && Self.isRight(plain + bytes + plain + [0x62]))
    }
  }

  @Test(arguments: [41, 42] as [UInt64]) func agreesWithTheStandardLibrary(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let text = Array("plain ascii, more than sixteen bytes é€😀 and some more: ÿ߿ࠀ퟿\u{10FFFF}!".utf8)
    for round in 0..<5000 {
      let bytes = Mutations.mutate(text, &random)
      #expect(Self.isRight(bytes), "seed \(seed), round \(round): \(bytes)")
    }
  }

  @Test func everyPairOfBytesAfterALead() {
    for lead in UInt8(0x7E)...UInt8.max {
      let wrong = (UInt8.min...UInt8.max).flatMap { second in
        ([[], [0x80], [0xBF, 0x80], [0x80, 0x7F]] as [[UInt8]]).map { [lead, second] + $0 }
      }.filter { !Self.isRight($0) }
      #expect(wrong == [])
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
