import Pipeline
import Stages

/// Every option of the program, by its name on the command line without the dashes.
///
/// A new one is a case and a row of ``facts``, in this file only: parsing, variables, help,
/// suggestions, manifests, and the options that partials and copies must agree on, are derived from
/// them.
package enum Option: String, CaseIterable, Sendable {
  // Outputs.
  case out, to
  case exportedAs = "as"
  case previous, replace
  case ifSame = "if-same"
  case attempt, partitions, installations, unchanged, people, finish
  case partsElsewhere = "parts-elsewhere"
  case noValues = "no-values"
  case noDays = "no-days"
  case stitch
  case dedupeDays = "dedupe-days"
  case reingest, level
  // Nights to make and to keep.
  case logs, date, first
  case maxAhead = "max-ahead"
  case noVerify = "no-verify"
  case keepDaily = "keep-daily"
  case keepWeekly = "keep-weekly"
  case keepMonthly = "keep-monthly"
  // Inputs, and the number of readers.
  case from, root, tasks
  // The meaning of a line.
  case v1, mapping, dialect, foreign
  case identityKeys = "identity-keys"
  case realmObjects = "realm-objects"
  case repair
  case defaultTime = "default-time"
  case notBefore = "not-before"
  case notAfter = "not-after"
  case since, until
  case maxLine = "max-line"
  case unknownFields = "unknown-fields"
  // Tolerance.
  case maxNames = "max-names"
  case maxRejects = "max-rejects"
  case keepGoing = "keep-going"
  case allowEmpty = "allow-empty"
  case resume
  case dryRun = "dry-run"
  case verify
  // Whose data is suppressed.
  case erase
  case honorOptOut = "honor-opt-out"
  case optOuts = "opt-outs"
  case collectOptOuts = "collect-opt-outs"
  case ids, absent
  // The subject of an inspection, and its form.
  case state, profiles, why, history, by, top, csv
  case failOn = "fail-on"
  // Reports of a run.
  case metrics, tracking
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
  case dieWithParent = "die-with-parent"
  case color, help, version
}

extension Option {
  /// Whether it accepts several words up to the next option, after the command `command`.
  package func takesList(of command: Command?) -> Bool {
    self == .history || self == .logs && command == .inspect
  }
}

// MARK: - Table

extension Option {
  private typealias Row = OptionFacts

  private static let readers: Set<Command> = [
    .run, .night, .partial, .count, .validate, .migrate, .redrive, .explain, .trackingInfer,
    .trackingCheck, .mappingTest,
  ]
  private static let readingJobs = readers.subtracting([.explain])
  /// The commands that make profiles.
  private static let mergers: Set<Command> = [.run, .night, .merge]
  private static let everywhere = Set(Command.allCases)
  package static let jobsBounds = 1...512
  package static let partitionsBounds = 1...4096
  package static let tasksBounds = 1...100_000

