import Pipeline
import Stages

/// The field that an option sets, and the form of its values.
package struct OptionSetting: Sendable {
  typealias Field<Value> = any WritableKeyPath<CommandOptions, Value> & Sendable

  /// The name of its value in the help; nil when it has none.
  package let value: String?
  /// How many words it takes, if it has a value.
  package let counts: ClosedRange<Int>
  /// The values that are words.
  package let words: [String]
  /// Sets the field to the value that was given.
  let put: @Sendable (RawValue, inout CommandOptions) throws(Failure) -> Void
  /// Writes the value as a field of the open object, if documents record it.
  private(set) var write: @Sendable (String, CommandOptions, inout JSONWriter) -> Void = {
    _, _, _ in
  }
  /// Reads it from a document, which may lack it; false when that has no such value.
  private(set) var read: @Sendable (JSONValue?, inout CommandOptions) -> Bool = { _, _ in true }

  /// A setting without a field, unless `put` sets one: its command reads the value.
  init(
    _ value: String?, takes counts: ClosedRange<Int> = 1...1, words: [String] = [],
    _ put: @escaping @Sendable (RawValue, inout CommandOptions) throws(Failure) -> Void = { _, _ in
    }
  ) { (self.value, self.counts, self.words, self.put) = (value, counts, words, put) }

  /// A field that is nil without the option, which no document records.
  static func maybe<Value>(_ field: Field<Value?>, _ form: OptionForm<Value>) -> OptionSetting {
    OptionSetting(form.name, words: form.words) { value, options throws(Failure) in
      if let value = try form.parse(value) { options.set(field, value) }
    }
  }

  /// A field that `means` this with the option.
  static func flag(_ field: Field<Bool>, means: Bool = true) -> OptionSetting {
    let form = OptionForm(nil) { value throws(Failure) in try value.isOn() ? means : nil }
    return .value(field, form.recorded({ $0 }, read: \.bool))
  }

  static func value<Value>(_ field: Field<Value>, _ form: OptionForm<Value>) -> OptionSetting {
    var setting = OptionSetting(form.name, words: form.words) { value, options throws(Failure) in
      options.set(field, try form.parse(value))
    }
    setting.write = { name, options, json in
      if let value = form.recorded(options[keyPath: field]) { json.member(name, value) }
    }
    setting.read = { value, options in
      let isRead = options.set(field, value.map(form.read) ?? form.absent)
      return isRead || value == nil
    }
    return setting
  }
}

/// A form of values, on the command line and in documents.
package struct OptionForm<Value: Sendable>: Sendable {
  /// The name of such values in the help; nil for an option without one.
  fileprivate let name: String?
  /// Those that are words.
  fileprivate var words: [String] = []
  /// The value on the command line, or why it is invalid; nil where it does not count.
  let parse: @Sendable (RawValue) throws(Failure) -> Value?
  /// Its form in documents; nil if they omit it.
  fileprivate var recorded: @Sendable (Value) -> (any JSONScalar)? = { _ in nil }
  /// The value in a document; nil when it is of another form.
  fileprivate var read: @Sendable (JSONValue) -> Value? = { _ in nil }
  /// What it means when a document lacks it; nil if nothing.
  fileprivate var absent: Value?

  fileprivate init(
    _ name: String?, words: [String] = [],
    _ parse: @escaping @Sendable (RawValue) throws(Failure) -> Value?
  ) { (self.name, self.words, self.parse) = (name, words, parse) }

  /// The form of texts that have a `meaning`; `allowed` describes them in messages.
  fileprivate init(
    _ name: String, words: [String] = [],
    _ allowed: @escaping @autoclosure @Sendable () -> String, example: String,
    mayBeEmpty: Bool = true, _ meaning: @escaping @Sendable (String) -> Value?
  ) {
    self.init(name, words: words) { value throws(Failure) in
      let text = mayBeEmpty ? value.text ?? "" : try value.filled()
      guard let meaning = meaning(text) else { throw value.bad(allowed(), example: example) }
      return meaning
    }
  }

  fileprivate func recorded(
    _ recorded: @escaping @Sendable (Value) -> (any JSONScalar)?,
    read: @escaping @Sendable (JSONValue) -> Value?
  ) -> OptionForm {
    var form = self
    (form.recorded, form.read) = (recorded, read)
    return form
  }

  /// The same for values that documents record as texts; they omit a value without one.
  fileprivate func recorded(
    text: @escaping @Sendable (Value) -> String?, _ read: @escaping @Sendable (String) -> Value?
  ) -> OptionForm {
    recorded({ text($0) }, read: { $0.text.flatMap(read) })
  }
}

