package import Pipeline

/// Hints for texts that are not times where a time belongs.
extension LikelyMistake {
  /// Where a time is written.
  package enum Place {
    case line, request, option
  }

  /// What a text that is not a time looks like, and how to write it in this place; nil for no idea.
  package static func time(_ text: ByteView, in place: Place = .line) -> StaticString? {
    let trimmed = Characters.trimmed(text)
    if trimmed.isEmpty || has(trimmed, placeholders) || trimmed.starts(with: "0000-00-00") {
      return lacksTime(place)
    }
    if trimmed.count < text.count {
      return Timestamp.parse(trimmed) == nil
        ? time(trimmed, in: place) : "there is white space around the time: remove it"
    }
    if text.count > 2, text[0] == text[text.count - 1], [0x22, 0x27].contains(text[0]) {
      return "there are quotes inside of the text: remove them"
    }
    return number(text, place) ?? words(text) ?? looks(text, dates) ?? clock(text)
  }

  /// For an object or array instead of a time.
  static func structure(_ node: Node, of tape: Tape) -> StaticString? {
    guard node.exists else { return nil }
    switch tape[node].kind {
    case .array:
      return "this looks like a list of year, month, day and so on: write it as one text"
    case .object:
      let names: [ByteView] = ["$date", "_seconds", "seconds"]
      return names.contains { tape.member($0, of: node.index) != nil }
        ? "this looks like the export of a database: write the time itself, not an object" : nil
    default: return nil
    }
  }

  private static let placeholders: StaticString =
    """
    -$|null$|nil$|none$|nan$|nat$|n/a$|na$|undefined$|invalid date$|unknown$|never$|(null)$
    """

  // MARK: Numbers and words

  private static func number(_ text: ByteView, _ place: Place) -> StaticString? {
    guard let end = lengthOfNumber(text) else { return nil }
    guard end == text.count else {
      // Such as 20240502T091500Z.
      let isDate = compact(Int(text[0..<end].text) ?? 0) != nil
      return isDate
        ? "this looks like a date without separators: write hyphens and colons" : nil
    }
    if text.firstIndex(of: UInt8(ascii: ",")) != nil {
      return "this looks like a number with a comma, in quotes: write a point, without quotes"
    }
    guard let value = DecimalNumber.milliseconds(text, per: .milliseconds) else {
      return quoted(place)
    }
    if let form = NumberForm.of(value), form.unit == nil { return form.asTime }
    return compact(value) ?? (value == 0 ? lacksTime(place) : quoted(place))
  }

  private static func lacksTime(_ place: Place) -> StaticString {
    place == .option
      ? "this stands for a missing time: leave the option out"
      : "this stands for a missing time: leave the field out"
  }

  private static func quoted(_ place: Place) -> StaticString {
    switch place {
    case .line:
      """
      this looks like a number in quotes: write it without them, in milliseconds since 1970 for \
      a time, in seconds for date(…)
      """
    case .request:
      "this looks like a number in quotes: write it without them, in milliseconds since 1970"
    case .option: "this is a number: write it as a date"
    }
  }

  /// The length of the number with which the text begins; nil without one.
  private static func lengthOfNumber(_ text: ByteView) -> Int? {
    var rest = text.dropFirst(has(text, "[+-]") ? 1 : 0)
    func skipDigits() { while has(rest, "0") { rest = rest.dropFirst(1) } }
    guard has(rest, "0") else { return nil }
    skipDigits()
    if has(rest, "[.,]") {
      rest = rest.dropFirst(1)
      skipDigits()
    }
    if has(rest, "e0|e[+-]0") {
      rest = rest.dropFirst(2)
      skipDigits()
    }
    return text.count - rest.count
  }

