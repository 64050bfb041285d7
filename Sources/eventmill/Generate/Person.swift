import Pipeline

/// A person in synthetic logs. All properties depend on the number only.
struct Person {
  /// Numbers below this are padded with zeros, so that custom ids have the same length.
  private static let paddedBelow = 1_000_000

  private let number: Int
  private let facts: UInt64

  init(number: Int, seed: Int) {
    self.number = number
    facts = LogRandom.mix(LogRandom.mix(UInt64(number) &+ 1) &+ UInt64(seed))
  }

  /// Chooses a person: a quarter of the people, by number, have half of the lines.
  static func choose(of users: Int, seed: Int, _ random: inout LogRandom) -> Person {
    let draw = random.next() >> 32
    return Person(number: Int((((draw &* draw) >> 32) &* UInt64(users)) >> 32), seed: seed)
  }

  /// How a line identifies its person when `progress` 1024ths of all nights are over: by a custom
  /// id, from the device's installation or from elsewhere; by the installation, sooner or later by
  /// both; or always by the installation.
  func identity(at progress: Int, _ random: inout LogRandom) -> Identity {
    switch facts % 100 {
    case 0..<65: random.below(100) < 30 ? .both : .custom
    case 65..<85: progress < Int(facts >> 32) & 1023 ? .installation : .both
    default: .installation
    }
  }

  /// Appends the custom id, without quotes.
  func appendCustomID(to text: inout ByteBuffer) {
    text.append("user-")
    var bound = Person.paddedBelow
    while bound > max(number, 1) {
      text.append(UInt8(ascii: "0"))
      bound /= 10
    }
    text.append(decimal: number)
  }

  /// Appends the installation id, a UUID, without quotes.
  func appendInstallationID(to text: inout ByteBuffer) {
    text.append(uuid: LogRandom.mix(facts &+ 1), LogRandom.mix(facts &+ 2), isUpper: true)
  }
}

/// The ids of a line.
enum Identity { case custom, installation, both }

extension ByteBuffer {
  /// Appends the bits of two words as a UUID.
  mutating func append(uuid high: UInt64, _ low: UInt64, isUpper: Bool) {
    // Version 4, variant 1, as devices make them.
    let first = high & ~0xF000 | 0x4000
    let last = low & ~(0xC000 << 48) | 0x8000 << 48
    let groups = [(first >> 32, 8), (first >> 16, 4), (first, 4), (last >> 48, 4), (last, 12)]
    for (index, (word, digits)) in groups.enumerated() {
      if index > 0 { append(UInt8(ascii: "-")) }
      append(hex: word, digits: digits, isUpper: isUpper)
    }
  }
}
