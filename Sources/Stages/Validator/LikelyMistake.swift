import Pipeline

/// Descriptions of rejected values: the mistakes of unit and form that programs make when they
/// write logs, each with the correction.
///
/// Nothing is repaired, because a wrong guess would be worse than a reject; the text goes into the
/// message of the reason. Only called for values that are already rejected, so good lines pay
/// nothing.
enum LikelyMistake {
  /// For a value instead of an object, if it is an object or array in quotes.
  static func object(_ node: Node, of tape: Tape) -> StaticString? {
    guard node.exists, tape[node].kind == .string else { return nil }
    let text = tape.bytes(at: node)
    switch Characters.trimmedRange(text).first.map({ text[$0] }) {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      return """
        this looks like JSON that was written as text: write it without the quotes around it, \
        and without escapes
        """
    default: return nil
    }
  }

  /// For a value instead of text, if it is a number or a boolean.
  static func text(_ entry: TapeEntry) -> StaticString? {
    switch entry.kind {
    case .integer, .double: "this is a number: write it in quotes"
    case .true, .false: "this is a boolean: write it in quotes"
    default: nil
    }
  }

  /// For a value instead of an array of texts, if it is one text.
  static func list(_ entry: TapeEntry) -> StaticString? {
    entry.kind == .string
      ? #"this looks like a list in one text: write an array, as ["a","b"]"# : nil
  }

  /// For a time outside of 2000 to 2099, by its number of milliseconds.
  static func range(_ entry: TapeEntry, _ milliseconds: Int) -> StaticString? {
    guard let unit = Unit(ofTime: milliseconds) else { return nil }
    if entry.kind == .string {
      return unit == .seconds
        ? "this looks like seconds that were formatted as milliseconds"
        : nil
    }
    switch unit {
    case .seconds:
      return "the number looks like seconds, milliseconds are expected: multiply it by 1000"
    case .microseconds:
      return "the number looks like microseconds, milliseconds are expected: divide it by 1000"
    case .nanoseconds:
      return "the number looks like nanoseconds, milliseconds are expected: divide it by 1000000"
    }
  }

  /// For a number under `date(…)` that is not a date in seconds.
  static func dateNumber(_ text: ByteView) -> StaticString? {
    guard let number = DecimalNumber.milliseconds(text, per: .milliseconds) else { return nil }
    switch Unit(ofTime: number) {
    case .microseconds:
      return "the number looks like microseconds, seconds are expected: divide it by 1000000"
    case .nanoseconds:
      return "the number looks like nanoseconds, seconds are expected: divide it by 1000000000"
    case .seconds, nil:
      return Timestamp.years.contains(number)
        ? "the number looks like milliseconds, seconds are expected: divide it by 1000" : nil
    }
  }

  /// The likely unit of a number since 1970, other than milliseconds.
  private enum Unit {
    case seconds, microseconds, nanoseconds

    /// The unit in which `number` is a time of the years 2000 to 2099. The ranges do not overlap.
    init?(ofTime number: Int) {
      let (first, end) = (Rules.earliestTime, Rules.endOfTime)
      if first / 1000..<end / 1000 ~= number {
        self = .seconds
      } else if first * 1000..<end * 1000 ~= number {
        self = .microseconds
      } else if first * 1_000_000..<end * 1_000_000 ~= number {
        self = .nanoseconds
      } else {
        return nil
      }
    }
  }
}

// MARK: - Texts of times