  private static func words(_ text: ByteView) -> StaticString? {
    if has(text, "/date(|date(|new date(|isodate(") {
      return "this looks like a date of a program: write what is in the parentheses"
    }
    if hasHalfOfDay(text) {
      return """
        this looks like a local time with AM or PM: write it with 24 hours and its offset, or \
        in UTC
        """
    }
    if has(text, "[0]x") {
      return "this looks like a hexadecimal number: write it in decimal, without quotes"
    }
    if Characters.isLetter(text[0]) || has(text, "0"), has(text, "!0000-0|0000-W|0000W|00:0") {
      if !(0..<text.count).contains(where: { Characters.isDigit(text[$0]) }) {
        return "this is a word: write the time in digits, as 2024-05-02T09:15:00Z"
      }
      if containsWord(text[0..<min(10, text.count)]) {
        return "this looks like a date in words: write it in digits, with its offset or in UTC"
      }
    }
    guard (0..<text.count).allSatisfy({ 0x20..<0x7F ~= text[$0] }) else {
      return """
        there is a character that does not belong into a time, such as a tab, a long minus sign \
        or a digit of another script: use 0 to 9, -, :, . and +
        """
    }
    return nil
  }

  /// Whether the text ends with `AM` or `PM`.
  private static func hasHalfOfDay(_ text: ByteView) -> Bool {
    guard text.count > 2, Characters.isDigit(text[0]) else { return false }
    // Also `p.m.`.
    var (half, last): (UInt8, UInt8) = (0, 0)
    for index in max(0, text.count - 4)..<text.count where text[index] != UInt8(ascii: ".") {
      (half, last) = (last, text[index] | 0x20)
    }
    return last == UInt8(ascii: "m") && (half == UInt8(ascii: "a") || half == UInt8(ascii: "p"))
  }

  /// Whether three letters follow each other, as in names of months and days of the week.
  private static func containsWord(_ text: ByteView) -> Bool {
    (2..<max(text.count, 2)).contains { end in
      (end - 2...end).allSatisfy { Characters.isLetter(text[$0]) }
    }
  }

  // MARK: The time of day, and the zone

  private static func clock(_ text: ByteView) -> StaticString? {
    guard has(text, "0000-00-00") else { return nil }
    let clock = text.dropFirst(10)
    if lengthOfZone(clock) == clock.count {
      return "this looks like a date without a time of day: write it, as T00:00:00Z"
    }
    return looks(clock, clocks) ?? zone(clock.dropFirst(has(clock, "?00:00:") ? 9 : 6))
      ?? looks(clock, nonexistent)
  }

  /// For the text after the clock of a time; nil if its form is right.
  private static func zone(_ text: ByteView) -> StaticString? {
    if has(text, "[.,]"), !has(text, "[.,]0") {
      return "there are no digits after the point or comma: remove it"
    }
    var rest = text.dropFirst(has(text, "[.,]") ? 1 : 0)
    while has(rest, "0") { rest = rest.dropFirst(1) }
    if has(rest, " ") { rest = rest.dropFirst(1) }
    if has(rest, "utc[+-]|gmt[+-]") {
      return "this looks like an offset after the name of a zone: write only the offset, as +02:00"
    }
    let length = lengthOfZone(rest)
    if length == rest.count { return nil }
    if length > 0, !Characters.isDigit(rest[length]), rest[length] != UInt8(ascii: ":") {
      let behind = Characters.trimmed(rest.dropFirst(length))
      return lengthOfZone(behind) == behind.count
        ? "there are two offsets: remove one"
        : "there is more text after the offset, such as the name of a zone: remove it"
    }
    if let offset = looks(rest, offsets) { return offset }
    let isName =
      rest.firstIndex(of: UInt8(ascii: " ")) == nil
      && (0..<rest.count).contains { Characters.isLetter(rest[$0]) }
    return isName
      ? """
      this looks like a local time with the name of a zone: write its offset, as +02:00, or \
      the time in UTC with Z
      """ : "there is more text after the time: remove it"
  }

  /// The length of the zone, in an accepted form, with which the text begins; 0 without one.
  private static func lengthOfZone(_ text: ByteView) -> Int {
    zones.first { has(text, $0.form) }?.length ?? 0
  }

  private static let zones: [(form: StaticString, length: Int)] = [
    ("z", 1), ("utc", 3), ("[+-]00:00", 6), ("[+-]0000", 5), ("[+-]00", 3),
  ]

  // MARK: Forms

  /// What a text looks like, by its ``has(_:_:)`` form; the first row counts.
  private typealias Looks = KeyValuePairs<StaticString, StaticString>

