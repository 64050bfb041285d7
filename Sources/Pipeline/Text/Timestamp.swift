/// Times as text and as milliseconds since 1970-01-01T00:00:00Z (data-model 16), in the proleptic
/// Gregorian calendar, without leap seconds.
package enum Timestamp {
  /// 0001-01-01T00:00:00.000Z, the earliest time with a text.
  package static let earliest = -62_135_596_800_000
  /// 9999-12-31T23:59:59.999Z, the latest time with a text.
  package static let latest = 253_402_300_799_999
  /// The times of the years 0001 to 9999.
  package static let years = earliest...latest
  /// Length of the text that ``append(milliseconds:to:)`` writes.
  package static let textLength = 24
  /// Length of such a text without fraction and zone.
  private static let shortLength = 19

  private static let secondsPerDay = 86_400

  /// The time that `text` denotes, in ``years``. The form: `YYYY-MM-DD`, `T`, `t` or a space, and
  /// `HH:mm`; then optionally `:ss`, with or without a fraction of any length after a point or
  /// comma, which is truncated to milliseconds; then, after at most one space, optionally a zone:
  /// `Z` or `UTC` in either case, `±HH:mm`, `±HHmm` or `±HH`. Without a zone the time is UTC.
  package static func parse(_ text: ByteView) -> Int? {
    if text.count == textLength, let time = parseCanonical(text) { return time }
    return parseAny(text)?.milliseconds
  }

  /// The same, and whether it has a zone.
  @inline(never)
  package static func parseAny(_ text: ByteView) -> (milliseconds: Int, hasZone: Bool)? {
    guard text.count >= 16,
      let date = pairs(text.word64(at: 0), like: dateForm),
      let day = pair(text[8], text[9]),
      text[10] | 0x20 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "),
      let hour = pair(text[11], text[12]), text[13] == UInt8(ascii: ":"),
      let minute = pair(text[14], text[15])
    else { return nil }
    let year = field(date, 0) * 100 + field(date, 2)
    let month = field(date, 5)
    var position = 16
    guard 1...12 ~= month, day >= 1, day <= days(inMonth: month, of: year),
      hour < 24, minute < 60, let second = seconds(of: text, &position), second < 60,
      let fraction = position > 16 ? fraction(of: text, &position) : 0,
      let zone = zoneMinutes(of: text, position)
    else { return nil }
    let seconds =
      dayNumber(year: year, month: month, day: day) * secondsPerDay
      + hour * 3600 + minute * 60 + second - zone * 60
    let milliseconds = seconds * 1000 + fraction
    guard earliest...latest ~= milliseconds else { return nil }
    return (milliseconds, position < text.count)
  }

  /// Reads times; fast if most are on the same day as the previous one.
  package struct Reader {
    /// `YYYY-MM-` and `DDT` of the last day, as written.
    private var date: UInt64 = 0
    private var day: UInt64 = 0
    /// The beginning of that day.
    private var start = 0
    private static let dayBits: UInt64 = 0xFF_FFFF

    package init() {}

    /// As ``Timestamp/parse(_:)``.
    @inline(__always) package mutating func parse(_ text: ByteView) -> Int? {
      guard text.count == textLength || text.count == shortLength else {
        return Timestamp.parse(text)
      }
      if text.word64(at: 0) == date, text.word64(at: 8) & Self.dayBits == day,
        let clock = clock(of: text)
      {
        return start &+ clock
      }
      return learn(text)
    }

    /// The milliseconds since midnight; nil for other forms.
    @inline(__always) private func clock(of text: ByteView) -> Int? {
      guard let clock = pairs(text.word64(at: 11), like: clockForm) else { return nil }
      let (hour, minute, second) = (field(clock, 0), field(clock, 3), field(clock, 6))
      guard hour < 24, minute < 60, second < 60 else { return nil }
      let seconds = (hour &* 60 &+ minute) &* 60 &+ second
      if text.count == shortLength { return seconds &* 1000 }
      let last = text.word64(at: 16)
      guard let end = pairs(last, like: secondForm) else { return nil }
      return seconds &* 1000 &+ field(end, 4) &* 10 &+ Int(last >> 48 & 0xF)
    }

    @inline(never) private mutating func learn(_ text: ByteView) -> Int? {
      guard let time = Timestamp.parse(text) else { return nil }
      // A text of another form may have a zone, and so another beginning of the day.
      if let clock = clock(of: text) {
        (date, day) = (text.word64(at: 0), text.word64(at: 8) & Self.dayBits)
        start = time - clock
      }
      return time
    }
  }

  /// The time of a text of ``textLength`` bytes in exactly the form that is written, without a
  /// loop.
  package static func parseCanonical(_ text: ByteView) -> Int? {
    let last = text.word64(at: 16)
    guard let date = pairs(text.word64(at: 0), like: dateForm),
      let middle = pairs(text.word64(at: 8), like: dayForm), let end = pairs(last, like: secondForm)
    else { return nil }
    let year = field(date, 0) &* 100 &+ field(date, 2)
    let (month, day) = (field(date, 5), field(middle, 0))
    let (hour, minute, second) = (field(middle, 3), field(middle, 6), field(end, 1))
    guard month &- 1 < 12, month > 0, day > 0, day <= 28 || day <= days(inMonth: month, of: year),
      hour < 24, minute < 60, second < 60, year > 0
    else { return nil }
    let clock = (hour &* 60 &+ minute) &* 60 &+ second
    let fraction = field(end, 4) &* 10 &+ Int(last >> 48 & 0xF)
    return (dayNumber(year: year, month: month, day: day) &* secondsPerDay &+ clock) &* 1000
      &+ fraction
  }

  /// Appends `YYYY-MM-DDTHH:mm:ss.SSSZ`. Traps outside ``earliest``...``latest``.
  package static func append(milliseconds: Int, to buffer: inout ByteBuffer) {
    var writer = Writer()
    writer.append(milliseconds: milliseconds, to: &buffer)
  }

  /// Writes times; fast if most are on the same day as the previous one.
  package struct Writer {
    /// The last day, counted from 0001-01-01.
    private var day = UInt32.max
    /// `YYYY-MM-` and `DDT00:00` of that day.
    private var words: (UInt64, UInt64) = (0, 0)

    package init() {}

    /// Appends `YYYY-MM-DDTHH:mm:ss.SSSZ`. Traps outside ``earliest``...``latest``.
    package mutating func append(milliseconds: Int, to buffer: inout ByteBuffer) {
      precondition(earliest...latest ~= milliseconds, "only the years 1 to 9999 have a text")
      // Unsigned from here on, because division by a constant is cheaper then.
      let sinceFirstYear = UInt64(milliseconds - earliest)
      let fraction = UInt32(sinceFirstYear % 1000)
      let seconds = sinceFirstYear / 1000
      let clock = UInt32(seconds % UInt64(secondsPerDay))
      let day = UInt32(seconds / UInt64(secondsPerDay))
      if day != self.day { turn(to: day) }
      buffer.append(word64: words.0)
      buffer.append(word64: words.1 + digits(clock / 3600) << 24 + digits(clock / 60 % 60) << 48)
      buffer.append(
        word64: secondForm + digits(clock % 60) << 8 + UInt64(fraction / 100) << 32
          + digits(fraction % 100) << 40)
    }

    private mutating func turn(to day: UInt32) {
      self.day = day
      let (year, month, dayOfMonth) = date(ofDay: day)
      words.0 = dateForm + digits(year / 100) + digits(year % 100) << 16 + digits(month) << 40
      words.1 = dayForm + digits(dayOfMonth)
    }
  }

  /// The text, for messages. Traps as ``append(milliseconds:to:)``.
  package static func text(_ milliseconds: Int) -> String {
    var buffer = ByteBuffer(capacity: textLength)
    append(milliseconds: milliseconds, to: &buffer)
    return buffer.view.text
  }

  // MARK: Parts of the text

  // Parts of a text as little-endian words, every digit being 0. Exclusive or with such a form
  // turns a text into digits 0...9 and zeros; adding digits to a form makes a text.

  private static let dateForm: UInt64 = 0x2D30_302D_3030_3030  // 0000-00-
  private static let clockForm: UInt64 = 0x3030_3A30_303A_3030  // 00:00:00
  private static let dayForm: UInt64 = 0x3030_3A30_3054_3030  // 00T00:00
  private static let secondForm: UInt64 = 0x5A30_3030_2E30_303A  // :00.000Z

  /// The two digits of a number below 100, the tens first.
  @inline(__always) private static func digits(_ number: UInt32) -> UInt64 {
    UInt64(number / 10) | UInt64(number % 10) << 8
  }

  /// The bytes of `form` that are separators, as 0xFF each.
  private static func separators(of form: UInt64) -> UInt64 {
    // A digit's byte in a form is 0x30, a separator's is not.
    let other = form ^ DecimalDigits.zeros
    let bits = other | other >> 1 | other >> 2 | other >> 3 | other >> 4 | other >> 5 | other >> 6
    return (bits & 0x0101_0101_0101_0101) * 0xFF
  }

  /// Eight bytes of the form `form` as numbers of two digits: byte i of the result is ten times
  /// digit i plus digit i + 1. Nil for another form.
  @inline(__always) private static func pairs(_ word: UInt64, like form: UInt64) -> UInt64? {
    let digits = word ^ form
    guard DecimalDigits.others(in: digits) == 0, digits & separators(of: form) == 0 else {
      return nil
    }
    return digits * 10 + digits >> 8
  }

  private static func field(_ pairs: UInt64, _ index: UInt64) -> Int {
    Int(pairs >> (index * 8) & 0xFF)
  }

  private static func pair(_ tens: UInt8, _ ones: UInt8) -> Int? {
    let (tens, ones) = (tens &- UInt8(ascii: "0"), ones &- UInt8(ascii: "0"))
    return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
  }

  /// The seconds after a colon at `position`, which moves past them; 0 without, nil if invalid.
  private static func seconds(of text: ByteView, _ position: inout Int) -> Int? {
    guard position < text.count, text[position] == UInt8(ascii: ":") else { return 0 }
    guard position + 3 <= text.count else { return nil }
    position += 3
    return pair(text[position - 2], text[position - 1])
  }

  /// The same of a fraction, in milliseconds.
  private static func fraction(of text: ByteView, _ position: inout Int) -> Int? {
    guard position < text.count,
      text[position] == UInt8(ascii: ".") || text[position] == UInt8(ascii: ",")
    else { return 0 }
    position += 1
    let first = position
    var milliseconds = 0
    var scale = 100
    while position < text.count {
      let digit = text[position] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      milliseconds += Int(digit) * scale
      scale /= 10
      position += 1
    }
    return position > first ? milliseconds : nil
  }

  /// Minutes east of UTC of the zone from `position` to the end, 0 without one; nil if invalid.
  private static func zoneMinutes(of text: ByteView, _ position: Int) -> Int? {
    if position == text.count { return 0 }
    let hasSpace = text[position] == UInt8(ascii: " ")
    let zone = text.dropFirst(hasSpace ? position + 1 : position)
    switch zone.count {
    case 1: return zone[0] | 0x20 == UInt8(ascii: "z") ? 0 : nil
    case 3 where zone[0] | 0x20 == UInt8(ascii: "u"):
      let isUTC = zone[1] | 0x20 == UInt8(ascii: "t") && zone[2] | 0x20 == UInt8(ascii: "c")
      return isUTC ? 0 : nil
    case 3, 5: break
    case 6 where zone[3] == UInt8(ascii: ":"): break
    default: return nil
    }
    guard zone[0] == UInt8(ascii: "+") || zone[0] == UInt8(ascii: "-"),
      let hours = pair(zone[1], zone[2]), hours < 24,
      let minutes = zone.count == 3 ? 0 : pair(zone[zone.count - 2], zone[zone.count - 1]),
      minutes < 60
    else { return nil }
    let offset = hours * 60 + minutes
    return zone[0] == UInt8(ascii: "-") ? -offset : offset
  }
}

