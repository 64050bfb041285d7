/// Random numbers for one line: SplitMix64, from the seed of the logs and the line's number, so
/// that any line can be made without those before it.
struct LogRandom {
  private var state: UInt64

  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  init(seed: Int, line: Int) {
    state =
      LogRandom.mix(UInt64(bitPattern: Int64(seed)) &+ LogRandom.step)
      &+ LogRandom.mix(UInt64(line))
  }

  /// The next 64 random bits.
  mutating func next() -> UInt64 {
    state &+= LogRandom.step
    return LogRandom.mix(state)
  }

  /// A number from 0 up to but not including `bound`, which is below 2^32.
  mutating func below(_ bound: Int) -> Int { Int(((next() >> 32) &* UInt64(bound)) >> 32) }

  /// Scrambles 64 bits; different words stay different.
  static func mix(_ word: UInt64) -> UInt64 {
    var z = word
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
