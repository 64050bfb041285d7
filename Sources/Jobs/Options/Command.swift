package import Pipeline

/// A command of the program, by the words that name it.
package enum Command: String, CaseIterable, Sendable {
  case run
  case night
  case nightList = "night list"
  case count
  case validate
  case migrate
  case redrive
  case rejects
  case explain
  case plan = "cluster plan"
  case partial = "cluster partial"
  case merge = "cluster merge"
  case erase
  case verify
  case inspect
  case diff
  case export
  case trackingInfer = "tracking infer"
  case trackingCheck = "tracking check"
  case trackingDiff = "tracking diff"
  case mappingList = "mapping list"
  case mappingShow = "mapping show"
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

  /// The command whose first operand its last word is; nil for others.
  package var parent: Command? {
    group == nil
      ? rawValue.split(separator: " ").dropLast().last.flatMap { Command(rawValue: "\($0)") } : nil
  }

  /// The command with the last word `word` whose parent this is.
  package func child(_ word: String) -> Command? { Command(rawValue: "\(rawValue) \(word)") }

  /// Its last word: the name within its group.
  package var name: String { rawValue.split(separator: " ").last.map(String.init) ?? rawValue }
}

extension Command {
  /// Whether a user of this command can follow `advice`: it takes every option named there, except
  /// for those behind the name of a command, as in `eventmill redrive --repair`, which takes them.
  package func canFollow(_ advice: String) -> Bool {
    var command = self
    var words = advice.split(separator: " ")[...]
    while let word = words.popFirst() {
      if word == "eventmill", let named = Command.named(by: words) { command = named }
      let name = word.drop { $0 == "(" }.prefix { !"=,;:.)".contains($0) }
      guard name.hasPrefix("--"), let option = Option(rawValue: String(name.dropFirst(2)))
      else { continue }
      if !option.facts.commands.contains(command) { return false }
    }
    return true
  }

  /// The command that begins with these words.
  private static func named(by words: ArraySlice<Substring>) -> Command? {
    let names = [2, 1].map { words.prefix($0).joined(separator: " ") }
    return names.lazy.compactMap(Command.init).first
  }
}

extension Failure {
  /// The message to a user of `command`, with advice that this command can follow; without one, of
  /// the program before it knows its command, all of it.
  package func message(for command: Command?) -> String {
    message { advice in command?.canFollow(advice) ?? true }
  }
}

/// The first word of several commands, which are its sub-commands.
package enum CommandGroup: String, CaseIterable, Sendable {
  case cluster
  case tracking
  case mapping

  /// Its sub-commands, in the order of the table.
  package var commands: [Command] { Command.allCases.filter { $0.group == self } }
}
