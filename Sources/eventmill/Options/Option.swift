/// Every option of the program, by its name on the command line without the dashes.
enum Option: String, CaseIterable, Sendable {
  // What is written.
  case out
  case previous
  case replace
  case partitions
  case partition
  case finish
  case noValues = "no-values"
  case stitch
  case dedupeDays = "dedupe-days"
  case reingest
  case level
  // What a line means.
  case v1
  case dialect
  case foreign
  case identityKeys = "identity-keys"
  case realmObjects = "realm-objects"
  case repair
  case defaultTime = "default-time"
  case notBefore = "not-before"
  case notAfter = "not-after"
  case since
  case until
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
  case ids
  case absent
  // What a run tells about itself.
  case metrics
  // Benchmarks.
  case stage
  case runs
  case baseline
  case save
  // Synthetic logs.
  case lines
  case users
  case seed
  case nights
  case years
  case bad
  case format
  case start
  // The machine.
  case jobs
  case memory
  // The shell.
  case quiet
  case json
  case logFormat = "log-format"
  case noProgress = "no-progress"
  case color
  case help
  case version

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
