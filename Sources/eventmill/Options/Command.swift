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

  /// What it does, in one line.
  var summary: String {
    switch self {
    case .run: "the nightly job: read, validate, migrate, merge, count, publish"
    case .count: "count events by name; writes no files"
    case .validate: "check logs: totals and most frequent reasons, with examples"
    case .migrate: "logs of v1 and v2 to canonical v2 logs, one for each"
    case .redrive: "drive rejected parts again: after a fix, or in another way"
    case .explain: "what happens to each line, and why"
    case .partial: "the first half of a run, for other machines to go on with"
    case .merge: "the second half: merge partials by partition, then finish"
    case .erase: "make an output anew without some people; reads no logs"
    case .verify: "check what was published against its manifest, and in itself"
    case .bench: "how fast each stage is here, and whole jobs"
    case .generate: "realistic synthetic logs, for trying out and for benchmarks"
    case .version: "version, commit and libzstd version"
    }
  }

  /// What stands behind the command and its options.
  var operands: String {
    switch self {
    case .run, .migrate, .partial: "FILE|DIR|-…"
    case .count, .validate: "[FILE|DIR|-…]"
    case .redrive: "REJECTS|DIR|-…"
    case .merge: "[DIR…]"
    case .explain: "[FILE|DIR|-…]"
    case .erase, .verify: "DIR"
    case .bench: "[FILE|DIR…]"
    case .generate, .version: ""
    }
  }

  /// What to do when nothing stands there.
  var operandAdvice: String {
    switch self {
    case .erase, .verify: "name the directory that a run published with --out"
    case .redrive: "name rejects files, or directories that run, migrate or redrive has published"
    case .merge: "name the directories that eventmill partial published with --out"
    default: "name files or directories, or - for standard input"
    }
  }

  /// How many operands it takes.
  var operandCount: ClosedRange<Int> {
    switch self {
    case .run, .count, .validate, .migrate, .redrive, .partial: 1...Int.max
    case .bench, .merge: 0...Int.max
    case .explain: 1...Int.max
    case .erase, .verify: 1...1
    case .generate, .version: 0...0
    }
  }

  /// Whether it reads a pipe or a file on standard input when nothing stands there.
  var readsStandardInput: Bool {
    switch self {
    case .count, .validate, .explain: true
    default: false
    }
  }

  /// The option it cannot do without.
  var requiredOptions: [Option] {
    switch self {
    case .run, .redrive, .partial, .merge: [.out]
    // --dry-run can do without --out.
    case .migrate: []
    case .erase: [.ids, .out]
    case .count, .validate, .explain, .verify, .bench, .version: []
    case .generate: [.lines, .users, .seed]
    }
  }

  /// Its options, in the order of the table.
  var options: [Option] { Option.allCases.filter { $0.facts.commands.contains(self) } }
}
