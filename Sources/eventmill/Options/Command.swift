/// What the program can do.
enum Command: String, CaseIterable, Sendable {
  case run
  case count
  case validate
  case explain
  case partial
  case merge
  case verify
  case bench
  case generate

  /// What it does, in one line.
  var summary: String {
    switch self {
    case .run: "the nightly job: read, validate, migrate, merge, count, publish"
    case .count: "count events by name; writes no files"
    case .validate: "check logs: totals and most frequent reasons, with examples"
    case .explain: "what happens to each line, and why"
    case .partial: "the first half of a run, for other machines to go on with"
    case .merge: "the second half: merge partials by partition, then finish"
    case .verify: "check an output against its manifest, and in itself"
    case .bench: "how fast each stage is here, and whole jobs"
    case .generate: "realistic synthetic logs, for trying out and for benchmarks"
    }
  }

  /// What stands behind the command and its options.
  var operands: String {
    switch self {
    case .run, .count, .validate, .partial: "FILE|DIR|-…"
    case .merge: "[DIR…]"
    case .explain: "[FILE|-]"
    case .verify: "DIR"
    case .bench: "[FILE|DIR…]"
    case .generate: ""
    }
  }

  /// What to do when nothing stands there.
  var operandAdvice: String {
    switch self {
    case .verify: "name the directory that a run published with --out"
    case .merge: "name the directories that eventmill partial published with --out"
    default: "name files or directories, or - for standard input"
    }
  }

  /// How many operands it takes.
  var operandCount: ClosedRange<Int> {
    switch self {
    case .run, .count, .validate, .partial: 1...Int.max
    case .bench, .merge: 0...Int.max
    case .explain: 0...1
    case .verify: 1...1
    case .generate: 0...0
    }
  }

  /// The option it cannot do without.
  var requiredOptions: [Option] {
    switch self {
    case .run, .partial, .merge: [.out]
    case .count, .validate, .explain, .verify, .bench: []
    case .generate: [.lines, .users, .seed]
    }
  }

  /// Its options, in the order of the table.
  var options: [Option] { Option.allCases.filter { $0.facts.commands.contains(self) } }
}
