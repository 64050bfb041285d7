package import Pipeline
import Stages

/// The words for true and false in environment variables of options without a value.
package enum Switch {
  /// Whether `text` means true or false; nil for any other text.
  package static func isOn(_ text: String?) -> Bool? {
    switch text?.lowercased() {
    case "1", "true", "yes", "on": true
    case "0", "false", "no", "off": false
    default: nil
    }
  }
}

/// The value of an option as written, and its source.
package struct RawValue: Equatable, Sendable {
  /// `--jobs` or `EVENTMILL_JOBS`, for messages.
  package let source: String
  /// Nil for an option without a value.
  package let text: String?
  /// Further words, of an option that takes a list.
  package var more: [String] = []

  package init(source: String, text: String?, more: [String] = []) {
    (self.source, self.text, self.more) = (source, text, more)
  }
}

/// The values of options, read and checked one by one.
///
/// Every function returns nil for an option that was not given, and fails with the option's name,
/// its value, what is allowed and an example.
package struct OptionValues: Sendable {
  private var values: [Option: RawValue]

  package init(_ values: [Option: RawValue] = [:]) { self.values = values }

  /// Makes the paths of files and directories absolute, which are relative to `directory`.
  package mutating func makePathsAbsolute(in directory: String) {
    if let value = values[.mapping], let text = value.text {
      let names = text.split(separator: ",").map { name in
        name.hasPrefix("/") || MappingFiles.isBuiltIn(String(name))
          ? "\(name)" : "\(directory)/\(name)"
      }
      values[.mapping] = RawValue(source: value.source, text: names.joined(separator: ","))
    }
    for (option, value) in values {
      guard ["DIR", "FILE"].contains(option.facts.value), let text = value.text, !text.isEmpty,
        text.utf8.first != UInt8(ascii: "/")
      else { continue }
      values[option] = RawValue(source: value.source, text: "\(directory)/\(text)")
    }
  }

  /// Whether the option itself was given, and not only its environment variable, which may be meant
  /// for other commands.
  package func isOnCommandLine(_ option: Option) -> Bool {
    values[option]?.source.hasPrefix("--") ?? false
  }

  /// Whether the option or its variable was given.
  package func isGiven(_ option: Option) -> Bool { values[option] != nil }

  /// Whether an option without a value was given.
  package func isOn(_ option: Option) throws(Failure) -> Bool {
    guard let value = values[option] else { return false }
    guard let text = value.text else { return true }
    guard let isOn = Switch.isOn(text) else {
      throw bad(value, allowed: "it must be 1 or 0, true or false", example: "1")
    }
    return isOn
  }

  /// Text that is not empty.
  package func text(_ option: Option) throws(Failure) -> String? {
    guard let (value, text) = given(option) else { return nil }
    guard !text.isEmpty else { throw bad(value, allowed: "it must not be empty", example: nil) }
    return text
  }

  /// The words of an option that takes a list on the command line.
  func list(_ option: Option) throws(Failure) -> [String]? {
    guard isOnCommandLine(option), let first = try text(option) else { return nil }
    return [first] + (values[option]?.more ?? [])
  }

  /// A whole number in `range`.
  package func number(
    _ option: Option, in range: ClosedRange<Int>, example: Int
  ) throws(Failure) -> Int? {
    guard let (value, text) = given(option) else { return nil }
    guard let number = OptionValues.wholeNumber(text), range.contains(number) else {
      let bounds =
        range.upperBound == Int.max
        ? "of \(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
      throw bad(value, allowed: "it must be a whole number \(bounds)", example: "\(example)")
    }
    return number
  }

  /// A number in `range`, optionally in thousands or millions, `90K` or `1M`.
  package func quantity(
    _ option: Option, in range: ClosedRange<Int>, example: String
  ) throws(Failure) -> Int? {
    guard let (value, text) = given(option) else { return nil }
    let factor =
      switch text.last {
      case "k", "K": 1000
      case "m", "M": 1_000_000
      default: 1
      }
    let digits = factor == 1 ? text : String(text.dropLast())
    if let number = OptionValues.wholeNumber(digits) {
      let (product, overflow) = number.multipliedReportingOverflow(by: factor)
      if !overflow, range.contains(product) { return product }
    }
    throw bad(
      value,
      allowed: "it must be a whole number from \(range.lowerBound) to \(range.upperBound)",
      example: example)
  }

  /// Bytes in `range`: digits, then an optional unit (`K`, `KiB` = 1024, `KB` = 1000, and so on).
  func size(_ option: Option, in range: ClosedRange<Int>) throws(Failure) -> Int? {
    guard let (value, text) = given(option) else { return nil }
    let example = ByteSize.text(min(range.upperBound, 512 << 20))
    guard let size = ByteSize.parse(text) else {
      throw bad(
        value, allowed: "it must be a number of bytes, or one with a unit such as K, M, G or MiB",
        example: example)
    }
    guard range.contains(size) else {
      throw bad(
        value,
        allowed: "it must be from \(ByteSize.text(range.lowerBound)) to "
          + ByteSize.text(range.upperBound),
        example: example)
    }
    return size
  }

  /// One of the words of an enumeration.
  package func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ option: Option
  ) throws(Failure) -> Choice? {
    try word(option, among: Choice.allCases.map(\.rawValue)).flatMap { Choice(rawValue: $0) }
  }

  /// A dialect, built in or described by a mapping; `auto` is none.
  func dialect(_ option: Option) throws(Failure) -> Dialect?? {
    try word(option, among: ["auto"] + Dialect.known.map(\.name)).map { Dialect(recorded: $0) }
  }

  /// One of `words`.
  package func word(_ option: Option, among words: [String]) throws(Failure) -> String? {
    guard let (value, text) = given(option) else { return nil }
    guard words.contains(text) else {
      let allowed = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
      throw bad(
        value, allowed: "it must be \(allowed)",
        example: NearestName.of(text.lowercased(), among: words) ?? words.first)
    }
    return text
  }

  /// A time as in logs, or a date, which means its start in UTC; in milliseconds, within `range`,
  /// which `bounds` describes.
  func time(
    _ option: Option, in range: ClosedRange<Int>, bounds: String
  ) throws(Failure) -> Int? {
    guard let (value, text) = given(option) else { return nil }
    guard let time = OptionValues.parseTime(text) else {
      // What is empty, or has white space around it, has no other fault that could be named.
      let bytes = OptionValues.timeText(text)
      let digits = ByteBuffer(text: text)
      let isWhole = !text.isEmpty && !OptionValues.hasBlanks(text)
      let likely =
        DecimalNumber.milliseconds(digits.view, per: .milliseconds).map {
          LikelyMistake.compact($0) ?? "this is a number: write it as a date"
        } ?? LikelyMistake.time(bytes.view, in: .option)
      let hint = isWhole ? likely.map { "; \($0)" } ?? "" : ""
      throw bad(
        value, allowed: "it must be a date or a time, in UTC unless it ends with a zone\(hint)",
        example: "2024-06-01 or 2024-06-01T00:00:00Z")
    }
    guard range.contains(time) else {
      throw bad(value, allowed: "it must be in \(bounds)", example: "2024-06-01T00:00:00Z")
    }
    return time
  }

  /// A date, as the milliseconds of its beginning in UTC, within the valid times of logs.
  package func date(_ option: Option) throws(Failure) -> Int? {
    guard let (value, text) = given(option) else { return nil }
    guard text.utf8.count == 10, let time = OptionValues.parseTime(text) else {
      throw bad(value, allowed: "it must be a date", example: "2024-06-01")
    }
    return time
  }

  /// A share in percent, `3%` or `0.5%`; the sign is optional.
  package func percent(_ option: Option) throws(Failure) -> Double? {
    guard let (value, text) = given(option) else { return nil }
    guard let share = OptionValues.percent(text.hasSuffix("%") ? text : text + "%") else {
      throw bad(value, allowed: "it must be a share from 0% to 100%", example: "2%")
    }
    return share
  }

  /// A number of lines, or a share of them.
  func rejectLimit(_ option: Option) throws(Failure) -> RejectLimit? {
    guard let (value, text) = given(option) else { return nil }
    if let share = OptionValues.percent(text) { return .percent(share) }
    if let lines = OptionValues.wholeNumber(text) { return .lines(lines) }
    throw bad(
      value, allowed: "it must be a number of lines, or a share from 0% to 100%",
      example: "100 or 0.5%")
  }

  /// The fields that identify the owner of a foreign record.
  func identityKeys(_ option: Option) throws(Failure) -> IdentityKeys? {
    guard let text = try text(option) else { return nil }
    guard let keys = IdentityKeys(text) else {
      throw bad(
        option,
        allowed: "it must be custom:NAME,… and installation:NAME,…, with a semicolon between them, "
          + "at most \(IdentityKeys.most) names each, no two of which are equal except for case, "
          + "blanks, - and _",
        example: "\"custom:memberId,uid;installation:deviceId\"")
    }
    return keys
  }

  /// The paths of nights.
  package func pattern(_ option: Option) throws(Failure) -> NightPattern? {
    guard let text = try text(option) else { return nil }
    do throws(NightPattern.Problem) {
      return try NightPattern(text)
    } catch {
      throw bad(option, allowed: "it \(error.text)", example: "'logs/%Y-%m-%d'")
    }
  }

  /// The name of an attempt.
  func attempt(_ option: Option) throws(Failure) -> String? {
    guard let text = try text(option) else { return nil }
    guard OutputPath.isAttempt(text) else {
      throw bad(option, allowed: "it must be 1 to 64 letters, digits, - and _", example: "2")
    }
    return text
  }

  /// Kinds of findings, separated by commas; `all` for each of them.
  func findings(_ option: Option) throws(Failure) -> Set<TrackingFindings.Kind>? {
    guard let text = try text(option) else { return nil }
    var kinds: Set<TrackingFindings.Kind> = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      if word == "all" {
        kinds.formUnion(TrackingFindings.Kind.allCases)
      } else if let kind = TrackingFindings.Kind(rawValue: String(word)) {
        kinds.insert(kind)
      } else {
        let all = TrackingFindings.Kind.allCases.map(\.rawValue)
        throw bad(
          option, allowed: "it must be all, or some of \(all.joined(separator: ","))",
          example: NearestName.of(String(word), among: all + ["all"]) ?? "new-event,wrong-type")
      }
    }
    return kinds
  }

  /// The criterion by which events are counted.
  func grouping(_ option: Option) throws(Failure) -> EventGrouping? {
    guard let text = try text(option) else { return nil }
    guard let grouping = EventGrouping(text) else {
      throw bad(
        option,
        allowed: "it must be \(EventGrouping.words), where KEY is an attribute key or $label",
        example: "day")
    }
    return grouping
  }

  /// The mappings in files, or built-in ones by name, separated by commas.
  func mappings(_ option: Option) throws(Failure) -> Mappings? {
    guard let text = try text(option) else { return nil }
    return try MappingFiles.load(text.split(separator: ",").map(String.init))
  }

  /// The placeholders for missing ids: the words in a file beside the built-in ones, or `none`.
  func placeholders(_ option: Option) throws(Failure) -> Placeholders? {
    guard let text = try text(option) else { return nil }
    return text == "none" ? .fewest : try PlaceholderFile.load(text)
  }

  /// The failure of an option with an invalid value.
  package func bad(_ option: Option, allowed: String, example: String?) -> Failure {
    bad(
      values[option] ?? RawValue(source: option.flag, text: nil), allowed: allowed, example: example
    )
  }
}

