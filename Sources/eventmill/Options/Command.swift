/// What the program can do.
enum Command: String, CaseIterable, Sendable {
  case run
  case count
  case validate
  case migrate
  case redrive
  case explain
  case partial
  case merge
  case erase
  case verify
  case bench
  case generate
  case version

  /// Its options, in the order of the table.
  var options: [Option] { Option.allCases.filter { $0.facts.commands.contains(self) } }
}

/// What the table says of a command.
struct CommandFacts: Sendable {
  /// What it does, in one line.
  let summary: String
  /// What is written behind the command and its options.
  var operands = "FILE|DIR|-…"
  /// How many of these it takes.
  var operandCount = 1...Int.max
  /// What to do when there are none.
  var operandAdvice = "name files or directories, or - for standard input"
  /// Whether it reads a pipe or a file on standard input when there are none.
  var readsStandardInput = false
  /// The options it cannot do without.
  var requiredOptions: [Option] = []
  /// Examples: a line that says what it is good for, a line with the command, and so on.
  let examples: String
  /// What there is to know beside the options.
  var notes = ""
}
