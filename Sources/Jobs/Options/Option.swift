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
  case lateDays = "late-days"
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
  case nobody, repair
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
  case erasedAt = "erased-at"
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
        "continue from the state in the output of an earlier run; partial takes the erasures and the inputs already read from it"
      )
    case .replace:
      Row(
        nil, [.run, .migrate, .redrive, .partial, .merge, .erase, .export, .generate],
        "replace the directory if it exists; otherwise that is an error",
        .flag(\.publish.replace))
    case .ifSame:
      Row(
        nil, [.run, .partial, .merge],
        "succeed and leave --out unchanged if it was made from the same inputs, with the same options, previous output and version",
        .flag(\.publish.acceptsSame))
    case .attempt:
      Row(
        "NAME", [.partial, .merge], hasVariable: false,
        "allow other attempts at the same --out: the first to finish publishes, and the others accept that, as with --if-same"
      )
    case .partitions:
      Row(
        "N", [.run, .night, .partial], "publish profiles and state in N parts (default 1)",
        .number(\.snapshot.partitions, Self.partitionsBounds, example: 16),
        [.output, .partial, .copies])
    case .installations:
      Row(
        "N", [.merge, .partial], hasVariable: false,
        "merge the installations of this partition of the partials, counted from 0; partial: also collect opt-outs from this partition of --previous"
      )
    case .unchanged:
      Row(
        "N", [.merge], hasVariable: false,
        "after a previous output: hand over unchanged installations of this partition whose people have changed"
      )
    case .people:
      Row(
        "N", [.merge], hasVariable: false,
        "merge the people of this partition, and finish its files")
    case .finish:
      Row(
        nil, [.merge], hasVariable: false,
        "make one output from all merged partitions: those in the named directories, or in --out")
    case .partsElsewhere:
      Row(
        nil, [.merge], hasVariable: false,
        "with --finish: make everything but the parts, and list these by names derived from their content",
        .flag(\.publish.partsElsewhere))
    case .resume:
      Row(
        nil, [.migrate], "continue an interrupted migration with its finished inputs",
        .flag(\.publish.resumes))
    case .dryRun:
      Row(
        nil, [.migrate, .night, .erase], hasVariable: false,
        "write nothing: show what would be migrated, rejected and lost, its size and time; night, erase: only show what would be done"
      )
    case .verify:
      Row(
        nil, [.migrate],
        "publish only after a proof: logs read again and written again, events counted in inputs and logs"
      )
    case .erase:
      Row(
        "FILE", [.run, .night, .partial, .merge], hasVariable: false,
        "erase the people and installations in this file, one JSON object per line")
    case .erasedAt:
      Row(
        "TIME", [.run, .night, .partial, .merge, .erase], hasVariable: false,
        "when requests without a time are carried out (default: now; partial and merge need it)",
        .time(
          \.merge.erasedAt, in: Rules.earliestTime...Rules.endOfTime - 1,
          bounds: "the years 2000 to 2099"), needs: .erase)
    case .honorOptOut:
      Row(
        nil, [.run, .night, .partial],
        "suppress data of installations while they have opted out; run reads inputs twice, partial needs --opt-outs",
        .flag(\.merge.honorsOptOut))
    case .optOuts:
      Row(
        "DIR", [.partial], hasVariable: false,
        "with --honor-opt-out: the directory of opt-outs that --collect-opt-outs has collected from all inputs of the night"
      )
    case .collectOptOuts:
      Row(
        nil, [.partial], hasVariable: false,
        "make no partial, but collect the opt-outs in the inputs, for the partials of the night"
      )
    case .ids:
      Row(
        "FILE", [.erase], hasVariable: false,
        "the people and installations to erase, one JSON object per line")
    case .absent:
      Row(
        "FILE", [.verify], hasVariable: false,
        "also check that no person or installation in this file is still in the output")
    case .state:
      Row(
        nil, [.inspect], hasVariable: false,
        "print the state of each key, one JSON object per line")
    case .why:
      Row(
        nil, [.inspect], hasVariable: false,
        "show for every value which statement won, and which ones lost")
    case .history:
      Row(
        "FILE|DIR…", [.inspect], hasVariable: false,
        "show everything about the person in these logs, in order of time, and what happened to it"
      )
    case .profiles:
      Row(
        nil, [.diff], hasVariable: false,
        "list the profiles that differ, and their changes")
    case .by:
      Row(
        "day|hour|dialect|file|attribute:KEY", [.count], hasVariable: false,
        "also count by this, one row per group and name")
    case .top:
      Row(
        "N", [.count], hasVariable: false,
        "show the N most frequent rows only, and the number of others")
    case .csv:
      Row(
        nil, [.count], hasVariable: false, "print comma-separated values (RFC 4180) with a header")
    case .noValues:
      Row(
        nil, Self.mergers, "omit the attributes of latest events from the profiles",
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
        "remember event ids for N days, so that later runs find duplicates (default 0)",
        .number(\.snapshot.dedupeDays, 0...36_525, example: 7), .output)
    case .reingest:
      Row(
        nil, Self.mergers.union([.partial, .plan]),
        "read every input, also those that were read before",
        .flag(\.merge.reingest), .output)
    case .logs:
      Row(
        "PATTERN", [.night, .inspect],
        "the logs of each night, such as 'logs/%Y-%m-%d'; inspect: files and directories in which --why finds the statements"
      )
    case .date:
      Row(
        "DATE", [.night], hasVariable: false,
        "the newest night to make (default: yesterday, in UTC)")
    case .first:
      Row(
        "DATE", [.night], hasVariable: false,
        "the first night of all; only when no night is published")
    case .maxAhead:
      Row(
        "N", [.night],
        "reject events more than N days after the end of their night, from wrong clocks"
      )
    case .lateDays:
      Row(
        "N", [.night],
        "also read files that came late into the folders of the last N nights (default 7; 0 = off)")
    case .noVerify:
      Row(
        nil, [.night], "do not read each night again before the next one continues from it")
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
        "find inputs below this directory, and name them relative to it in all outputs")
    case .tasks:
      Row("N", [.plan], hasVariable: false, "divide the inputs among at most N tasks")
    case .level:
      Row(
        "N", [.run, .night, .migrate, .redrive, .partial, .merge, .export, .bench, .generate],
        "zstd level, \(ZstdEncoder.levels.lowerBound) to \(ZstdEncoder.levels.upperBound) (default: \(RunOptions().publish.level), generate 3)",
        .number(\.publish.level, ZstdEncoder.levels, example: 3), [.output, .logs, .copies])
    case .v1:
      Row(
        "strict|lenient", Self.readers,
        "reject a v1 event that breaks a limit, or drop only the invalid part (default strict)",
        .choice(\.read.rules.v1), .lines)
    case .mapping:
      Row(
        "FILE|NAME", Self.readers.subtracting([.mappingTest]).union([.bench, .inspect]),
        "read lines with the mapping in this file, or the built-in one of this name, before the built-in dialects; for several, use commas or repeat the option",
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
        "fields of foreign events that identify their owner, such as custom:userId,uid;installation:deviceId",
        .identityKeys(\.read.rules.foreign.identityKeys), .lines)
    case .realmObjects:
      Row(
        "all|none", Self.readers,
        "keep the database objects in realm records, or only their number (default all)",
        .choice(\.read.rules.foreign.realmObjects), .lines)
    case .nobody:
      Row(
        "FILE|none", Self.readers,
        "also treat the words in this file, one per line, as placeholders for a missing id; none: only ten words, as custom ids (default: the built-in list)",
        .placeholders(\.read.rules.placeholders), .lines)
    case .repair:
      Row(
        nil, Self.readers,
        """
        repair a line that is not JSON: trailing commas, halves of surrogate pairs, invalid UTF-8, NUL bytes or U+FEFF \
        before the object; on with --dialect pulse
        """,
        .flag(\.read.rules.foreign.repairs), .lines)
    case .defaultTime:
      Row(
        "TIME", Self.readers, "replaces a missing event or record time",
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
        "exclude events before this time or date; they are counted as outside, not rejected",
        .time(\.read.rules.since), .lines)
    case .until:
      Row(
        "TIME", Self.readers, "exclude events at this time or date and later, like --since",
        .time(\.read.rules.until), .lines)
    case .maxLine:
      Row(
        "SIZE", Self.readers, "longest line accepted (default 16M; realm 64M)",
        .size(\.read.rules.maxLine, 1...Rules.longestLine), .lines)
    case .unknownFields:
      Row(
        "drop|keep|reject", Self.readers,
        "fields that no rule reads: omit and count them, make them attributes of their event, or reject the event (default drop)",
        .choice(\.read.rules.unknownFields), .lines)
    case .maxNames:
      Row(
        "N", [.run, .night, .partial, .merge, .count],
        "most different event names, and most different attribute keys (default 1M); with more the run fails"
      )
    case .maxRejects:
      Row(
        "N|P%",
        [
          .run, .night, .partial, .merge, .count, .validate, .migrate, .trackingInfer,
          .trackingCheck, .mappingTest,
        ],
        "fail with exit code 3 if more lines, or a greater share, have a rejected part (default \(RejectLimit.usual.text), validate none); 100% also accepts inputs that are not logs; for a run in two halves merge --finish checks it"
      )
    case .keepGoing:
      Row(
        nil, Self.readingJobs, "use everything readable of a damaged input",
        .flag(\.read.keepGoing),
        .lines)
    case .allowEmpty:
      Row(
        nil, Self.readers.subtracting([.redrive]).union([.plan]),
        "a directory without logs, or no input at all, is not an error; night: nor are missing logs",
        .flag(\.read.allowEmpty))
    case .metrics:
      Row(
        "FILE", Self.mergers,
        "write metrics of the run (merge: of --finish) to this file, in the Prometheus format; also when it fails"
      )
    case .tracking:
      Row(
        "FILE", [.run, .night, .partial], hasVariable: false,
        "compare events with this tracking plan, and report the differences; nothing is dropped"
      )
    case .failOn:
      Row(
        "KINDS", [.trackingCheck], hasVariable: false,
        "exit code 6 if one of these is found: new-event, new-attribute, missing, wrong-type, value, range, separated by commas, or all"
      )
    case .stage: Row("NAME", [.bench], "measure only this stage or job (default: all)")
    case .runs:
      Row(
        "N", [.bench],
        "number of measurements, without warm-up (default \(BenchOptions().runs))")
    case .baseline:
      Row(
        "FILE", [.bench],
        "compare with the result of an earlier --save or --json in this file")
    case .save: Row("FILE", [.bench], "write the result to this file, in the form of --json")
    case .lines: Row("N", [.bench, .generate], "total number of log lines (bench: 200K)")
    case .users: Row("N", [.bench, .generate], "number of people in them (bench: 20K)")
    case .seed: Row("N", [.bench, .generate], "the same seed makes the same bytes (bench: 1)")
    case .nights:
      Row(
        "N|PATTERN", [.generate, .erase], hasVariable: false,
        "spread the lines over N days; with --out, a folder for each (default 1); erase: copy every night with a path of this pattern, such as 'out/%Y-%m-%d'"
      )
    case .years:
      Row(
        "N", [.generate],
        "spread them over N years instead; with --out, an archive of v1 logs that switched to v2 in its last year"
      )
    case .bad:
      Row(
        "P%", [.generate],
        "share of lines with a fault; all kinds of faults alternate (default 0%)")
    case .format:
      Row(
        "mixed|v1|v2", [.generate],
        "format of the lines (default mixed)")
    case .start: Row("DATE", [.generate], "the first day (default 2024-06-01)")
    case .jobs:
      Row(
        "N", Self.readers.union([.merge, .erase, .verify, .inspect, .export, .bench]),
        "number of blocks to process concurrently (default: the cores)",
        .number(\.read.jobs, Self.jobsBounds, example: 4))
    case .memory:
      Row(
        "SIZE", [.run, .night, .partial, .merge, .erase, .count, .migrate],
        "approximate memory limit (default: half of the available memory); other data goes to disk, or ends a count and a --verify",
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
        "end as by SIGTERM when the parent process ends")
    case .noProgress: Row(nil, Self.everywhere, "do not show progress")
    case .color:
      Row(
        "auto|always|never", Self.everywhere, "colours (default auto; NO_COLOR is respected)")
    case .help: Row(nil, Self.everywhere, hasVariable: false, "show this text")
    case .version:
      Row(nil, Self.everywhere, hasVariable: false, "print version, commit, libzstd version")
    }
  }
}
