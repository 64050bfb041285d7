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

/// How the inputs of a job are read.
package struct ReadOptions: Sendable {
  package var rules = Rules()
  /// Files and directories as the user named them; `-` is stdin.
  package var inputs: [String] = []
  /// Whether there may be no inputs at all: a night without logs.
  package var allowEmpty = false
  /// Whether a damaged input costs only what cannot be read of it.
  package var keepGoing = false
  /// Nil = ``RejectLimit/unlimited``.
  package var maxRejects: RejectLimit?
  /// Most different event names, and most different attribute keys.
  package var maxNames = NameTable.usualLimit
  /// How many blocks are worked on at a time.
  package var jobs = 1
  /// About how many bytes of memory the job may take; what does not fit is spilled.
  package var memory = Int.max / 2

  /// What is made of inputs that are not logs.
  var nonLogs: NonLogPolicy { (maxRejects ?? .unlimited) == .unlimited ? .accept : .refuse }
}

/// What a run continues, and whose data it withholds.
package struct MergeOptions: Sendable {
  /// The output of an earlier run whose state is continued.
  package var previous: String?
  /// Whether inputs that an earlier night has read are read again.
  package var reingest = false
  /// The file of those who asked to be erased (`--erase`).
  package var erasureRequests: String?
  /// Whether what comes of installations that have opted out is withheld (`--honor-opt-out`).
  package var honorsOptOut = false
  /// The directory of the opt-outs of all inputs, for a partial that withholds them (`--opt-outs`).
  package var optOuts: String?
}

/// Where and how an output is written.
package struct PublishOptions: Sendable {
  /// The directory to publish.
  package var output = ""
  /// Whether an existing output is replaced.
  package var replace = false
  /// Whether an output that exists already is a success if it is what the job would make.
  package var acceptsSame = false
  /// The name of this attempt, beside which others may work; nil for a job that excludes others.
  package var attempt: String?
  /// zstd level of the outputs.
  package var level = 1
  /// Whether what is finished of the inputs is kept for a run that continues after this one died.
  package var resumes = false
  /// Whether the parts are listed by their content, and put into the output by another program.
  package var partsElsewhere = false

  /// What happens to an output that exists already.
  var existing: StagedDirectory.Existing { replace ? .replace : .refuse }
}

/// Everything a run can be told, by the part of it that is meant.
package struct RunOptions: Sendable {
  package var read = ReadOptions()
  package var merge = MergeOptions()
  package var snapshot = SnapshotOptions()
  package var publish = PublishOptions()
  /// The file of the tracking plan that events are compared with for the report.
  package var tracking: String?

  package init() {}

  /// The options of a job that writes no snapshot.
  init(_ read: ReadOptions, _ publish: PublishOptions) {
    (self.read, self.publish) = (read, publish)
  }
}

/// What a run finds out about people whose data is withheld, before it reads what they did.
struct PrivacyFindings: Sendable {
  /// Whom the requests of this run name, and whom the state of earlier nights names.
  var erasures = Erasures()
  /// Who has opted out, and when; empty unless that is honored.
  var consents = ConsentHistory()
  /// A hash of the files that say so; nil for a run, which reads them itself.
  var consentSources: UInt64?
}
