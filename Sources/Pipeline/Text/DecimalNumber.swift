/// Numbers as decimal text (data-model 2, 16), exactly. The texts are numbers accepted by
/// ``Scanner``; any other text has no value.
package enum DecimalNumber {
  /// The unit of a number: how far its point moves to the right to give milliseconds.
  package enum Unit: Int, Sendable {
    case seconds = 3, milliseconds = 0, microseconds = -3, nanoseconds = -6
  }

  /// Digits of the greatest Int64.
  private static let longestInt64 = 19
  /// Digits before the point of the greatest finite double.
  private static let greatestDigits = 309

  /// floor(value × `unit`) in milliseconds, for any exponent; nil when it does not fit in Int64.
  package static func milliseconds(_ text: ByteView, per unit: Unit) -> Int? {
    if let usual = usualInteger(text) {
      switch unit {
      case .seconds: return usual &* 1_000
      case .milliseconds: return usual
      case .microseconds: return usual / 1_000
      case .nanoseconds: return usual / 1_000_000
      }
    }
    guard let number = Parts(text) else { return nil }
    if number.isZero { return 0 }
    let whole = number.integerDigits + unit.rawValue
    guard whole <= longestInt64 else { return nil }
    var magnitude: UInt64 = 0
    var digits = number.digits
    for _ in 0..<max(whole, 0) {
      // Below 10^19, so it fits in UInt64.
      magnitude = magnitude * 10 + UInt64(digits.next() ?? 0)
    }
    if number.isNegative && digits.hasMoreThanZeros() { magnitude += 1 }
    return signed(magnitude, isNegative: number.isNegative)
  }

  package static func isNumber(_ text: ByteView) -> Bool { Parts(text) != nil }

  package static func fitsInt64(_ text: ByteView) -> Bool { int64(text) != nil }

  /// The value of an integer literal that fits in Int64.
  package static func int64(_ text: ByteView) -> Int64? {
    guard let number = Parts(text), number.isInteger, number.integerDigits <= longestInt64 else {
      return nil
    }
    var magnitude: UInt64 = 0
    var digits = number.digits
    while let digit = digits.next() { magnitude = magnitude * 10 + UInt64(digit) }
    return signed(magnitude, isNegative: number.isNegative).map(Int64.init)
  }

  /// Whether `text` is a finite double after rounding to the nearest one.
  package static func isFinite(_ text: ByteView) -> Bool {
    guard let number = Parts(text) else { return false }
    if number.isZero || number.integerDigits < greatestDigits { return true }
    return number.integerDigits == greatestDigits && Double(text.text)?.isFinite ?? false
  }

  /// The value of a text of 8 to 15 digits, as times have; nil for any other text.
  private static func usualInteger(_ text: ByteView) -> Int? {
    guard 8...15 ~= text.count else { return nil }
    let first = text.word64(at: 0) ^ DecimalDigits.zeros
    // The digits after the first eight, preceded by zeros.
    let rest = UInt64(truncatingIfNeeded: text.count &- 8)
    let second = (text.word64(at: text.count - 8) ^ DecimalDigits.zeros) & ~(~0 &>> (rest &* 8))
    guard DecimalDigits.others(in: first) == 0, DecimalDigits.others(in: second) == 0 else {
      return nil
    }
    var scale: UInt64 = 1
    for _ in 0..<rest { scale &*= 10 }
    return Int(truncatingIfNeeded: value(ofDigits: first) &* scale &+ value(ofDigits: second))
  }

  /// The first digit is in the lowest byte.
  private static func value(ofDigits digits: UInt64) -> UInt64 {
    let pairs = digits &* 10 &+ digits &>> 8
    let mask: UInt64 = 0x0000_00FF_0000_00FF
    return
      ((pairs & mask) &* 0x000F_4240_0000_0064
      &+ ((pairs &>> 16) & mask) &* 0x0000_2710_0000_0001) &>> 32
  }

  private static func signed(_ magnitude: UInt64, isNegative: Bool) -> Int? {
    if isNegative {
      return magnitude <= Int64.min.magnitude ? Int(truncatingIfNeeded: 0 &- magnitude) : nil
    }
    return Int(exactly: magnitude)
  }

  /// A parsed number: ± 0.d₁d₂d₃… × 10^`integerDigits`, where d₁ is not 0 unless all are.
  struct Parts {
    let isNegative: Bool
    let isInteger: Bool
    /// Number of digits before the point; negative when zeros follow the point.
    let integerDigits: Int
    /// All digits from the first that is not 0.
    let digits: Digits

    var isZero: Bool { !digits.hasMoreThanZeros() }

    /// Greater exponents are clamped to this: no text has so many digits.
    private static let farExponent = 1 << 40

    init?(_ text: ByteView) {
      isNegative = text.starts(with: "-")
      var position = isNegative ? 1 : 0
      let integer = Parts.digitRun(text, &position)
      guard !integer.isEmpty else { return nil }
      var end = integer.upperBound
      if position < text.count && text[position] == UInt8(ascii: ".") {
        position += 1
        let fraction = Parts.digitRun(text, &position)
        guard !fraction.isEmpty else { return nil }
        end = fraction.upperBound
      }
      var exponent = 0
      if position < text.count && text[position] | 0x20 == UInt8(ascii: "e") {
        position += 1
        guard let value = Parts.exponent(text, &position) else { return nil }
        exponent = value
      }
      guard position == text.count else { return nil }
      isInteger = integer.upperBound == text.count
      var digits = Digits(text[integer.lowerBound..<end])
      let zeros = digits.skipZeros()
      self.digits = digits
      integerDigits = integer.count - zeros + exponent
    }

    private static func digitRun(_ text: ByteView, _ position: inout Int) -> Range<Int> {
      let start = position
      while position < text.count && text[position] &- UInt8(ascii: "0") < 10 { position += 1 }
      return start..<position
    }

    /// The exponent at `position`, clamped to ± `farExponent`; nil without digits.
    private static func exponent(_ text: ByteView, _ position: inout Int) -> Int? {
      let sign = position < text.count ? text[position] : 0
      if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { position += 1 }
      let run = digitRun(text, &position)
      guard !run.isEmpty else { return nil }
      var value = 0
      for index in run {
        value = min(value * 10 + Int(text[index] - UInt8(ascii: "0")), farExponent)
      }
      return sign == UInt8(ascii: "-") ? -value : value
    }
  }

  /// The digits of a text, one by one, without the point.
  struct Digits {
    private let text: ByteView
    private var position = 0

    init(_ text: ByteView) { self.text = text }

    mutating func next() -> UInt8? {
      if position < text.count && text[position] == UInt8(ascii: ".") { position += 1 }
      guard position < text.count else { return nil }
      defer { position += 1 }
      return text[position] - UInt8(ascii: "0")
    }

    mutating func skipZeros() -> Int {
      var zeros = 0
      var ahead = self
      while ahead.next() == 0 {
        self = ahead
        zeros += 1
      }
      return zeros
    }

    func hasMoreThanZeros() -> Bool {
      var rest = self
      while let digit = rest.next() { if digit != 0 { return true } }
      return false
    }
  }
}