extension LikelyMistake {
  /// For a text that is not a time where a time belongs.
  static func time(_ text: ByteView) -> StaticString? {
    if text.isEmpty { return nil }
    if isNumber(text) { return "this looks like a number in quotes: write it without them" }
    if hasHalfOfDay(text) {
      return """
        this looks like a local time with AM or PM: write it with 24 hours and its offset, or \
        in UTC
        """
    }
    if isLocalDate(text) {
      return """
        this looks like a local date with an unknown order of day and month: write \
        year, month, day, and the offset, or UTC
        """
    }
    if Characters.isLetter(text[0]) {
      return "this looks like a date in words: write it in digits, with its offset or in UTC"
    }
    guard has(text, "0000-00-00") else { return nil }
    guard text.count > 10 else {
      return "this looks like a date without a time of day: append T00:00:00Z"
    }
    guard text[10] | 0x20 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " ") else {
      return "this looks like another time format: write T between date and time of day"
    }
    let clock = text.dropFirst(11)
    let hasSeconds = clock.count > 5 && clock[5] == UInt8(ascii: ":")
    guard has(clock, hasSeconds ? "00:00:00" : "00:00") else {
      return has(clock, hasSeconds ? "00:00" : "0:00")
        ? "this looks like another time format: write two digits each for hour, minute, second"
        : nil
    }
    if !hasSeconds, has(clock, "00:00.0") || has(clock, "00:00,0") {
      return "this looks like a fraction of a minute: write the seconds"
    }
    return zone(clock.dropFirst(hasSeconds ? 8 : 5))
  }

  /// For the text after the clock of a time.
  private static func zone(_ text: ByteView) -> StaticString? {
    var rest = text
    if !rest.isEmpty, rest[0] == UInt8(ascii: ".") || rest[0] == UInt8(ascii: ",") {
      rest = rest.dropFirst(1)
    }
    while !rest.isEmpty, Characters.isDigit(rest[0]) { rest = rest.dropFirst(1) }
    if !rest.isEmpty, Characters.isBlank(rest) {
      return "there is a space after the time: remove it"
    }
    if !rest.isEmpty, rest[0] == UInt8(ascii: " ") { rest = rest.dropFirst(1) }
    let offset = rest.dropFirst(min(rest.count, 1))
    let isZone =
      rest.isEmpty || rest.count == 1 && rest[0] | 0x20 == UInt8(ascii: "z")
      || rest.count == 6 && has(offset, "00:00") || rest.count == 5 && has(offset, "0000")
      || rest.count == 3 && has(offset, "00")
    if isZone { return "this day, time of day or offset does not exist" }
    if containsLetter(rest) {
      return """
        this looks like a local time with the name of a zone: write its offset, as +02:00, or \
        the time in UTC with Z
        """
    }
    if rest[0] == UInt8(ascii: "+") || rest[0] == UInt8(ascii: "-") {
      return """
        this looks like another offset format: write sign, hours, colon and minutes, as \
        +02:00
        """
    }
    return nil
  }

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

  private static func isNumber(_ text: ByteView) -> Bool {
    let digits = text[0] == UInt8(ascii: "-") ? text.dropFirst(1) : text
    var points = 0
    for index in 0..<digits.count {
      if digits[index] == UInt8(ascii: ".") {
        points += 1
      } else if !Characters.isDigit(digits[index]) {
        return false
      }
    }
    return points < 2 && digits.count > points
  }

  /// Whether the text ends with `AM` or `PM`.
  private static func hasHalfOfDay(_ text: ByteView) -> Bool {
    guard text.count > 2, Characters.isDigit(text[0]),
      text[text.count - 1] | 0x20 == UInt8(ascii: "m")
    else {
      return false
    }
    let half = text[text.count - 2] | 0x20
    return half == UInt8(ascii: "a") || half == UInt8(ascii: "p")
  }

  /// Whether the text begins like `2/5/2024`, `02.05.24`, `02-05-2024` or `2024/05/02`.
  private static func isLocalDate(_ text: ByteView) -> Bool {
    has(text, "0000/0") || has(text, "0000.0")
      || ["/", ".", "-"].contains { (sign: ByteView) in
        var digits = 0
        while digits < min(text.count, 3), Characters.isDigit(text[digits]) { digits += 1 }
        return 1...2 ~= digits && text.dropFirst(digits).starts(with: sign)
          && has(text.dropFirst(digits + 1), "0")
      }
  }

  private static func containsLetter(_ text: ByteView) -> Bool {
    (0..<text.count).contains { Characters.isLetter(text[$0]) }
  }
}