// MARK: - Texts and words

extension OptionForm<String> {
  static func text(_ name: String) -> OptionForm {
    OptionForm(name) { value throws(Failure) in try value.filled() }
  }

  /// A directory, not the pattern of nights that EVENTMILL_OUT may be.
  static let directory = OptionForm("DIR") { value throws(Failure) in
    let text = try value.filled()
    guard !text.contains("%Y") else {
      throw value.bad("%Y is a date for night only", example: "out")
    }
    return text
  }

  static let attempt = OptionForm(
    "NAME", "it must be 1 to 64 letters, digits, - and _", example: "2", mayBeEmpty: false
  ) { OutputPath.isAttempt($0) ? $0 : nil }
}

extension OptionForm where Value: RawRepresentable<String> & CaseIterable {
  static var word: OptionForm {
    let words = Value.allCases.map(\.rawValue)
    return OptionForm(words.joined(separator: "|"), words: words) { value throws(Failure) in
      Value(rawValue: try value.word(among: words))
    }.recorded(text: { $0.rawValue }) { Value(rawValue: $0) }
  }
}

extension OptionForm<Dialect?> {
  /// A dialect, built in or described by a mapping; `auto` is none.
  static let dialect = OptionForm("NAME", words: ["auto"] + Dialect.allCases.map(\.name)) {
    value throws(Failure) in
    .some(Dialect(recorded: try value.word(among: ["auto"] + Dialect.known.map(\.name))))
  }.recorded(text: { $0?.name ?? "auto" }) { text in
    text == "auto" ? .some(nil) : Dialect(recorded: text).map { .some($0) }
  }
}

extension OptionForm<Set<BenchSubject>> {
  private static let names = BenchSubject.allCases.map(\.name)

  static let subject = OptionForm("NAME", words: names) { value throws(Failure) in
    Set([BenchSubject(rawValue: try value.word(among: names))].compactMap(\.self))
  }
}

extension OptionForm<Set<TrackingFindings.Kind>> {
  private static let all = TrackingFindings.Kind.allCases.map(\.rawValue)

  static let findings = OptionForm("KINDS", words: all + ["all"]) { value throws(Failure) in
    var kinds: Set<TrackingFindings.Kind> = []
    for word in try value.filled().split(separator: ",", omittingEmptySubsequences: false) {
      if word == "all" {
        kinds.formUnion(TrackingFindings.Kind.allCases)
      } else if let kind = TrackingFindings.Kind(rawValue: String(word)) {
        kinds.insert(kind)
      } else {
        throw value.bad(
          "it must be all, or some of \(all.joined(separator: ","))",
          example: NearestName.of(String(word), among: all + ["all"]) ?? "new-event,wrong-type")
      }
    }
    return kinds
  }
}

extension OptionForm<ProfileCondition> {
  static let condition = OptionForm(
    "KEY=VALUE", "it must be KEY=VALUE, in which VALUE may end with *",
    example: "'$email_address=a@b.com'",
    mayBeEmpty: false
  ) { ProfileCondition($0) }
}

extension OptionForm<ReasonCode> {
  private static let codes = ReasonCode.allCases.map(\.text)

