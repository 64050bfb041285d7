import Pipeline
import TestSupport
import Testing

@Suite struct XXH64Tests {
  @Test(
    arguments: [
      ("", 0, 0xEF46_DB37_51D8_E999), ("a", 0, 0xD24E_C4F1_A98C_6E5B),
      ("abc", 0, 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0, 0xFBCE_A83C_8A37_8BF1),
      ("xxhash", 20_141_025, 0xB559_B98D_844E_0635),
    ] as [(String, UInt64, UInt64)])
  func knownAnswers(_ text: String, _ seed: UInt64, _ expected: UInt64) {
    withByteView(of: text) { view in
      #expect(XXH64.hash(view, seed: seed) == expected)
      guard seed == 0 else { return }
      var hash = XXH64()
      hash.update(view)
      #expect(hash.digest == expected)
    }
  }

  @Test func cutsDoNotMatter() {
    var random = RepeatableRandom(seed: 31)
    for round in 0..<400 {
      let bytes = (0..<round).map { _ in UInt8.random(in: 0...255, using: &random) }
      withByteView(of: bytes) { view in
        var hash = XXH64()
        var position = 0
        while position < view.count {
          let end = min(view.count, position + Int.random(in: 0...80, using: &random))
          hash.update(view[position..<end])
          position = end
        }
        #expect(hash.digest == XXH64.hash(view), "round \(round)")
        #expect(hash.digest == XXH64.hash(view), "asking changes nothing")
      }
    }
  }
}
