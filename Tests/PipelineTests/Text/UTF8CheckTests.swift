import Pipeline
import TestSupport
import Testing

@Suite struct UTF8CheckTests {
  private static func isRight(_ bytes: [UInt8]) -> Bool {
    withByteView(of: bytes, UTF8Check.isValid) == (String(validating: bytes, as: UTF8.self) != nil)
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