  static let reason = OptionForm("CODE", words: codes) { value throws(Failure) in
    let text = try value.filled()
    if let code = ReasonCode(text) { return code }
    let nearest = NearestName.of(text, among: codes)
    throw value.bad("it must be the code of a reason", example: nearest ?? "bad_name")
  }
}

extension OptionForm<EventGrouping> {
  static let grouping = OptionForm(
    "GROUP", words: ["day", "hour", "dialect", "file", "attribute:"],
    "it must be \(EventGrouping.words), where KEY is an attribute key or $label", example: "day",
    mayBeEmpty: false
  ) { EventGrouping($0) }
}

extension OptionForm<NightPattern> {
  static let logs = pattern(below: "logs")
  static let outputs = pattern(below: "out")

  private static func pattern(below base: String) -> OptionForm {
    OptionForm("PATTERN") { value throws(Failure) in
      let text = try value.filled()
      do throws(NightPattern.Problem) { return try NightPattern(text) } catch {
        throw value.bad("it \(error.text)", example: "'\(base)/%Y-%m-%d'")
      }
    }
  }
}

extension OptionForm<IdentityKeys> {
  /// The fields that identify the owner of a foreign record.
  static let identityKeys = OptionForm(
    "LISTS",
    "it must be custom:NAME,… and installation:NAME,…, with a semicolon between them, at most "
      + "\(IdentityKeys.most) names each, no two of which are equal except for case, blanks, - "
      + "and _", example: "\"custom:memberId,uid;installation:deviceId\"", mayBeEmpty: false
  ) { IdentityKeys($0) }.recorded(text: { $0.text }) { IdentityKeys($0) }
}

extension OptionForm<Mappings> {
  /// The mappings in files, or built-in ones by name, separated by commas.
  static let mappings = OptionForm(
    "FILE|NAME", words: BuiltInMapping.allCases.map(\.rawValue)
  ) { value throws(Failure) in
    let names = try value.filled().split(separator: ",").map(String.init)
    if names.isEmpty { throw value.bad("it must name a mapping", example: "segment") }
    return try MappingFiles.load(names)
  }.recorded(text: { $0.text.isEmpty ? nil : $0.text }) { Mappings(recorded: $0) }
}

extension OptionForm<Placeholders> {
  /// The placeholders for missing ids: the words in a file beside the built-in ones, or `none`.
  static let placeholders = OptionForm("FILE|none") { value throws(Failure) in
    let text = try value.filled()
    return text == "none" ? .fewest : try PlaceholderFile.load(text)
  }.recorded(text: { $0.text.isEmpty ? nil : $0.text }) { Placeholders.recorded($0) }
}

// MARK: - Numbers

extension OptionForm<Int> {
  package static func number(_ range: ClosedRange<Int>, example: Int) -> OptionForm {
    OptionForm("N", "it must be a whole number \(bounds(range))", example: "\(example)") { text in
      wholeNumber(text).flatMap { range.contains($0) ? $0 : nil }
    }.recorded(in: range)
  }

  /// A number, optionally in thousands or millions, `90K` or `1M`.
  package static func quantity(_ range: ClosedRange<Int>, example: String) -> OptionForm {
    OptionForm("N", "it must be a whole number \(bounds(range))", example: example) { text in
      let factor =
        switch text.last {
        case "k", "K": 1000
        case "m", "M": 1_000_000
        default: 1
        }
      let digits = factor == 1 ? text : String(text.dropLast())
      guard let number = wholeNumber(digits) else { return nil }
      let (product, overflow) = number.multipliedReportingOverflow(by: factor)
      return !overflow && range.contains(product) ? product : nil
    }.recorded(in: range)
  }

  /// Bytes: digits, then an optional unit (`K`, `KiB` = 1024, `KB` = 1000, and so on).
  static func size(_ range: ClosedRange<Int>) -> OptionForm {
    OptionForm("SIZE") { value throws(Failure) in
      let example = ByteSize.text(min(range.upperBound, 512 << 20))
      guard let size = ByteSize.parse(value.text ?? "") else {
        throw value.bad(
          "it must be a number of bytes, or one with a unit such as K, M, G or MiB",
          example: example)
      }
      guard range.contains(size) else {
        let bounds = [range.lowerBound, range.upperBound].map(ByteSize.text)
        throw value.bad("it must be from \(bounds[0]) to \(bounds[1])", example: example)
      }
      return size
    }.recorded(in: range)
  }

