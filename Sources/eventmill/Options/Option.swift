/// Every option of the program, by its name on the command line without the dashes.
enum Option: String, CaseIterable, Sendable {
  // What is written.
  case out, previous, replace, partitions, partition, finish
  case noValues = "no-values"
  case stitch
  case dedupeDays = "dedupe-days"
  case reingest, level
  // What a line means.
  case v1, dialect, foreign
  case identityKeys = "identity-keys"
  case realmObjects = "realm-objects"
  case repair
  case defaultTime = "default-time"
  case notBefore = "not-before"
  case notAfter = "not-after"
  case since, until
  case maxLine = "max-line"
  case unknownFields = "unknown-fields"
  // What a run puts up with.
  case maxNames = "max-names"
  case maxRejects = "max-rejects"
  case keepGoing = "keep-going"
  case allowEmpty = "allow-empty"
  case resume
  case dryRun = "dry-run"
  case verify
  // Whose data is kept back.
  case erase
  case honorOptOut = "honor-opt-out"
  case ids, absent
  // What a run tells about itself.
  case metrics
  // Benchmarks.
  case stage, runs, baseline, save
  // Synthetic logs.
  case lines, users, seed, nights, years, bad, format, start
  // The machine.
  case jobs, memory
  // The shell.
  case quiet, json
  case logFormat = "log-format"
  case noProgress = "no-progress"
  case color, help, version

  /// As it is written on the command line.
  var flag: String { "--\(rawValue)" }

  /// Its short form, `o` for `-o`; nil for most.
  var letter: Character? {
    switch self {
    case .out: "o"
    case .jobs: "j"
    case .quiet: "q"
    case .help: "h"
    case .version: "V"
    default: nil
    }
  }

  /// What the names of all variables of this program begin with.
  static let variablePrefix = "EVENTMILL_"

  /// The environment variable that stands under it, or nil.
  var variable: String? { facts.hasVariable ? variableName : nil }

  /// The name of that variable, if there were one.
  var variableName: String {
    Option.variablePrefix + rawValue.uppercased().replacing("-", with: "_")
  }

  /// The option of that name, without dashes.
  init?(name: Substring) { self.init(rawValue: String(name)) }

  /// The option with that short form.
  init?(letter: Character) {
    guard let option = Option.allCases.first(where: { $0.letter == letter }) else { return nil }
    self = option
  }
}

/// What the table says of an option.
struct OptionFacts: Sendable {
  /// What its value is called in the help; nil when it takes none.
  let value: String?
  /// The commands that take it.
  let commands: Set<Command>
  /// What it does.
  let summary: String
  /// Whether an environment variable can set it.
  let hasVariable: Bool

  init(
    _ value: String?, _ commands: Set<Command>, hasVariable: Bool = true, _ summary: String
  ) {
    self.value = value
    self.commands = commands
    self.hasVariable = hasVariable
    self.summary = summary
  }
}
