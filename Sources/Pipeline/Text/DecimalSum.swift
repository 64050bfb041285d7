/// Numbers of JSON added up, with the least and the greatest one. Exact: the sum does not depend on
/// their order.
package struct DecimalSum: Equatable, Sendable {
  /// Decimal digits of a limb.
  private static let width = 9
  private static let base: Int128 = 1_000_000_000

  /// The sum, as multiples of powers of `base` by their exponents.
  private var limbs: [Int: Int128] = [:]
  /// How many numbers there are.
  package private(set) var count = 0
  private var least: Summand?
  private var greatest: Summand?

  package init() {}

  /// The least and the greatest number, as written; nil without numbers.
  package var minimum: String? { least?.text }
  package var maximum: String? { greatest?.text }

  /// Adds the number `text`, so many `times`; false when it is not a number.
  /// Complexity: O(digits), which are at most ``Summand/mostDigits``.
  @discardableResult
  package mutating func add(_ text: ByteView, times: Int) -> Bool {
    guard let number = Summand(text) else { return false }
    count += times
    if least.map({ number < $0 }) ?? true { least = number }
    if greatest.map({ $0 < number }) ?? true { greatest = number }
    let factor = Int128(number.isNegative ? -times : times)
    var exponent = number.exponent
    for digit in number.digits.reversed() {
      let (limb, place) = Self.position(of: exponent)
      let weight = (0..<place).reduce(Int128(1)) { weight, _ in weight * 10 }
      limbs[limb, default: 0] += Int128(digit) * weight * factor
      exponent += 1
    }
    return true
  }

  /// The limb that has the digit with this exponent, and the digit's position in it.
  private static func position(of exponent: Int) -> (limb: Int, place: Int) {
    let place = exponent % width
    return place < 0 ? (exponent / width - 1, place + width) : (exponent / width, place)
  }

  /// The sum, as a number of JSON.
  package var text: String {
    guard let first = limbs.keys.min(), let last = limbs.keys.max() else { return "0" }
    var (sign, carry): (Int128, Int128) = (1, 0)
    var parts: [Int128] = []
    repeat {
      (parts, carry) = ([], 0)
      for limb in first...last {
        let (whole, part) = (sign * limbs[limb, default: 0] + carry)
          .quotientAndRemainder(dividingBy: Self.base)
        carry = part < 0 ? whole - 1 : whole
        parts.append(part < 0 ? part + Self.base : part)
      }
      // A negative sum is turned around once.
      sign = -sign
    } while carry < 0
    let digits = ([carry] + parts.reversed()).map { part in
      let text = "\(part)"
      return String(repeating: "0", count: max(0, Self.width - text.count)) + text
    }.joined()
    return (sign > 0 ? "-" : "")
      + Summand.text(Array(digits.utf8), exponent: first * Self.width)
  }

  package static func == (a: DecimalSum, b: DecimalSum) -> Bool {
    a.text == b.text && a.count == b.count && a.minimum == b.minimum && a.maximum == b.maximum
  }
}

/// A number of JSON by its decimal digits.
private struct Summand: Comparable, Sendable {
  /// Most significant digits; a number with more counts as the nearest double.
  static let mostDigits = 40
  /// Exponents of digits of doubles, and so of all digits.
  private static let exponents = -400...308
  /// Digits of a text without an exponent.
  private static let longestPlain = 40

  let text: String
  let isNegative: Bool
  /// The significant digits; empty for zero. The last one is multiplied by ten to `exponent`.
  let digits: ArraySlice<UInt8>
  let exponent: Int

  /// Nil when `text` is not a number, or too great for a double.
  init?(_ text: ByteView) {
    guard DecimalNumber.isFinite(text), let value = Double(text.text) else { return nil }
    let nearest = ByteBuffer(text: "\(value)")
    self = Summand(exactly: text) ?? Summand(exactly: nearest.view) ?? .zero
  }

  private static let zero = Summand(text: "0", isNegative: false, digits: [], exponent: 0)

  private init(text: String, isNegative: Bool, digits: ArraySlice<UInt8>, exponent: Int) {
    (self.text, self.isNegative, self.digits, self.exponent) = (text, isNegative, digits, exponent)
  }

  /// Nil when it has too many digits.
  private init?(exactly text: ByteView) {
    guard text.count <= 2 * Self.mostDigits, let number = DecimalNumber.Parts(text)
    else { return nil }
    var (digits, rest): ([UInt8], DecimalNumber.Digits) = ([], number.digits)
    while let digit = rest.next() { digits.append(digit) }
    let zeros = digits.reversed().prefix { $0 == 0 }.count
    self.init(
      text: text.text, isNegative: number.isNegative, digits: digits.dropLast(zeros),
      exponent: number.integerDigits - digits.count + zeros)
    guard !self.digits.isEmpty else { return }
    guard self.digits.count <= Self.mostDigits, Self.exponents.contains(self.exponent),
      Self.exponents.contains(first)
    else { return nil }
  }

  /// The exponent of the first digit.
  private var first: Int { exponent + digits.count - 1 }

  static func < (a: Summand, b: Summand) -> Bool {
    let signs = (a.sign, b.sign)
    guard signs.0 == signs.1 else { return signs.0 < signs.1 }
    return signs.0 < 0 ? b.isCloser(than: a) : a.isCloser(than: b)
  }

  static func == (a: Summand, b: Summand) -> Bool { !(a < b) && !(b < a) }

  private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  /// Whether it is closer to zero than `other`, which has the same sign.
  private func isCloser(than other: Summand) -> Bool {
    guard !digits.isEmpty else { return false }
    return first == other.first
      ? digits.lexicographicallyPrecedes(other.digits) : first < other.first
  }

  /// The number with these digits, in ASCII, as JSON: exactly, unless it has very many digits.
  static func text(_ ascii: [UInt8], exponent: Int) -> String {
    let zero = UInt8(ascii: "0")
    let kept = ascii.drop { $0 == zero }
    let zeros = kept.reversed().prefix { $0 == zero }.count
    let digits = String(decoding: kept.dropLast(zeros), as: UTF8.self)
    let exponent = exponent + zeros
    if digits.isEmpty { return "0" }
    let whole = digits.count + exponent
    if digits.count > longestPlain, let value = Double("\(digits)e\(exponent)"), value.isFinite {
      return "\(value)"
    }
    guard whole <= longestPlain, -exponent <= longestPlain else {
      let rest = digits.dropFirst().prefix(longestPlain)
      return "\(digits.prefix(1))\(rest.isEmpty ? "" : ".")\(rest)e\(whole - 1)"
    }
    if exponent >= 0 { return digits + String(repeating: "0", count: exponent) }
    let padded = String(repeating: "0", count: max(0, 1 - whole)) + digits
    return "\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
  }
}
