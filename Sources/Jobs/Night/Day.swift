import Pipeline

/// A day in UTC, by which a night is named.
package struct Day: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01.
  package let number: Int

  private static let milliseconds = 86_400_000

  /// The day of a time of the years 1 to 9999, in milliseconds since 1970.
  package init(of time: Int) {
    number =
      (time - Timestamp.earliest) / Self.milliseconds + Timestamp.earliest / Self.milliseconds
  }

  /// The day of a date; nil when the date is invalid.
  init?(year: Int, month: Int, day: Int) {
    let digits = { (number: Int, count: Int) in
      String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
    }
    let text = ByteBuffer(
      text: "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T00:00:00Z")
    guard let time = Timestamp.parse(text.view) else { return nil }
    self.init(of: time)
  }

  private init(number: Int) { self.number = number }

  /// Its beginning, in milliseconds since 1970.
  package var start: Int { number * Self.milliseconds }

  /// The day `days` days later.
  package func advanced(by days: Int) -> Day { Day(number: number + days) }

  /// `2024-06-01`.
  package var text: String { String(Timestamp.text(start).prefix(10)) }

  /// The number of its week, which begins on Monday.
  var week: Int {
    // 1970-01-01 was a Thursday; one cycle of the calendar later, so that nothing is negative.
    (number + 3 + 7 * 146_097) / 7
  }

  /// Year and month.
  var month: Substring { text.prefix(7) }

  package static func < (one: Day, other: Day) -> Bool { one.number < other.number }
}
