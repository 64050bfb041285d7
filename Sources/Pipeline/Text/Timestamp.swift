/// Points in time as text and as milliseconds since 1970-01-01T00:00:00Z (SPEC 3.4).
package enum Timestamp {
  private static let millisecondsPerDay = 86_400_000
  private static let daysPerEra = 146_097

  /// Appends `YYYY-MM-DDTHH:mm:ss.SSSZ`; for the years 1 to 9999.
  package static func append(milliseconds: Int, to buffer: inout ByteBuffer) {
    let before = milliseconds < 0 ? millisecondsPerDay - 1 : 0
    let day = (milliseconds - before) / millisecondsPerDay
    let clock = milliseconds - day * millisecondsPerDay
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - daysPerEra + 1) / daysPerEra
    let dayOfEra = shifted - era * daysPerEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    append(year, width: 4, to: &buffer)
    buffer.append("-")
    append(month, width: 2, to: &buffer)
    buffer.append("-")
    append(dayOfYear - (153 * fromMarch + 2) / 5 + 1, width: 2, to: &buffer)
    buffer.append("T")
    append(clock / 3_600_000, width: 2, to: &buffer)
    buffer.append(":")
    append(clock / 60_000 % 60, width: 2, to: &buffer)
    buffer.append(":")
    append(clock / 1000 % 60, width: 2, to: &buffer)
    buffer.append(".")
    append(clock % 1000, width: 3, to: &buffer)
    buffer.append("Z")
  }

  private static func append(_ value: Int, width: Int, to buffer: inout ByteBuffer) {
    var divisor = 1
    for _ in 1..<width { divisor *= 10 }
    while divisor > 0 {
      buffer.append(UInt8(truncatingIfNeeded: value / divisor % 10) &+ UInt8(ascii: "0"))
      divisor /= 10
    }
  }
}