  private static let dates: Looks = [
    "0000-W0|0000W0": "this looks like a date by its week: write month and day",
    "0000-000!0000-0000": "this looks like a date by its day in the year: write month and day",
    "0000-[0][123456789]$|0000-[1][012]$":
      "this looks like a month: write the day and the time of day, too",
    "00:00|0:00": "this looks like a time of day without a date: write the date before it",
    "0000[/.:_]0":
      "this looks like another date format: write hyphens between year, month and day",
    "0[/.-]0|00[/.-]0":
      """
    this looks like a local date with an unknown order of day and month: write \
    year, month, day, and the offset, or UTC
    """,
    "00000-0|000000-0|[+-]0000":
      "this looks like a year that is not of four digits: write 0001 to 9999",
    "0000-0-0|0000-00-0!0000-00-00":
      "this looks like another date format: write two digits each for month and day",
  ]

  /// Of the text after a date, with the character between them.
  private static let clocks: Looks = [
    "!t| ": "this looks like another time format: write T between date and time of day",
    "? ": "there are several spaces before the time of day: write T",
    "?00:00:|?0:00!?00:00:00|?0:???:":
      "this looks like another time format: write two digits each for hour, minute, second",
    "?0000": "this looks like a time of day without colons: write them",
    "!?00:00":
      "this looks like another time format: write hours, minutes and seconds, as 09:15:00",
    "?00:00[.,]": "this looks like a fraction of a minute: write the seconds",
    "?00:00:00:": "there is a colon before the fraction of the second: write a point",
  ]

  private static let nonexistent: Looks = [
    "?24": "hour 24 does not exist: write 00:00:00 of the next day",
    "?00:00:6[0]": "second 60, a leap second, does not exist in Unix time: write 59",
    "": "this day, time of day or offset does not exist",
  ]

  private static let offsets: Looks = [
    " ": "there are several spaces before the offset: remove them",
    "[+-]":
      "this looks like another offset format: write sign, hours, colon and minutes, as +02:00",
    "0":
      """
    this looks like an offset without its sign, perhaps a + that was read as a space in a \
    URL: write it
    """,
  ]

  private static func looks(_ text: ByteView, _ rows: Looks) -> StaticString? {
    rows.first { has(text, $0.key) }?.value
  }

  /// Whether the text begins in a form of a list with | between, and in none of a list after !. In
  /// a form 0 is any digit, ? any character, a small letter also the capital one, $ the end, and
  /// brackets list the characters that may be there.
  private static func has(_ text: ByteView, _ forms: StaticString) -> Bool {
    let forms = ByteView(forms)
    guard let mark = forms.firstIndex(of: UInt8(ascii: "!")) else { return begins(text, forms) }
    return begins(text, forms[0..<mark]) && !begins(text, forms.dropFirst(mark + 1))
  }

  private static func begins(_ text: ByteView, _ forms: ByteView) -> Bool {
    var (rest, form) = (text, forms)
    while !form.isEmpty, form[0] != UInt8(ascii: "|") {
      let wanted = form[0]
      if wanted == UInt8(ascii: "$"), rest.isEmpty { return true }
      form = form.dropFirst(1)
      var isRight = !rest.isEmpty
      switch wanted {
      case UInt8(ascii: "0"): isRight = isRight && Characters.isDigit(rest[0])
      case UInt8(ascii: "?"): break
      case UInt8(ascii: "$"): isRight = false
      case UInt8(ascii: "["):
        let end = form.firstIndex(of: UInt8(ascii: "]")) ?? form.count
        isRight = isRight && form[0..<end].firstIndex(of: rest[0]) != nil
        form = form.dropFirst(end + 1)
      default:
        isRight = isRight && (rest[0] == wanted || Characters.lowercased(rest[0]) == wanted)
      }
      guard isRight else {
        // The next form of the list.
        let end = form.firstIndex(of: UInt8(ascii: "|"))
        return end.map { begins(text, form.dropFirst($0 + 1)) } ?? false
      }
      rest = rest.dropFirst(1)
    }
    return true
  }
}
