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

  package var options: [Option] { Option.allCases.filter { $0.facts.commands.contains(self) } }

  /// The words that name it.
  package var words: [String] { rawValue.split(separator: " ").map(String.init) }

  package var group: CommandGroup? { words.count > 1 ? CommandGroup(rawValue: words[0]) : nil }

  /// The command whose first operand its last word is; nil for others.
  package var parent: Command? { words.count > 1 ? Command(rawValue: words[0]) : nil }

  /// The command with the last word `word` whose parent this is.
  package func child(_ word: String) -> Command? { Command(rawValue: "\(rawValue) \(word)") }

  /// Its last word: the name within its group.
  package var name: String { words[words.count - 1] }
}

extension Command {
  /// Whether a user of this command can follow `advice`: it takes every option named there, except
  /// for those behind the name of a command, as in `eventmill redrive --repair`, which takes them.
  /// The advice to see the command that is running is useless.
  package func canFollow(_ advice: String) -> Bool {
    if advice.hasPrefix("see eventmill \(rawValue) "), !advice.contains("--") { return false }
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

  private static func named(by words: ArraySlice<Substring>) -> Command? {
    let names = [2, 1].map { words.prefix($0).joined(separator: " ") }
    return names.lazy.compactMap(Command.init).first
  }
}

extension Failure {
  /// The message to a user of `command`, with advice that can be followed; nil if it is unknown.
  package func message(for command: Command?) -> String {
    message { advice in command?.canFollow(advice) ?? true }
  }
}

/// The first word of several commands, which are its sub-commands.
package enum CommandGroup: String, CaseIterable, Sendable {
  case cluster
  case tracking
  case mapping

  package var commands: [Command] { Command.allCases.filter { $0.group == self } }
}
