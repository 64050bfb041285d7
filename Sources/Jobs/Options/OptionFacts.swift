import Pipeline
package import Stages

/// What the table says of an option.
package struct OptionFacts: Sendable {
  /// The documents that record an option which can change a result: no path, no number of threads
  /// (docs/reference/file-formats.md).
  struct Documents: OptionSet, Sendable {
    let rawValue: Int

    /// The manifest of an output.
    static let output = Documents(rawValue: 1)
    /// The manifest of a partial: what decides what is read out of inputs.
    static let partial = Documents(rawValue: 2)
    /// What a job says that makes logs of logs.
    static let logs = Documents(rawValue: 4)
    /// No document, but what has to be the same for parts of an earlier output to be copied.
    static let copies = Documents(rawValue: 8)
    /// What decides what a line means.
    static let lines: Documents = [.output, .partial, .logs]
  }

  /// What its value is called in the help; nil when it takes none.
  package let value: String?
  /// The commands that take it.
  package let commands: Set<Command>
  /// What it does.
  package let summary: String
  /// Whether an environment variable can set it; never what `bench` and `generate` make: the same
  /// line makes the same logs everywhere.
  package let hasVariable: Bool
  /// Where its value goes; nil where its command reads it.
  package let setting: OptionSetting?
  /// Where its value is recorded.
  let documents: Documents

  init(
    _ value: String?, _ commands: Set<Command>, hasVariable: Bool = true, _ summary: String,
    _ setting: OptionSetting? = nil, _ documents: Documents = []
  ) {
    self.value = value
    self.commands = commands
    self.hasVariable = hasVariable && !commands.isSubset(of: [.bench, .generate])
    self.summary = summary
    self.setting = setting
    self.documents = documents
  }
}

/// Which values an option may have, and where they go in the options of a run.
package enum OptionSetting: Sendable {
  package typealias Field<Value> = any WritableKeyPath<RunOptions, Value> & Sendable

  /// It takes no value; given, it `means` that.
  case flag(Field<Bool>, means: Bool = true)
  case number(Field<Int>, ClosedRange<Int>, example: Int)
  /// Bytes.
  case size(Field<Int>, ClosedRange<Int>)
  case identityKeys(Field<IdentityKeys>)
  /// A dialect, built in or described by a mapping; `auto` = none.
  case dialect(Field<Dialect?>)
  /// Files of mappings, or names of those that come along.
  case mappings(Field<Mappings>)
  /// A time, in milliseconds, within bounds that messages name so.
  case time(
    Field<Int?>, in: ClosedRange<Int> = Timestamp.years, bounds: String = "the years 0001 to 9999")
  /// One of these words.
  case word(
    [String], get: @Sendable (RunOptions) -> String,
    set: @Sendable (inout RunOptions, String) -> Void)

  /// One of the words of an enumeration.
  static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ field: Field<Choice>
  ) -> OptionSetting {
    .word(
      Choice.allCases.map(\.rawValue), get: { $0[keyPath: field].rawValue },
      set: { $0.set(field, Choice(rawValue: $1)) })
  }
}

extension RunOptions {
  /// Sets a field, if there is a `value`; false when there is none.
  @discardableResult
  package mutating func set<Value>(_ field: OptionSetting.Field<Value>, _ value: Value?) -> Bool {
    guard let value else { return false }
    self[keyPath: field] = value
    return true
  }
}