/// Years are counted from March, so that the leap day is the last of its year; then 153 days of
/// five months repeat, and (153 × month + 2) / 5 is the day of the year on which a month begins.
extension Timestamp {
  /// Days from 0000-03-01 to 0001-01-01.
  private static let firstDay = 306
  /// Days from 0000-03-01 to 1970-01-01.
  private static let epochDay = 719_468
  /// Days in 400 years, the period of the calendar.
  private static let daysPerCycle = 146_097

  private static func days(inMonth month: Int, of year: Int) -> Int {
    if month == 2 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      return isLeap ? 29 : 28
    }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
  }

  /// Days from 1970-01-01 to a date of the years 0 to 9999.
  @inline(__always) private static func dayNumber(year: Int, month: Int, day: Int) -> Int {
    // One cycle later, so that nothing is negative.
    let marchYear = year + 400 - (month < 3 ? 1 : 0)
    let marchMonth = month < 3 ? month + 9 : month - 3
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    return marchYear * 365 + leapDays + dayOfYear - daysPerCycle - epochDay
  }

  /// Of a day counted from 1970-01-01, and not before it.
  package static func date(ofDay day: Int) -> (year: Int, month: Int) {
    let date = date(ofDay: UInt32(day - dayNumber(year: 1, month: 1, day: 1)))
    return (Int(date.year), Int(date.month))
  }

  /// Counted from 1970-01-01.
  package static func firstDay(ofMonth month: Int, of year: Int) -> Int {
    dayNumber(year: year, month: month, day: 1)
  }

  /// The year of a day counted from 1970-01-01, and the whole weeks before it in that year.
  package static func sevenths(ofYearTo day: Int) -> (year: Int, count: Int) {
    let year = date(ofDay: day).year
    return (year, (day - dayNumber(year: year, month: 1, day: 1)) / 7)
  }

  /// Of a day counted from 0001-01-01: the inverse of ``dayNumber(year:month:day:)``.
  private static func date(ofDay day: UInt32) -> (year: UInt32, month: UInt32, day: UInt32) {
    let days = day + UInt32(firstDay)
    let cycle = days / UInt32(daysPerCycle)
    let dayOfCycle = days % UInt32(daysPerCycle)
    // Removes the leap days passed, so that every year is 365 days long.
    let evenDays =
      dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / UInt32(daysPerCycle - 1)
    let yearOfCycle = evenDays / 365
    let dayOfYear = dayOfCycle - (yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = cycle * 400 + yearOfCycle + (month < 3 ? 1 : 0)
    return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }
}