  /// A date, as the milliseconds of its beginning in UTC, within the valid times of logs.
  package static let date = OptionForm("DATE", "it must be a date", example: "2024-06-01") { text in
    text.utf8.count == 10 ? timestamp(text) : nil
  }

  private static func bounds(_ range: ClosedRange<Int>) -> String {
    range.upperBound == Int.max
      ? "of \(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
  }

  private func recorded(in range: ClosedRange<Int>) -> OptionForm {
    recorded({ $0 }) { value in value.int.flatMap { range.contains($0) ? $0 : nil } }
  }
}

extension OptionForm<Double> {
  /// A share in percent, `3%` or `0.5%`; the sign is optional.
  package static let percent = OptionForm("P%", "it must be a share from 0% to 100%", example: "2%")
  {
    share($0.hasSuffix("%") ? $0 : $0 + "%")
  }
}

extension OptionForm<RejectLimit> {
  static let rejectLimit = OptionForm(
    "N|P%", "it must be a number of lines, or a share from 0% to 100%", example: "100 or 0.5%"
  ) { share($0).map { .percent($0) } ?? wholeNumber($0).map { .lines($0) } }
}

extension OptionForm<Int?> {
  static let time = time(in: Timestamp.years, bounds: "the years 0001 to 9999")

  /// A time as in logs, or a date, in milliseconds, within bounds that messages describe.
  static func time(in range: ClosedRange<Int>, bounds: String) -> OptionForm {
    var form = OptionForm("TIME") { value throws(Failure) in
      let text = value.text ?? ""
      guard let time = timestamp(text) else {
        throw value.bad(
          "it must be a date or a time, in UTC unless it ends with a zone\(mistake(in: text))",
          example: "2024-06-01 or 2024-06-01T00:00:00Z")
      }
      guard range.contains(time) else {
        throw value.bad("it must be in \(bounds)", example: "2024-06-01T00:00:00Z")
      }
      return .some(time)
    }.recorded(text: { $0.map(Timestamp.text) }) { text in
      let bytes = ByteBuffer(text: text)
      return Timestamp.parse(bytes.view).map { .some($0) }
    }
    form.absent = .some(nil)
    return form
  }

  /// The likely mistake in a text that is not a time.
  private static func mistake(in text: String) -> String {
    if text.isEmpty || RawValue.hasBlanks(text) { return "" }
    let bytes = timeText(text)
    let digits = ByteBuffer(text: text)
    let likely =
      DecimalNumber.milliseconds(digits.view, per: .milliseconds).map {
        LikelyMistake.compact($0) ?? "this is a number: write it as a date"
      } ?? LikelyMistake.time(bytes.view, in: .option)
    return likely.map { "; \($0)" } ?? ""
  }
}

/// A number of digits only, within 64 bits.
private func wholeNumber(_ text: String) -> Int? {
  text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
}

/// The number before a percent sign.
private func share(_ text: String) -> Double? {
  guard text.hasSuffix("%") else { return nil }
  let number = text.dropLast()
  // Digits and a point only: no exponent, no infinity.
  guard number.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (48...57).contains($0) }),
    let share = Double(number), share <= 100
  else { return nil }
  return share
}

/// The milliseconds of a time, or of the start of a date of ten characters.
private func timestamp(_ text: String) -> Int? {
  let bytes = timeText(text)
  return Timestamp.parse(bytes.view)
}

/// The bytes of a possible time; a text of ten characters gets the time of day.
private func timeText(_ text: String) -> ByteBuffer {
  var bytes = ByteBuffer(text: text)
  if bytes.count == 10 { bytes.append("T00:00:00Z") }
  return bytes
}
