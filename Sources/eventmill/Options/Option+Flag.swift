import Jobs

/// How options are written on the command line and in the environment.
extension Option {
  /// As it is written on the command line.
  var flag: String { "--\(rawValue)" }

  /// The options with short forms, `o` for `-o`.
  static let letters: [Character: Option] = [
    "o": .out, "j": .jobs, "q": .quiet, "h": .help, "V": .version,
  ]

  /// Its short form; nil for most.
  var letter: Character? { Option.letters.first { $0.value == self }?.key }

  /// What the names of all variables of this program begin with.
  static let variablePrefix = "EVENTMILL_"

  /// The environment variable that stands under it, or nil.
  var variable: String? { facts.hasVariable ? variableName : nil }

  /// The name of that variable, if there were one.
  var variableName: String {
    Option.variablePrefix + rawValue.uppercased().replacing("-", with: "_")
  }
}
