package import Pipeline

/// The mistakes of unit and form that programs make when they write logs, each with the correction.
/// Nothing is repaired: a wrong guess would be worse than a reject. Only called for rejected
/// values.
package enum LikelyMistake {
  /// For a value instead of an object, if it is an object or array in quotes.
  static func object(_ node: Node, of tape: Tape) -> StaticString? {
    guard node.exists, tape[node].kind == .string else { return nil }
    let text = Characters.trimmed(tape.bytes(at: node))
    guard text.starts(with: "{") || text.starts(with: "[") else { return nil }
    return """
      this looks like JSON that was written as text: write it without the quotes around it, \
      and without escapes
      """
  }

  /// For a value instead of an id; in quotes it may be a placeholder.
  static func id(
    _ node: Node, _ kind: IDKind, of tape: Tape, _ placeholders: Placeholders
  ) -> StaticString? {
    guard let hint = ExpectedType.id.detail(insteadOf: tape[node]) else { return nil }
    return placeholders.contain(tape.bytes(at: node), as: kind)
      ? "this stands for a missing id: leave the field out" : hint
  }
}

// MARK: - Numbers of times

extension LikelyMistake {
  /// For a time outside of 2000 to 2099, by its number of milliseconds.
  package static func range(_ entry: TapeEntry, _ milliseconds: Int) -> StaticString? {
    if entry.kind == .string { return year(ofTime: milliseconds) }
    if [0, Timestamp.earliest].contains(milliseconds) { return noTime }
    return NumberForm.of(milliseconds)?.asTime ?? compact(milliseconds)
  }

  /// For a number under `date(…)` that is not a date in seconds.
  static func dateNumber(_ text: ByteView) -> StaticString? {
    guard let number = DecimalNumber.milliseconds(text, per: .milliseconds) else { return nil }
    if let form = NumberForm.of(number) { return form.asDate ?? form.asTime }
    return compact(number)
      ?? (Timestamp.years.contains(number)
        ? "the number looks like milliseconds, seconds are expected: divide it by 1000" : nil)
  }

  private static let noTime: StaticString =
    "this value usually means that there is no time: leave the field out"

  /// For a text with a time outside of 2000 to 2099.
  private static func year(ofTime milliseconds: Int) -> StaticString? {
    // Zero in Unix, in .NET and Go, and in spreadsheets: 1970-01-01, 0001-01-01, 1899-12-30.
    if [0, Timestamp.earliest, -2_209_161_600_000].contains(milliseconds) { return noTime }
    if NumberForm.of(milliseconds)?.unit == .seconds {
      return "this looks like seconds that were formatted as milliseconds"
    }
    switch Int(Timestamp.text(milliseconds).prefix(4)) ?? 0 {
    case 2543...2642:
      return "this looks like a year of the Buddhist calendar: subtract 543 from it"
    case 1379...1525:
      return """
        this looks like a year of the Persian or the Islamic calendar: write the date of the \
        Gregorian calendar
        """
    case 89...188:
      return "this looks like a year of the calendar of Taiwan: add 1911 to it"
    default: return nil
    }
  }

  /// For a number whose digits are those of a date.
  package static func compact(_ number: Int) -> StaticString? {
    var (date, digits) = (number, 8)
    for _ in 0..<9 where date > 99_999_999 { (date, digits) = (date / 10, digits + 1) }
    // With the hour, minute, second and milliseconds; with the hour alone it could be seconds.
    guard [8, 12, 14, 17].contains(digits), 1900..<2100 ~= date / 10_000,
      1...12 ~= date / 100 % 100, 1...31 ~= date % 100
    else { return nil }
    return """
      this looks like a date without separators: write it as text, with hyphens and colons, as \
      2024-05-02T09:15:00Z
      """
  }

  /// A way to write times as numbers.
  struct NumberForm {
    /// The unit of a number since 1970, other than milliseconds; nil for other numbers.
    var unit: DecimalNumber.Unit?
    /// The numbers of the years 2000 to 2099, or some of them.
    let range: Range<Int>
    /// The hint for a time, and that for a date if it differs.
    let asTime: StaticString
    var asDate: StaticString?

    /// The form in which `number` is a time; the ranges do not overlap.
    static func of(_ number: Int) -> NumberForm? { all.first { $0.range ~= number } }

    private static let all = [
      NumberForm(
        unit: .seconds, range: Rules.earliestTime / 1000..<Rules.endOfTime / 1000,
        asTime: "the number looks like seconds, milliseconds are expected: multiply it by 1000",
        asDate: "the number looks like seconds"),
      NumberForm(
        unit: .microseconds, range: Rules.earliestTime * 1000..<Rules.endOfTime * 1000,
        asTime: "the number looks like microseconds, milliseconds are expected: divide it by 1000",
        asDate: "the number looks like microseconds, seconds are expected: divide it by 1000000"),
      NumberForm(
        unit: .nanoseconds, range: Rules.earliestTime * 1_000_000..<Rules.endOfTime * 1_000_000,
        asTime:
          "the number looks like nanoseconds, milliseconds are expected: divide it by 1000000",
        asDate: "the number looks like nanoseconds, seconds are expected: divide it by 1000000000"),
      NumberForm(
        range: 10_957..<36_525,
        asTime: "the number looks like days since 1970: multiply it by 86400000 to get milliseconds"
      ),
      NumberForm(
        range: 36_526..<73_051,
        asTime: """
          the number looks like the days since 1900 of a spreadsheet: subtract 25569 and multiply \
          it by 86400000 to get milliseconds since 1970
          """),
      NumberForm(
        range: 220_838_400..<946_684_800,
        asTime: """
          the number looks like seconds since 2001, as in Apple's systems: add 978307200, then \
          multiply it by 1000 to get milliseconds since 1970
          """),
      NumberForm(
        range: 12_591_158_400_000_000..<15_746_918_400_000_000,
        asTime: """
          the number looks like microseconds since 1601, as in Chrome: subtract 11644473600000000, \
          then divide it by 1000 to get milliseconds since 1970
          """),
      NumberForm(
        range: 125_911_584_000_000_000..<157_469_184_000_000_000,
        asTime: """
          the number looks like 100 nanoseconds since 1601, as in Windows: subtract \
          116444736000000000, then divide it by 10000 to get milliseconds since 1970
          """),
      NumberForm(
        range: 630_822_816_000_000_000..<662_380_416_000_000_000,
        asTime: """
          the number looks like ticks of .NET: subtract 621355968000000000, then divide it by \
          10000 to get milliseconds since 1970
          """),
    ]
  }
}
