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
    if trimmed.isEmpty || isPlaceholder(trimmed) { return lacksTime(place) }
    if trimmed.count < text.count {
      return Timestamp.parse(trimmed) == nil
        ? time(trimmed, in: place) : "there is white space around the time: remove it"
    }
    if text.count > 2, text[0] == text[text.count - 1], [0x22, 0x27].contains(text[0]) {
      return "there are quotes inside of the text: remove them"
    }
    return number(text, place) ?? words(text) ?? date(text) ?? clock(text)
  }

  /// For an object or array instead of a time.
  static func structure(_ node: Node, of tape: Tape) -> StaticString? {
    guard node.exists else { return nil }
    switch tape[node].kind {
    case .array:
      return "this looks like a list of year, month, day and so on: write it as one text"
    case .object:
      var isDatabase = false
      tape.forEachMember(of: node.index) { key in
        let name = tape.bytes(at: key).text
        isDatabase = isDatabase || ["$date", "_seconds", "seconds"].contains(name)
      }
      return isDatabase
        ? "this looks like the export of a database: write the time itself, not an object" : nil
    default: return nil
    }
  }

  /// Whether the text is what programs write when there is no time.
  private static func isPlaceholder(_ text: ByteView) -> Bool {
    if has(text, "0000-00-00") { return text.starts(with: "0000-00-00") }
    return placeholders.contains { begins(text, $0) && text.count == ByteView($0).count }
  }

  private static let placeholders: [StaticString] = [
    "-", "null", "nil", "none", "nan", "nat", "n/a", "na", "undefined", "invalid date", "unknown",
    "never", "(null)",
  ]

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
    var end = text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+") ? 1 : 0
    let start = end
    func skipDigits() { while end < text.count, Characters.isDigit(text[end]) { end += 1 } }
    skipDigits()
    if end < text.count, [UInt8(ascii: "."), UInt8(ascii: ",")].contains(text[end]) {
      end += 1
      skipDigits()
    }
    guard end > start, Characters.isDigit(text[start]) else { return nil }
    if end + 1 < text.count, text[end] | 0x20 == UInt8(ascii: "e") {
      let mark = end
      end += text[end + 1] == UInt8(ascii: "+") || text[end + 1] == UInt8(ascii: "-") ? 2 : 1
      let digits = end
      skipDigits()
      if end == digits { end = mark }
    }
    return end
  }

  private static func words(_ text: ByteView) -> StaticString? {
    if programs.contains(where: { begins(text, $0) }) {
      return "this looks like a date of a program: write what is in the parentheses"
    }
    if hasHalfOfDay(text) {
      return """
        this looks like a local time with AM or PM: write it with 24 hours and its offset, or \
        in UTC
        """
    }
    if begins(text, "0x") {
      return "this looks like a hexadecimal number: write it in decimal, without quotes"
    }
    let isISO = has(text, "0000-0") || has(text, "0000-W") || has(text, "0000W")
    if !isISO, Characters.isLetter(text[0]) || has(text, "0"), !has(text, "00:0") {
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

  private static let programs: [StaticString] = ["/date(", "date(", "new date(", "isodate("]

  /// Whether a text begins with `start`, in either case.
  private static func begins(_ text: ByteView, _ start: StaticString) -> Bool {
    let start = ByteView(start)
    return text.count >= start.count
      && (0..<start.count).allSatisfy { Characters.lowercased(text[$0]) == start[$0] }
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

  // MARK: The date

  private static func date(_ text: ByteView) -> StaticString? {
    if has(text, "0000-W0") || has(text, "0000W0") {
      return "this looks like a date by its week: write month and day"
    }
    if has(text, "0000-000"), text.count == 8 || !Characters.isDigit(text[8]) {
      return "this looks like a date by its day in the year: write month and day"
    }
    if has(text, "0000-00"), text.count == 7, 1...12 ~= two(text, 5) {
      return "this looks like a month: write the day and the time of day, too"
    }
    if has(text, "00:00") || has(text, "0:00") {
      return "this looks like a time of day without a date: write the date before it"
    }
    if has(text, "0000"), text.count > 4, "/.:_".utf8.contains(text[4]),
      has(text.dropFirst(5), "0")
    {
      return "this looks like another date format: write hyphens between year, month and day"
    }
    if isLocalDate(text) {
      return """
        this looks like a local date with an unknown order of day and month: write \
        year, month, day, and the offset, or UTC
        """
    }
    if has(text, "00000-0") || has(text, "000000-0")
      || "+-".utf8.contains(text[0]) && has(text.dropFirst(1), "0000")
    {
      return "this looks like a year that is not of four digits: write 0001 to 9999"
    }
    return (has(text, "0000-0-0") || has(text, "0000-00-0")) && !has(text, "0000-00-00")
      ? "this looks like another date format: write two digits each for month and day" : nil
  }

  /// Whether the text begins like `2/5/2024`, `02.05.24` or `02-05-2024`.
  private static func isLocalDate(_ text: ByteView) -> Bool {
    var digits = 0
    while digits < min(text.count, 3), Characters.isDigit(text[digits]) { digits += 1 }
    return 1...2 ~= digits && digits < text.count && "/.-".utf8.contains(text[digits])
      && has(text.dropFirst(digits + 1), "0")
  }

  // MARK: The time of day

  private static func clock(_ text: ByteView) -> StaticString? {
    guard has(text, "0000-00-00") else { return nil }
    let rest = text.dropFirst(10)
    if rest.isEmpty || lengthOfZone(rest) == rest.count {
      return "this looks like a date without a time of day: write it, as T00:00:00Z"
    }
    guard rest[0] | 0x20 == UInt8(ascii: "t") || rest[0] == UInt8(ascii: " ") else {
      return "this looks like another time format: write T between date and time of day"
    }
    let clock = rest.dropFirst(1)
    if !clock.isEmpty, clock[0] == UInt8(ascii: " ") {
      return "there are several spaces before the time of day: write T"
    }
    let hasSeconds = clock.count > 5 && clock[5] == UInt8(ascii: ":")
    guard has(clock, hasSeconds ? "00:00:00" : "00:00") else {
      if has(clock, hasSeconds ? "00:00" : "0:00") {
        return "this looks like another time format: write two digits each for hour, minute, second"
      }
      return has(clock, "0000")
        ? "this looks like a time of day without colons: write them"
        : "this looks like another time format: write hours, minutes and seconds, as 09:15:00"
    }
    let end = hasSeconds ? 8 : 5
    if clock.count > end, ".,:".utf8.contains(clock[end]) {
      if !hasSeconds { return "this looks like a fraction of a minute: write the seconds" }
      if clock[end] == UInt8(ascii: ":") {
        return "there is a colon before the fraction of the second: write a point"
      }
    }
    return zone(clock.dropFirst(end)) ?? nonexistent(clock, hasSeconds: hasSeconds)
  }

  /// For a text in the right form.
  private static func nonexistent(_ clock: ByteView, hasSeconds: Bool) -> StaticString {
    if two(clock, 0) == 24 { return "hour 24 does not exist: write 00:00:00 of the next day" }
    if hasSeconds, two(clock, 6) == 60 {
      return "second 60, a leap second, does not exist in Unix time: write 59"
    }
    return "this day, time of day or offset does not exist"
  }

  // MARK: The zone

  /// For the text after the clock of a time; nil if its form is right.
  private static func zone(_ text: ByteView) -> StaticString? {
    var rest = text
    if !rest.isEmpty, rest[0] == UInt8(ascii: ".") || rest[0] == UInt8(ascii: ",") {
      rest = rest.dropFirst(1)
      if rest.isEmpty || !Characters.isDigit(rest[0]) {
        return "there are no digits after the point or comma: remove it"
      }
    }
    while !rest.isEmpty, Characters.isDigit(rest[0]) { rest = rest.dropFirst(1) }
    if !rest.isEmpty, rest[0] == UInt8(ascii: " ") { rest = rest.dropFirst(1) }
    if rest.isEmpty { return nil }
    let isNamed = begins(rest, "utc") || begins(rest, "gmt")
    if isNamed, rest.count > 3, "+-".utf8.contains(rest[3]) {
      return "this looks like an offset after the name of a zone: write only the offset, as +02:00"
    }
    let length = lengthOfZone(rest)
    if length == rest.count { return nil }
    if length > 0, !Characters.isDigit(rest[length]), rest[length] != UInt8(ascii: ":") {
      let behind = Characters.trimmed(rest.dropFirst(length))
      if lengthOfZone(behind) == behind.count {
        return "there are two offsets: remove one"
      }
      return "there is more text after the offset, such as the name of a zone: remove it"
    }
    return offset(rest)
  }

  /// For the text in place of an offset, which it is not.
  private static func offset(_ text: ByteView) -> StaticString? {
    switch text[0] {
    case UInt8(ascii: " "): return "there are several spaces before the offset: remove them"
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      return """
        this looks like another offset format: write sign, hours, colon and minutes, as \
        +02:00
        """
    case _ where Characters.isDigit(text[0]):
      return """
        this looks like an offset without its sign, perhaps a + that was read as a space in a \
        URL: write it
        """
    default: break
    }
    let isName = containsLetter(text) && text.firstIndex(of: UInt8(ascii: " ")) == nil
    return isName
      ? """
      this looks like a local time with the name of a zone: write its offset, as +02:00, or \
      the time in UTC with Z
      """ : "there is more text after the time: remove it"
  }

  /// The length of the zone, in an accepted form, with which the text begins; 0 without one.
  private static func lengthOfZone(_ text: ByteView) -> Int {
    guard !text.isEmpty else { return 0 }
    if text[0] | 0x20 == UInt8(ascii: "z") { return 1 }
    if begins(text, "utc") { return 3 }
    guard text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-") else { return 0 }
    let digits = text.dropFirst(1)
    return has(digits, "00:00") ? 6 : has(digits, "0000") ? 5 : has(digits, "00") ? 3 : 0
  }

  // MARK: Forms

  /// Whether `text` begins with characters in the form of `form`, in which 0 is any digit.
  private static func has(_ text: ByteView, _ form: ByteView) -> Bool {
    guard text.count >= form.count else { return false }
    for index in 0..<form.count {
      let isRight =
        form[index] == UInt8(ascii: "0")
        ? Characters.isDigit(text[index]) : text[index] == form[index]
      if !isRight { return false }
    }
    return true
  }

  /// The number with the two digits at `position`.
  private static func two(_ text: ByteView, _ position: Int) -> Int {
    Int(text[position..<position + 2].text) ?? 0
  }

  /// Whether there are letters enough for the name of a month or of a day of the week.
  private static func containsWord(_ text: ByteView) -> Bool {
    (2..<max(text.count, 2)).contains { end in
      (end - 2...end).allSatisfy { Characters.isLetter(text[$0]) }
    }
  }

  private static func containsLetter(_ text: ByteView) -> Bool {
    (0..<text.count).contains { Characters.isLetter(text[$0]) }
  }
}
