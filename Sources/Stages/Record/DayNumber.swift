package import Pipeline

/// Days (UTC) of event times, numbered from 1970-01-01 (data-model 12.2), their weeks and months.
package enum DayNumber {
  package static let milliseconds = 86_400_000
  /// The valid days of event times.
  package static let range = Rules.earliestTime / milliseconds..<Rules.endOfTime / milliseconds
  /// Those, and the day after the last: counts that begin there are never complete.
  package static let starts = range.lowerBound..<range.upperBound + 1
  private static let textLength = 10

  /// The day of a time, in milliseconds since 1970 and not before it.
  @inlinable
  package static func of(_ time: Int) -> Int {
    Int(truncatingIfNeeded: UInt(bitPattern: time) / 86_400_000)
  }

  /// The week of a day, in weeks from that of 1970-01-01: a Thursday, and weeks begin on Mondays.
  package static func week(of day: Int) -> Int { (day + 3) / 7 }
  package static func firstDay(ofWeek week: Int) -> Int { week * 7 - 3 }

  /// The month of a day, in months from January of the year 0.
  package static func month(of day: Int) -> Int {
    let date = Timestamp.date(ofDay: day)
    return date.year * 12 + date.month - 1
  }
  package static func firstDay(ofMonth month: Int) -> Int {
    Timestamp.firstDay(ofMonth: month % 12 + 1, of: month / 12)
  }

  /// The text `YYYY-MM-DD` of a day.
  package static func text(_ day: Int) -> String {
    String(Timestamp.text(day * milliseconds).prefix(textLength))
  }

  /// The week with that number as ISO 8601 writes it, `YYYY-Www`.
  package static func text(week: Int) -> String {
    // A week belongs to the year of its Thursday.
    let (year, number) = Timestamp.sevenths(ofYearTo: week * 7)
    return "\(year)-W\(number < 9 ? "0" : "")\(number + 1)"
  }

  /// The month with that number, `YYYY-MM`.
  package static func text(month: Int) -> String {
    "\(month / 12)-\(month % 12 < 9 ? "0" : "")\(month % 12 + 1)"
  }

  /// The day of `text`; nil when it is not a `YYYY-MM-DD` of a day in ``range``.
  package static func parse(_ text: ByteView) -> Int? {
    guard text.count == textLength else { return nil }
    var time = ByteBuffer(capacity: Timestamp.textLength)
    time.append(text)
    time.append("T00:00:00")
    guard let start = Timestamp.parse(time.view), range.contains(of(start)) else { return nil }
    return of(start)
  }
}
