/// A command of the program, by the words that name it.
package enum Command: String, CaseIterable, Sendable {
  case run
  case night
  case count
  case validate
  case migrate
  case redrive
  case explain
  case plan
  case partial
  case merge
  case erase
  case verify
  case inspect
  case diff
  case export
  case trackingInfer = "tracking infer"
  case trackingCheck = "tracking check"
  case trackingDiff = "tracking diff"
  case mappings
  case mappingInfer = "mapping infer"
  case mappingTest = "mapping test"
  case bench
  case generate
  case completions
  case man
  case version

  /// Its options, in the order of the table.
  package var options: [Option] { Option.allCases.filter { $0.facts.commands.contains(self) } }

  /// The group that it is a sub-command of, if any.
  package var group: CommandGroup? {
    rawValue.split(separator: " ").dropLast().last.flatMap { CommandGroup(rawValue: String($0)) }
  }

  /// Its last word: the name within its group.
  package var name: String { rawValue.split(separator: " ").last.map(String.init) ?? rawValue }
}

/// The first word of several commands, which are its sub-commands.
package enum CommandGroup: String, CaseIterable, Sendable {
  case tracking
  case mapping

  /// Its sub-commands, in the order of the table.
  package var commands: [Command] { Command.allCases.filter { $0.group == self } }
}