// MARK: - Parts

extension OptionValues {
  private func given(_ option: Option) -> (RawValue, String)? {
    values[option].flatMap { value in value.text.map { (value, $0) } }
  }

  private func bad(_ value: RawValue, allowed: String, example: String?) -> Failure {
    let isVariable = !value.source.hasPrefix("--")
    let text = value.text ?? ""
    let hint = OptionValues.hasBlanks(text) ? "; there is white space around it: remove it" : ""
    return Failure.commandLine(
      "\(value.source) cannot be \"\(text)\": \(allowed)\(hint)",
      example.map { "for example \(value.source)\(isVariable ? "=" : " ")\($0)" } ?? "")
  }

  /// Whether a text has white space at one of its ends.
  private static func hasBlanks(_ text: String) -> Bool {
    text.first?.isWhitespace ?? false || text.last?.isWhitespace ?? false
  }

  /// A number of digits only, within 64 bits.
  private static func wholeNumber(_ text: String) -> Int? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }

  private static func percent(_ text: String) -> Double? {
    guard text.hasSuffix("%") else { return nil }
    let number = text.dropLast()
    // Digits and a point only: no exponent, no infinity.
    guard number.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (48...57).contains($0) }),
      let share = Double(number), share <= 100
    else { return nil }
    return share
  }

  /// The milliseconds of a time, or of the start of a date of ten characters.
  private static func parseTime(_ text: String) -> Int? {
    let bytes = timeText(text)
    return Timestamp.parse(bytes.view)
  }

  /// A time as in logs, or what is not one; a text of ten characters is completed.
  private static func timeText(_ text: String) -> ByteBuffer {
    var bytes = ByteBuffer(text: text)
    if bytes.count == 10 { bytes.append("T00:00:00Z") }
    return bytes
  }
}

extension Option {
  /// The form on the command line.
  package var flag: String { "--\(rawValue)" }
}

extension Failure {
  /// Why a command line cannot be executed.
  package static func commandLine(_ why: String, _ advice: String) -> Failure {
    Failure(.usage, doing: "reading the command line", why: why, advice: advice)
  }
}
