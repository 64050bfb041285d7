import Pipeline
package import Stages

/// The most lines with a rejected part: a run with more fails (exit code 3).
package enum RejectLimit: Sendable, Equatable {
  case lines(Int)
  /// That share of the lines that are not blank, in percent.
  case percent(Double)

  package var text: String {
    switch self {
    case .lines(let count): "\(count)"
    case .percent(let share): share == share.rounded() ? "\(Int(share))%" : "\(share)%"
    }
  }

  package static let usual = RejectLimit.percent(50)
  /// No limit; then inputs that are not logs are accepted, too.
  package static let unlimited = RejectLimit.percent(100)
}

/// How the inputs of a job are read.
package struct ReadOptions: Sendable {
  package var rules = Rules()
  /// Files and directories as named by the user; `-` is stdin.
  package var inputs: [String] = []
  package var allowEmpty = false
  /// Whether a file that is reached in several ways is an input by the first of them.
  package var mayRepeat = false
  package var keepGoing = false
  /// Nil = ``RejectLimit/unlimited``.
  package var maxRejects: RejectLimit?
  /// Most different event names, and most different attribute keys.
  package var maxNames = NameTable.usualLimit
  package var jobs = 1
  /// Approximate bytes of memory for the job; what does not fit is in files.
  package var memory = Int.max / 2
  /// The default of commands that have such files, unless they have more jobs or less memory.
  package static let usualMemory = 128 << 20
  /// The least memory per job of such a command: blocks, decoders, encoders, a range of keys.
  package static let memoryPerJob = 16 << 20

  /// Makes jobs and memory of a command that has files for what does not fit agree: without
  /// `--memory` each of many jobs has its own, with it there are as many jobs as it suffices for.
  mutating func share(memoryIsGiven: Bool) {
    if !memoryIsGiven { memory = min(memory, max(Self.usualMemory, jobs * Self.memoryPerJob)) }
    jobs = max(1, min(jobs, memory / Self.memoryPerJob))
  }

  var nonLogs: NonLogPolicy { (maxRejects ?? .unlimited) == .unlimited ? .accept : .refuse }

  /// The rules by which files in directories are recognised as logs; nil if others are read, too.
  var recognition: Rules? { nonLogs == .refuse ? rules : nil }
}

/// The output that a run continues, and the keys whose data it suppresses.
package struct MergeOptions: Sendable {
  package var previous: String?
  /// Whether inputs that an earlier night has read are read again.
  package var reingest = false
  /// The file of requests for erasure (`--requests`).
  package var erasureRequests: String?
  /// The moment of requests without a time, in milliseconds since 1970 (`--erased-at`).
  package var erasedAt: Int?
  /// The present time, its default; nil for commands that read no clock.
  package var now: Int?
  /// Whether data of installations that have opted out is suppressed (`--honor-opt-out`).
  package var honorsOptOut = false
  /// The directory of the opt-outs of all inputs, for a partial that honors them (`--opt-outs`).
  package var optOuts: String?

  /// The moment at which requests without a time are carried out; nil if it is not known.
  package var moment: Int? { erasedAt ?? now }
}

/// The place and form of an output.
package struct PublishOptions: Sendable {
  package var output = ""
  package var replace = false
  /// Whether an existing output is a success if it is identical to the one the job would make.
  package var acceptsSame = false
  /// The name of this attempt, which allows concurrent ones; nil for a job that excludes others.
  package var attempt: String?
  package var level = 1
  /// Whether an interrupted migration is continued with its finished inputs.
  package var resumes = false
  /// Whether the parts are listed by their content, and put into the output by another program.
  package var partsElsewhere = false
}

package struct RunOptions: Sendable {
  package var read = ReadOptions()
  package var merge = MergeOptions()
  package var snapshot = SnapshotOptions()
  package var publish = PublishOptions()
  /// The file of the tracking plan that events are checked against for the report.
  package var tracking: String?
  package var alerts = AlertLimits()
  /// What `night` found in the folders of earlier nights, for the report; nil for other commands.
  /// A night also leaves out logs that have lost what was read, and goes on.
  package var late: LateFiles?

  package init() {}

  init(_ read: ReadOptions, _ publish: PublishOptions) {
    (self.read, self.publish) = (read, publish)
  }
}

/// What a run finds out about people whose data is suppressed, before it reads their data.
struct PrivacyFindings: Sendable {
  /// The people in the requests of this run, and in the state of earlier nights.
  var erasures = Erasures()
  /// The consent statements; empty unless opt-outs are honored.
  var consents = ConsentHistory()
  /// A hash of the files with them; nil for a run, which reads them itself.
  var consentSources: UInt64?
}

/// What is printed, and how.
package struct ConsoleSettings: Equatable, Sendable {
  package var quiet = false
  /// Whether results and errors are JSON.
  package var json = false
  package var progress = true
  package var endsWithParent = false
  package var color = ColorChoice.auto
  package var logFormat = LogFormat.text

  package init() {}
}

/// When colors are used (`--color`).
package enum ColorChoice: String, CaseIterable, Sendable {
  /// `auto` is on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
  case auto, always, never
}

/// The form of messages on standard error (`--log-format`).
package enum LogFormat: String, CaseIterable, Sendable { case text, json }
