import Pipeline
import TestSupport
import Testing

@Suite struct DecimalNumberTests {
  static func milliseconds(_ text: String, _ unit: DecimalNumber.Unit) -> Int? {
    withByteView(of: text) { DecimalNumber.milliseconds($0, per: unit) }
  }

  private static func far(_ digit: String) -> String { String(repeating: digit, count: 5000) }

  private static let units: [(String, DecimalNumber.Unit)] = [
    ("s", .seconds), ("ms", .milliseconds), ("us", .microseconds), ("ns", .nanoseconds),
  ]

  @Test func isCutDownwards() {
    for row in Vectors.rows("decimals") {
      for (name, unit) in Self.units {
        guard let expected = row[name] else { continue }
        #expect(Self.milliseconds(row["text"]?.text ?? "", unit) == expected.integer, "\(row)")
      }
    }
  }

  /// In milliseconds, and in seconds.
  @Test(arguments: [
    ("0." + far("9"), 0, 999), ("-0." + far("9"), -1, -1000), ("-1." + far("0"), -1, -1000),
    ("-1." + far("0") + "1", -2, -1001), ("1" + far("0") + "e-5000", 1, 1000),
    ("0." + far("0") + "1e5001", 1, 1000),
  ])
  func manyDigitsAreCutDownwards(_ text: String, _ milliseconds: Int, _ seconds: Int) {
    #expect(Self.milliseconds(text, .milliseconds) == milliseconds)
    #expect(Self.milliseconds(text, .seconds) == seconds)
  }

  @Test(arguments: ["", "-", "a", "1.", ".5", "1e", "1e+", "1 ", "0x1", "1.5.5", "--1", "+1"])
  func whatIsNoNumberHasNoValue(_ text: String) {
    withByteView(of: text) { view in
      #expect(DecimalNumber.milliseconds(view, per: .seconds) == nil)
      #expect(!DecimalNumber.fitsInt64(view))
      #expect(!DecimalNumber.isFinite(view))
    }
  }

  @Test(arguments: [
    "0", "-0", "1", "-1", "999999999999999999", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "10000000000000000000", "18446744073709551616",
    "18446744073709551615", "9999999999999999999", "-9999999999999999999",
    "100000000000000000000000000000", "1.0", "1e0", "-0.0",
  ]) func integersFitAsTheStandardLibrarySays(_ text: String) {
    withByteView(of: text) { view in
      #expect(DecimalNumber.fitsInt64(view) == (Int64(text) != nil))
      #expect(DecimalNumber.int64(view) == Int64(text))
    }
  }

  @Test func finiteEndsHalfwayBehindTheGreatestDouble() {
    // 2^1024 - 2^970, where rounding to even first gives infinity.
    let first =
      "17976931348623158079372897140530341507993413271003782693617377898044496829276475"
      + "09466490179775872070963302864166928879109465555478519404026306574886715058206819"
      + "08902000708383676273854845817711531764475730270069855571366959622842914819860834"
      + "936475292719074168444365510704342711559699508093042880177904174497792"
    let last = String(first.dropLast()) + "1"
    for (text, isFinite) in [
      (first + ".0", false), (last + ".0", true),
      (last + "." + String(repeating: "9", count: 900), true),
      (first + ".0001", false), ("-" + first + "e0", false), ("-" + last + "e0", true),
      ("0." + first + "e309", false), ("0." + last + "e309", true), ("1e308", true),
      ("1e309", false), ("0.1e309", true), ("1.7976931348623157e308", true),
      ("1.7976931348623159e308", false),
      ("0e999999999999999999999", true), ("1e-999999999999999999999", true),
      ("1e999999999999999999999", false), ("0.00001e314", false), ("0.00001e313", true),
    ] {
      #expect(withByteView(of: text, DecimalNumber.isFinite) == isFinite, "\(text)")
      #expect(Double(text)?.isFinite == isFinite, "the standard library on \(text)")
    }
  }

  /// Floor by moving the point of the text, as on paper.
  static func onPaper(_ negative: Bool, _ digits: [Int], point: Int) -> Int? {
    let padded = digits + Array(repeating: 0, count: max(0, point - digits.count))
    let whole = point > 0 ? padded[..<point] : []
    let rest = point > 0 ? padded[point...] : padded[...]
    var value = 0
    for digit in whole {
      let (scaled, tooLong) = value.multipliedReportingOverflow(by: 10)
      let (sum, tooGreat) = scaled.addingReportingOverflow(negative ? -digit : digit)
      if tooLong || tooGreat { return nil }
      value = sum
    }
    guard negative && rest.contains(where: { $0 > 0 }) else { return value }
    return value == .min ? nil : value - 1
  }

  /// One in four is digits and nothing else, as times are.
  @Test(arguments: [61, 62] as [UInt64]) func agreesWithPaper(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    for round in 0..<3000 {
      let count = Int.random(in: 1...24, using: &random)
      var digits = (0..<count).map { _ in
        Bool.random(using: &random) ? Int.random(in: 0...9, using: &random) : 0
      }
      let isPlain = round % 4 == 0
      let before = isPlain ? count : Int.random(in: 1...count, using: &random)
      if digits[0] == 0 && before > 1 { digits[0] = 1 }
      let exponent = isPlain ? 0 : Int.random(in: -25...25, using: &random)
      let negative = !isPlain && Bool.random(using: &random)
      let plain = digits.map(String.init).joined()
      var text = (negative ? "-" : "") + plain.prefix(before)
      if before < count { text += "." + plain.dropFirst(before) }
      if exponent != 0 { text += "e\(exponent)" }
      let label: Comment = "seed \(seed), round \(round): \(text)"
      for (unit, point) in [(DecimalNumber.Unit.seconds, 3), (.milliseconds, 0)] {
        let expected = Self.onPaper(negative, digits, point: before + exponent + point)
        #expect(Self.milliseconds(text, unit) == expected, label)
      }
      // One byte that is not a digit, at any position, makes the text invalid.
      var bytes = Array(text.utf8)
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8(ascii: ":")
      let other = String(decoding: bytes, as: UTF8.self)
      #expect(Self.milliseconds(other, .milliseconds) == nil, "\(other)")
    }
  }
}
