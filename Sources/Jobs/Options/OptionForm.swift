import Pipeline
import Stages

/// The field that an option sets, and the form of its values.
package struct OptionSetting: Sendable {
  typealias Field<Value> = any WritableKeyPath<CommandOptions, Value> & Sendable

  /// Sets the field to the value that was given.
  let put: @Sendable (OptionValues, Option, inout CommandOptions) throws(Failure) -> Void
  /// Writes the value as a field of the open object, if documents record it.
  private(set) var write: @Sendable (String, CommandOptions, inout JSONWriter) -> Void = {
    _, _, _ in
  }
  /// Reads it from a document, which may lack it; false when that has no such value.
  private(set) var read: @Sendable (JSONValue?, inout CommandOptions) -> Bool = { _, _ in true }
  /// All values, if they are words.
  package private(set) var words: [String] = []

  /// A field that is nil without the option, which no document records.
  static func maybe<Value>(_ field: Field<Value?>, _ form: OptionForm<Value>) -> OptionSetting {
    OptionSetting { values, option, options throws(Failure) in
      if let value = try form.parse(values, option) { options.set(field, value) }
    }
  }

  /// A field that `means` this with the option.
  static func flag(_ field: Field<Bool>, means: Bool = true) -> OptionSetting {
    .value(
      field,
      OptionForm({ values, option throws(Failure) in try values.isOn(option) ? means : nil }) {
        $0
      } read: {
        $0.bool
      })
  }

  static func value<Value>(_ field: Field<Value>, _ form: OptionForm<Value>) -> OptionSetting {
    var setting = OptionSetting { values, option, options throws(Failure) in
      options.set(field, try form.parse(values, option))
    }
    setting.words = form.words
    setting.write = { name, options, json in
      if let value = form.recorded(options[keyPath: field]) { json.member(named: name, value) }
    }
    setting.read = { value, options in
      let isRead = options.set(field, value.map(form.read) ?? form.absent)
      return isRead || value == nil
    }
    return setting
  }
}

/// A form of values, on the command line and in documents.
struct OptionForm<Value: Sendable>: Sendable {
  /// The value on the command line; nil without one.
  let parse: @Sendable (OptionValues, Option) throws(Failure) -> Value?
  /// Its form in documents; nil if they omit it.
  let recorded: @Sendable (Value) -> (any JSONScalar)?
  /// The value in a document; nil when it is of another form.
  let read: @Sendable (JSONValue) -> Value?
  /// What it means when a document lacks it; nil if nothing.
  fileprivate var absent: Value?
  fileprivate var words: [String] = []

  init(
    _ parse: @escaping @Sendable (OptionValues, Option) throws(Failure) -> Value?,
    recorded: @escaping @Sendable (Value) -> (any JSONScalar)? = { _ in nil },
    read: @escaping @Sendable (JSONValue) -> Value? = { _ in nil }
  ) {
    (self.parse, self.recorded, self.read) = (parse, recorded, read)
  }
}

extension OptionForm {
  /// The form that a function of ``OptionValues`` reads.
  init(_ parse: @escaping @Sendable (OptionValues) -> (Option) throws(Failure) -> Value?) {
    self.init({ values, option throws(Failure) in try parse(values)(option) })
  }

  /// The same for values that documents record as texts; they omit a value without one.
  init(
    _ parse: @escaping @Sendable (OptionValues) -> (Option) throws(Failure) -> Value?,
    text: @escaping @Sendable (Value) -> String?, read: @escaping @Sendable (String) -> Value?
  ) {
    self.init({ values, option throws(Failure) in try parse(values)(option) }) {
      text($0)
    } read: {
      $0.text.flatMap(read)
    }
  }
}

extension OptionForm<String> {
  static let text = OptionForm(OptionValues.text)
}

extension OptionForm<Int> {
  /// A date, as the milliseconds of its beginning.
  static let date = OptionForm(OptionValues.date)

  static func number(_ range: ClosedRange<Int>, example: Int) -> OptionForm {
    within(range) { values, option throws(Failure) in
      try values.number(option, in: range, example: example)
    }
  }

  /// A number that may be written short.
  static func quantity(_ range: ClosedRange<Int>, example: String) -> OptionForm {
    within(range) { values, option throws(Failure) in
      try values.quantity(option, in: range, example: example)
    }
  }

  /// Bytes.
  static func size(_ range: ClosedRange<Int>) -> OptionForm {
    within(range) { values, option throws(Failure) in try values.size(option, in: range) }
  }

  private static func within(
    _ range: ClosedRange<Int>,
    _ parse: @escaping @Sendable (OptionValues, Option) throws(Failure) -> Int?
  ) -> OptionForm {
    OptionForm(parse, recorded: { $0 }) { value in
      value.int.flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension OptionForm<Int?> {
  static let time = time(in: Timestamp.years, bounds: "the years 0001 to 9999")

  /// A time, in milliseconds, within bounds that messages describe.
  static func time(in range: ClosedRange<Int>, bounds: String) -> OptionForm {
    var form = OptionForm { values, option throws(Failure) in
      try values.time(option, in: range, bounds: bounds).map { .some($0) }
    } recorded: {
      $0.map(Timestamp.text)
    } read: { value in
      value.text.flatMap { text in
        let bytes = ByteBuffer(text: text)
        return Timestamp.parse(bytes.view).map { .some($0) }
      }
    }
    form.absent = .some(nil)
    return form
  }
}

extension OptionForm<Dialect?> {
  static let dialect = OptionForm(OptionValues.dialect, text: { $0?.name ?? "auto" }) { text in
    text == "auto" ? .some(nil) : Dialect(recorded: text).map { .some($0) }
  }
}

extension OptionForm<IdentityKeys> {
  static let identityKeys = OptionForm(OptionValues.identityKeys, text: { $0.text }) {
    IdentityKeys($0)
  }
}

extension OptionForm<Mappings> {
  static let mappings = OptionForm(
    OptionValues.mappings, text: { $0.text.isEmpty ? nil : $0.text }
  ) { Mappings(recorded: $0) }
}

extension OptionForm<Placeholders> {
  static let placeholders = OptionForm(
    OptionValues.placeholders, text: { $0.text.isEmpty ? nil : $0.text }
  ) { Placeholders.recorded($0) }
}

extension OptionForm where Value: RawRepresentable<String> & CaseIterable {
  /// One of the words of an enumeration.
  static var word: OptionForm {
    var form = OptionForm(OptionValues.choice, text: { $0.rawValue }) { Value(rawValue: $0) }
    form.words = Value.allCases.map(\.rawValue)
    return form
  }
}
