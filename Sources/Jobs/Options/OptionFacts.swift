/// The row of an option in the table.
package struct OptionFacts: Sendable {
  /// The documents that record an option that can change a result: not a path or a number of
  /// threads (docs/reference/file-formats.md).
  struct Documents: OptionSet, Sendable {
    let rawValue: Int

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

  package let commands: Set<Command>
  /// Whether an environment variable can set it; never for the logs of `bench` and `generate`.
  package let hasVariable: Bool
  /// The setting that its value goes to, unless the command has another.
  let setting: OptionSetting
  private let exceptions: [Command: OptionSetting]
  let documents: Documents
  /// The option without which it has no effect, for the commands that have both.
  package let needed: Option?

  init(
    _ commands: Set<Command>, hasVariable: Bool = true, _ setting: OptionSetting,
    _ documents: Documents = [], needs needed: Option? = nil,
    except exceptions: [Command: OptionSetting] = [:]
  ) {
    (self.commands, self.setting, self.exceptions) = (commands, setting, exceptions)
    (self.documents, self.needed) = (documents, needed)
    self.hasVariable = hasVariable && !commands.isSubset(of: [.bench, .generate])
  }

  /// The name of its value in the help; nil when it has no value.
  package var value: String? { setting.value }

  package func setting(of command: Command?) -> OptionSetting {
    command.flatMap { exceptions[$0] } ?? setting
  }
}
