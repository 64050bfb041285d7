/// Numbers of JSON added up exactly, in any order, with the least and the greatest one.
package struct DecimalSum: Equatable, Sendable {
  /// The sum, as multiples of powers of ten by their exponents.
  private var parts: [Int: Int128] = [:]

  package private(set) var count = 0

  private var least: Summand?, greatest: Summand?

  package init() {}

  /// As written; nil without numbers.
  package var minimum: String? { least?.text }
  package var maximum: String? { greatest?.text }

  /// Adds `text`, so many `times`; false when it is not a number.
  @discardableResult package mutating func add(_ text: ByteView, times: Int) -> Bool {
    guard let number = Summand(text) else { return false }
    count += times
    if least.map({ number < $0 }) ?? true { least = number }
    if greatest.map({ $0 < number }) ?? true { greatest = number }
    let factor = Int128(number.isNegative ? -times : times)
    for (index, digit) in number.digits.reversed().enumerated() {
      parts[number.exponent + index, default: 0] += Int128(digit) * factor
    }
    return true
  }

  package var text: String {
    guard let first = parts.keys.min(), let last = parts.keys.max() else { return "0" }
    var (sign, carry): (Int128, Int128) = (1, 0)
    var digits: [Int128] = []
    repeat {
      (digits, carry) = ([], 0)
      for exponent in first...last {
        let sum = sign * parts[exponent, default: 0] + carry
        digits.append((sum % 10 + 10) % 10)
        carry = (sum - digits[digits.count - 1]) / 10
      }
      // A negative sum is turned around once.
      sign = -sign
    } while carry < 0
    let all = ([carry] + digits.reversed()).map { "\($0)" }.joined()
    return (sign > 0 ? "-" : "") + Summand.text(Array(all.utf8), exponent: first)
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

  private static let zero = Summand(text: "0", isNegative: false, digits: [], exponent: 0)
}

extension Summand {
  /// Nil when `text` is not a number, or too great for a double.
  init?(_ text: ByteView) {
    guard DecimalNumber.isFinite(text), let value = Double(text.text) else { return nil }
    let nearest = ByteBuffer(text: "\(value)")
    self = Summand(exactly: text) ?? Summand(exactly: nearest.view) ?? .zero
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
