import Pipeline
package import Stages

/// How many log lines may have a rejected part before a run counts as failed (exit code 3).
package enum RejectLimit: Sendable, Equatable {
  /// That many lines.
  case lines(Int)
  /// That share of the lines that are not blank, in percent.
  case percent(Double)

  /// As options spell it.
  package var text: String {
    switch self {
    case .lines(let count): "\(count)"
    case .percent(let share):
      share == share.rounded() ? "\(Int(share))%" : "\(share)%"
    }
  }

  /// What holds where the user gives no other.
  package static let usual = RejectLimit.percent(50)
  /// No limit; then inputs that are not logs are taken, too.
  package static let unlimited = RejectLimit.percent(100)
}

/// Everything a run can be told, next to what its lines mean (``Rules``).
package struct RunOptions: Sendable {
  package var rules = Rules()
  /// Files and directories as the user named them; `-` is stdin.
  package var inputs: [String] = []
  /// Whether there may be no inputs at all: a night without logs.
  package var allowEmpty = false
  /// The directory to publish.
  package var output = ""
  /// The output of an earlier run whose state goes on.
  package var previous: String?
  /// How many blocks are worked on at a time.
  package var jobs = 1
  /// How many parts profiles and state are published in.
  package var partitions = 1
  /// Most different event names, and most different attribute keys.
  package var maxNames = NameTable.usualLimit
  /// Nil = ``RejectLimit/unlimited``.
  package var maxRejects: RejectLimit?
  /// Whether a damaged input costs only what cannot be read of it.
  package var keepGoing = false
  /// Whether an existing output is replaced.
  package var replace = false
  /// Whether published profiles hold the attributes of the latest events.
  package var withValues = true
  package var stitch = Stitch.first
  /// For how many days event ids travel with the state; 0 = not at all.
  package var dedupeDays = 0
  /// Whether inputs that an earlier night has read are read again.
  package var reingest = false
  /// Whether what is finished of the inputs is kept for a run that goes on after this one has died.
  package var resumes = false
  /// About how many bytes of memory the run may take; what does not fit is spilled.
  package var memory = Int.max / 2
  /// The file of those who asked to be erased (`--erase`).
  package var erasureRequests: String?
  /// Whether what comes of installations that have opted out is kept back (`--honor-opt-out`).
  package var honorsOptOut = false
  /// Who has; a run that honours it finds out.
  var consents = ConsentHistory()
  /// Whose data is kept back: those, and whom the state says; a run finds out.
  var erasures = Erasures()
  /// zstd level of the outputs.
  package var level = 1

  package init() {}

  /// What is made of inputs that are not logs.
  var nonLogs: NonLogPolicy { (maxRejects ?? .unlimited) == .unlimited ? .accept : .refuse }

  /// What happens to an output that exists already.
  var existing: StagedDirectory.Existing { replace ? .replace : .refuse }
}
