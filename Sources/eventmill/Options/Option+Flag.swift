import Jobs

/// The written forms of options on the command line and in the environment.
extension Option {
  /// The options with short forms, `o` for `-o`.
  static let letters: [Character: Option] = [
    "o": .out, "j": .jobs, "q": .quiet, "h": .help, "V": .version,
  ]

  /// Its short form; nil for most.
  var letter: Character? { Option.letters.first { $0.value == self }?.key }

  /// The prefix of all variables of this program.
  static let variablePrefix = "EVENTMILL_"

  /// The environment variable of the option, or nil.
  var variable: String? { facts.hasVariable ? variableName : nil }

  /// The name that this variable would have.
  var variableName: String {
    Option.variablePrefix + rawValue.uppercased().replacing("-", with: "_")
  }
}
