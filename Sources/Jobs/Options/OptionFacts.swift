import Pipeline
package import Stages

/// The row of an option in the table.
package struct OptionFacts: Sendable {
  /// The documents that record an option that can change a result: not a path or a number of
  /// threads (docs/reference/file-formats.md).
  struct Documents: OptionSet, Sendable {
    let rawValue: Int

    /// The manifest of an output.
    static let output = Documents(rawValue: 1)
    /// The manifest of a partial: options that affect what is read from inputs.
    static let partial = Documents(rawValue: 2)
    /// The report of a job that turns logs into logs.
    static let logs = Documents(rawValue: 4)
    /// No document, but it must be equal for parts of an earlier output to be copied.
    static let copies = Documents(rawValue: 8)
    /// Options that affect the meaning of a line.
    static let lines: Documents = [.output, .partial, .logs]
  }

  /// The name of its value in the help; nil when it has no value.
  package let value: String?
  /// The commands with this option.
  package let commands: Set<Command>
  /// What it does.
  package let summary: String
  /// Whether an environment variable can set it; never for the logs of `bench` and `generate`: the
  /// same command line makes the same logs everywhere.
  package let hasVariable: Bool
  /// The setting that its value goes to; nil where its command reads it.
  package let setting: OptionSetting?
  /// The documents that record its value.
  let documents: Documents
  /// The option without which it has no effect, for the commands that have both.
  package let needed: Option?

  init(
    _ value: String?, _ commands: Set<Command>, hasVariable: Bool = true, _ summary: String,
    _ setting: OptionSetting? = nil, _ documents: Documents = [], needs needed: Option? = nil
  ) {
    self.value = value
    self.commands = commands
    self.hasVariable = hasVariable && !commands.isSubset(of: [.bench, .generate])
    self.summary = summary
    self.setting = setting
    self.documents = documents
    self.needed = needed
  }
}

/// The valid values of an option, and the field of the options that they set.
package enum OptionSetting: Sendable {
  package typealias Field<Value> = any WritableKeyPath<CommandOptions, Value> & Sendable

  /// No value; the option sets the field to `means`.
  case flag(Field<Bool>, means: Bool = true)
  case number(Field<Int>, ClosedRange<Int>, example: Int)
  /// Bytes.
  case size(Field<Int>, ClosedRange<Int>)
  case identityKeys(Field<IdentityKeys>)
  /// A dialect, built in or described by a mapping; `auto` = none.
  case dialect(Field<Dialect?>)
  /// Files of mappings, or names of built-in ones.
  case mappings(Field<Mappings>)
  /// A file of words, or `none`.
  case placeholders(Field<Placeholders>)
  /// A time, in milliseconds, within bounds that messages describe.
  case time(
    Field<Int?>, in: ClosedRange<Int> = Timestamp.years, bounds: String = "the years 0001 to 9999")
  /// One of these words.
  case word(
    [String], get: @Sendable (CommandOptions) -> String,
    set: @Sendable (inout CommandOptions, String) -> Void)
  /// Any other value, which no document records.
  case other(Other)

  package struct Other: Sendable {
    let put: @Sendable (OptionValues, Option, inout CommandOptions) throws(Failure) -> Void
  }

  static func other(
    _ put: @escaping @Sendable (OptionValues, Option, inout CommandOptions) throws(Failure) -> Void
  ) -> OptionSetting {
    .other(Other(put: put))
  }

  /// One of the words of an enumeration.
  static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ field: Field<Choice>
  ) -> OptionSetting {
    .word(
      Choice.allCases.map(\.rawValue), get: { $0[keyPath: field].rawValue },
      set: { $0.set(field, Choice(rawValue: $1)) })
  }

  /// A value in one of the forms of ``OptionValues``.
  static func value<Value>(_ field: Field<Value>, _ form: OptionForm<Value>) -> OptionSetting {
    .other { values, option, options throws(Failure) in
      options.set(field, try form.read(values, option))
    }
  }

  /// The same for a field that is nil without the option.
  static func maybe<Value>(_ field: Field<Value?>, _ form: OptionForm<Value>) -> OptionSetting {
    .other { values, option, options throws(Failure) in
      if let value = try form.read(values, option) { options.set(field, value) }
    }
  }
}

/// A form of values on the command line.
struct OptionForm<Value>: Sendable {
  /// The value; nil without the option.
  let read: @Sendable (OptionValues, Option) throws(Failure) -> Value?

  init(_ read: @escaping @Sendable (OptionValues, Option) throws(Failure) -> Value?) {
    self.read = read
  }

  /// The form that a function of ``OptionValues`` reads.
  init(_ form: @escaping @Sendable (OptionValues) -> (Option) throws(Failure) -> Value?) {
    read = { values, option throws(Failure) in try form(values)(option) }
  }
}

extension OptionForm<String> {
  static let text = OptionForm(OptionValues.text)
}

extension OptionForm<Int> {
  static let date = OptionForm(OptionValues.date)

  static func number(_ range: ClosedRange<Int>, example: Int) -> OptionForm {
    OptionForm { values, option throws(Failure) in
      try values.number(option, in: range, example: example)
    }
  }
}
