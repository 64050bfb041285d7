import Pipeline

/// Times in the form of a report's page, in UTC.
enum ReportClock {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// `1 Jun 2024`; the time in milliseconds since 1970.
  static func day(_ time: Int) -> String { "\(shortDay(time)) \(Timestamp.text(time).prefix(4))" }

  /// `1 Jun`
  static func shortDay(_ time: Int) -> String {
    let text = Timestamp.text(time)
    let month = Int(text.dropFirst(5).prefix(2)) ?? 1
    let day = Int(text.dropFirst(8).prefix(2)) ?? 1
    return "\(day) \(months[month - 1])"
  }

  /// `05:00`
  static func clock(_ time: Int) -> String {
    String(Timestamp.text(time).dropFirst(11).prefix(5))
  }

  /// `1 Jun 2024 05:00`
  static func minute(_ time: Int) -> String { "\(day(time)) \(clock(time))" }
}