  /// The properties of the option.
  package var facts: OptionFacts {
    switch self {
    case .out:
      Row(
        "DIR", [.run, .night, .migrate, .redrive, .partial, .merge, .erase, .generate],
        "write to this directory; it appears complete or not at all")
    case .to:
      Row(
        "DIR", [.export, .man], hasVariable: false,
        "write the tables of export, or the pages of man, to this directory; tables appear complete or not at all"
      )
    case .exportedAs:
      Row("csv|ndjson", [.export], "write rows as CSV or as lines of JSON (default csv)")
    case .previous:
      Row(
        "DIR", [.run, .merge, .partial, .plan],
        "go on from the state in the output of an earlier run; partial takes from it who is erased, and which inputs it has read"
      )
    case .replace:
      Row(
        nil, [.run, .migrate, .redrive, .partial, .merge, .erase, .export, .generate],
        "replace the directory if it exists; without it that is refused",
        .flag(\.publish.replace))
    case .ifSame:
      Row(
        nil, [.run, .partial, .merge],
        "an --out that was made of the same inputs, with the same options, previous output and version, is a success and left unchanged",
        .flag(\.publish.acceptsSame))
    case .attempt:
      Row(
        "NAME", [.partial, .merge], hasVariable: false,
        "work beside other attempts at the same --out: the first to finish publishes, and the others accept that, as with --if-same"
      )
    case .partitions:
      Row(
        "N", [.run, .night, .partial], "publish profiles and state in N parts (default 1)",
        .number(\.snapshot.partitions, Self.partitionsBounds, example: 16),
        [.output, .partial, .copies])
    case .installations:
      Row(
        "N", [.merge, .partial], hasVariable: false,
        "merge the installations of this partition of the partials, counted from 0; of partial: collect opt-outs also from this partition of --previous"
      )
    case .unchanged:
      Row(
        "N", [.merge], hasVariable: false,
        "after a previous output: hand over installations of this partition that are as they were, of people who changed"
      )
    case .people:
      Row(
        "N", [.merge], hasVariable: false,
        "merge the people of this partition, and finish its files")
    case .finish:
      Row(
        nil, [.merge], hasVariable: false,
        "make one output of all merged partitions: those in the directories named, or in --out")
    case .partsElsewhere:
      Row(
        nil, [.merge], hasVariable: false,
        "with --finish: make all but the parts, and list these by names that follow from their content",
        .flag(\.publish.partsElsewhere))
    case .resume:
      Row(
        nil, [.run, .night, .migrate],
        "go on from the inputs that a run or migration had finished when it died; run keeps them only with this option",
        .flag(\.publish.resumes))
    case .dryRun:
      Row(
        nil, [.migrate, .night], hasVariable: false,
        "do everything but write: what would be migrated, rejected and lost, how much and how long; of night: only say what would be done"
      )
    case .verify:
      Row(
        nil, [.migrate],
        "publish only what is proven: logs read again and written again, events counted in inputs and logs"
      )
    case .erase:
      Row(
        "FILE", [.run, .night, .partial, .merge], hasVariable: false,
        "erase the people and installations that this file names, one JSON object per line")
    case .honorOptOut:
      Row(
        nil, [.run, .night, .partial],
        "suppress what comes from installations while they have opted out; run reads inputs twice, partial needs --opt-outs",
        .flag(\.merge.honorsOptOut))
    case .optOuts:
      Row(
        "DIR", [.partial], hasVariable: false,
        "with --honor-opt-out: the directory of what --collect-opt-outs has collected of all inputs of the night"
      )
    case .collectOptOuts:
      Row(
        nil, [.partial], hasVariable: false,
        "make no partial, but collect what the inputs say of opt-outs, for the partials of the night"
      )
    case .ids:
      Row(
        "FILE", [.erase], hasVariable: false,
        "the people and installations to erase, one JSON object per line")
    case .absent:
      Row(
        "FILE", [.verify], hasVariable: false,
        "check as well that nobody whom this file names is in the output any more")
    case .state:
      Row(
        nil, [.inspect], hasVariable: false,
        "print what the state knows of each key, one JSON object per line")
    case .why:
      Row(
        nil, [.inspect], hasVariable: false,
        "show for every value what won, and what it won against")
    case .history:
      Row(
        "FILE|DIR…", [.inspect], hasVariable: false,
        "show everything that these logs say of the person, in order of time, and what became of it"
      )
    case .profiles:
      Row(
        nil, [.diff], hasVariable: false,
        "list the profiles that differ, and what changed in each")
    case .by:
      Row(
        "day|hour|dialect|file|attribute:KEY", [.count], hasVariable: false,
        "count by this as well, one row per group and name")
    case .top:
      Row(
        "N", [.count], hasVariable: false,
        "show the N most frequent rows only, and how many more there are")
    case .csv:
      Row(
        nil, [.count], hasVariable: false, "print comma-separated values (RFC 4180) with a header")
    case .noValues:
      Row(
        nil, Self.mergers, "leave the attributes of latest events out of the profiles",
        .flag(\.snapshot.withValues, means: false), [.output, .copies])
    case .noDays:
      Row(
        nil, [.run, .night, .partial],
        "count nothing by day: no daily_counts.ndjson, and no days of people in the state",
        .flag(\.snapshot.withDays, means: false), [.output, .partial, .copies])
    case .stitch:
      Row(
        "first|none", Self.mergers,
        "fold an installation into the custom id of its earliest link (default first)",
        .choice(\.snapshot.stitch), [.output, .copies])
    case .dedupeDays:
      Row(
        "N", Self.mergers,
        "remember event ids for N days, so that later runs know duplicates (default 0)",
        .number(\.snapshot.dedupeDays, 0...36_525, example: 7), .output)
    case .reingest:
      Row(
        nil, Self.mergers.union([.partial, .plan]),
        "read inputs that an earlier night has read once more",
        .flag(\.merge.reingest), .output)
    case .logs:
      Row(
        "PATTERN", [.night, .inspect],
        "the logs of each night, such as 'logs/%Y-%m-%d'; of inspect: all files and directories in which --why finds what won and lost"
      )
    case .date:
      Row(
        "DATE", [.night], hasVariable: false,
        "the newest night that is made (default: yesterday, in UTC)")
    case .first:
      Row(
        "DATE", [.night], hasVariable: false,
        "once, when no night is published: this is the first of all")
    case .maxAhead:
      Row(
        "N", [.night],
        "reject events that are more than N days later than the end of their night: clocks that are wrong"
      )
    case .noVerify:
      Row(
        nil, [.night], "let the next night continue from one that was not read once more")
    case .keepDaily:
      Row(
        "N", [.night],
        "keep the newest N nights (default: all, unless one of these three options is given)")
    case .keepWeekly:
      Row("N", [.night], "keep the newest night of each of the newest N weeks")
    case .keepMonthly:
      Row("N", [.night], "keep the newest night of each of the newest N months")
    case .from:
      Row(
        "FILE|-", [.run, .partial, .count, .validate, .migrate, .merge, .plan, .mappingInfer],
        hasVariable: false,
        "read more names of inputs from this file, one in each line")
    case .root:
      Row(
        "DIR", [.run, .partial, .migrate, .plan],
        "find inputs below this directory, and name them relative to it in all that is written")
    case .tasks:
      Row("N", [.plan], hasVariable: false, "share the inputs out among at most N tasks")
    case .level:
      Row(
        "N", [.run, .night, .migrate, .redrive, .partial, .merge, .export, .bench, .generate],
        "zstd level, \(ZstdEncoder.levels.lowerBound) to \(ZstdEncoder.levels.upperBound) (default: \(RunOptions().publish.level), generate 3)",
        .number(\.publish.level, ZstdEncoder.levels, example: 3), [.output, .logs, .copies])
    case .v1:
      Row(
        "strict|lenient", Self.readers,
        "reject a v1 event that breaks a limit, or drop the bad part only (default strict)",
        .choice(\.read.rules.v1), .lines)
    case .mapping:
      Row(
        "FILE|NAME", Self.readers.subtracting([.mappingTest]).union([.bench, .inspect]),
        "read lines that this file describes, or the mapping that comes along under this name, before those of built-in dialects; several with commas, or the option again",
        .mappings(\.read.rules.mappings), .lines)
    case .dialect:
      Row(
        "NAME", Self.readers.union([.bench, .generate]),
        "lines of this dialect only: \(Dialect.allCases.map(\.name).joined(separator: ", ")), or one that a mapping describes (default auto: each line by its own form; bench and generate: v1 and v2)",
        .dialect(\.read.rules.dialect), .lines)
    case .foreign:
      Row(
        "tolerant|strict", Self.readers,
        "cut what breaks a limit in an event of a foreign dialect, or reject the event (default tolerant)",
        .choice(\.read.rules.foreign.policy), .lines)
    case .identityKeys:
      Row(
        "LISTS", Self.readers,
        "members of foreign events that say whose they are, such as custom:userId,uid;installation:deviceId",
        .identityKeys(\.read.rules.foreign.identityKeys), .lines)
    case .realmObjects:
      Row(
        "all|none", Self.readers,
        "keep the database objects that realm records hold, or only how many (default all)",
        .choice(\.read.rules.foreign.realmObjects), .lines)
    case .repair:
      Row(
        nil, Self.readers,
        "read a line that is no JSON without its trailing commas; on with --dialect pulse",
        .flag(\.read.rules.foreign.repairs), .lines)
    case .defaultTime:
      Row(
        "TIME", Self.readers, "stands in for a missing event or record time",
        .time(
          \.read.rules.defaultTime, in: Rules.earliestTime...Rules.endOfTime - 1,
          bounds: "the years 2000 to 2099"), .lines)
    case .notBefore:
      Row(
        "TIME", Self.readers, "reject events before this time", .time(\.read.rules.notBefore),
        .lines)
    case .notAfter:
      Row(
        "TIME", Self.readers, "reject events after this time", .time(\.read.rules.notAfter), .lines)
    case .since:
      Row(
        "TIME", Self.readers,
        "leave out events before this time or date; they are counted as outside, not rejected",
        .time(\.read.rules.since), .lines)
    case .until:
      Row(
        "TIME", Self.readers, "leave out events at this time or date and later, as --since does",
        .time(\.read.rules.until), .lines)
    case .maxLine:
      Row(
        "SIZE", Self.readers, "longest line that is accepted (default 16M; realm 64M)",
        .size(\.read.rules.maxLine, 1...Rules.longestLine), .lines)
    case .unknownFields:
      Row(
        "drop|keep|reject", Self.readers,
        "fields that no rule reads: leave them out and say so, make them attributes of their event, or reject for them (default drop)",
        .choice(\.read.rules.unknownFields), .lines)
    case .maxNames:
      Row(
        "N", [.run, .night, .partial, .merge, .count],
        "most different event names, and as many attribute keys (default 1M); with more the run fails"
      )
    case .maxRejects:
      Row(
        "N|P%",
        [
          .run, .night, .partial, .merge, .count, .validate, .migrate, .trackingInfer,
          .trackingCheck, .mappingTest,
        ],
        "fail with exit code 3 if more lines, or a greater share, have a rejected part (default \(RejectLimit.usual.text), validate none); 100% also takes inputs that are not logs; of the two halves of a run merge --finish decides"
      )
    case .keepGoing:
      Row(
        nil, Self.readingJobs, "take what can be read of a damaged input", .flag(\.read.keepGoing),
        .lines)
    case .allowEmpty:
      Row(
        nil, Self.readers.subtracting([.redrive]).union([.plan]),
        "a directory without logs, or no input at all, is not an error; of night: nor are logs that are missing",
        .flag(\.read.allowEmpty))
    case .metrics:
      Row(
        "FILE", Self.mergers,
        "write figures of the run (merge: of --finish) to this file, as Prometheus reads them; also when it fails"
      )
    case .tracking:
      Row(
        "FILE", [.run, .night], hasVariable: false,
        "compare events with this tracking plan, and put what is different into the report; nothing is dropped"
      )
    case .failOn:
      Row(
        "KINDS", [.trackingCheck], hasVariable: false,
        "exit code 6 if one of these is found: new-event, new-attribute, missing, wrong-type, value, range, with commas between them, or all"
      )
    case .stage: Row("NAME", [.bench], "measure only this stage or job (default: all)")
    case .runs:
      Row(
        "N", [.bench],
        "how often to measure, warm-up aside (default \(BenchOptions().runs))")
    case .baseline:
      Row(
        "FILE", [.bench],
        "compare with the result that an earlier --save or --json left in this file")
    case .save: Row("FILE", [.bench], "write the result to this file, as --json prints it")
    case .lines: Row("N", [.bench, .generate], "log lines to make, in all (bench: 200K)")
    case .users: Row("N", [.bench, .generate], "people who appear in them (bench: 20K)")
    case .seed: Row("N", [.bench, .generate], "the same seed makes the same bytes (bench: 1)")
    case .nights:
      Row(
        "N", [.generate],
        "spread the lines over N days; with --out, a folder for each (default 1)")
    case .years:
      Row(
        "N", [.generate],
        "spread them over N years instead; with --out, an archive of v1 logs that went over to v2 in its last year"
      )
    case .bad:
      Row(
        "P%", [.generate],
        "share of lines with a fault; faults of all kinds take turns (default 0%)")
    case .format:
      Row(
        "mixed|v1|v2", [.generate],
        "which of v1 and v2 the lines are written in (default mixed)")
    case .start: Row("DATE", [.generate], "the first day (default 2024-06-01)")
    case .jobs:
      Row(
        "N", Self.readers.union([.merge, .erase, .verify, .inspect, .export, .bench]),
        "how many blocks to work on at a time (default: the cores)",
        .number(\.read.jobs, Self.jobsBounds, example: 4))
    case .memory:
      Row(
        "SIZE", [.run, .night, .partial, .merge, .erase, .count, .migrate],
        "about how much memory to take (default: half of what there is); what does not fit goes to disk, or ends a count and a --verify",
        .size(\.read.memory, 16 << 20...1 << 50))
    case .quiet:
      Row(
        nil, Self.everywhere,
        "no summary, notes or progress; errors, warnings and results (tables, JSON, findings) are still printed"
      )
    case .json: Row(nil, Self.everywhere, "results and errors as JSON")
    case .logFormat:
      Row(
        "text|json", Self.everywhere, "messages as text or as JSON, one per line (default text)")
    case .dieWithParent:
      Row(
        nil, Self.everywhere, hasVariable: false,
        "end as by SIGTERM when the process that started this one ends")
    case .noProgress: Row(nil, Self.everywhere, "show no progress")
    case .color:
      Row(
        "auto|always|never", Self.everywhere, "colours (default auto; NO_COLOR is respected)")
    case .help: Row(nil, Self.everywhere, hasVariable: false, "this text")
    case .version:
      Row(nil, Self.everywhere, hasVariable: false, "version, commit, libzstd version")
    }
  }
}
