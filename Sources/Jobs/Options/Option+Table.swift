import Pipeline
import Stages

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
  static let jobsBounds = 1...512
  private static let partitionsBounds = 1...4096
  private static let tasksBounds = 1...100_000
  private static let nightsBounds = 0...100_000
  private static let partition = OptionForm.number(0...partitionsBounds.upperBound - 1, example: 0)

  /// The properties of the option.
  package var facts: OptionFacts { Self.table[self] ?? row }
  /// Made once: a command line asks for every row several times.
  private static let table = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.row) })

  private var row: OptionFacts {
    switch self {
    case .out:
      Row(
        "DIR", [.run, .night, .migrate, .redrive, .partial, .merge, .erase, .generate],
        "write to this directory; it appears complete or not at all",
        .value(\.run.publish.output, .text))
    case .to:
      Row(
        "DIR", [.export, .man], hasVariable: false,
        "write the tables of export, or the pages of man, to this directory; tables appear complete or not at all",
        .value(\.run.publish.output, .text))
    case .exportedAs:
      Row(
        "csv|ndjson", [.export], "write rows as CSV or as lines of JSON (default csv)",
        .value(\.format, .word))
    case .previous:
      Row(
        "DIR", [.run, .merge, .partial, .plan],
        "continue from the state in the output of an earlier run; partial takes the erasures and the inputs already read from it",
        .maybe(\.run.merge.previous, .text))
    case .replace:
      Row(
        nil, [.run, .migrate, .redrive, .partial, .merge, .erase, .export, .generate],
        "replace the directory if it exists; otherwise that is an error",
        .flag(\.run.publish.replace))
    case .ifSame:
      Row(
        nil, [.run, .partial, .merge],
        "succeed and leave --out unchanged if it was made from the same inputs, with the same options, previous output and version",
        .flag(\.run.publish.acceptsSame))
    case .attempt:
      Row(
        "NAME", [.partial, .merge], hasVariable: false,
        "allow other attempts at the same --out: the first to finish publishes, and the others accept that, as with --if-same",
        OptionSetting { values, option, options throws(Failure) in
          options.run.publish.attempt = try values.attempt(option)
          options.run.publish.acceptsSame = true
        })
    case .partitions:
      Row(
        "N", [.run, .night, .partial], "publish profiles and state in N parts (default 1)",
        .value(\.run.snapshot.partitions, .number(Self.partitionsBounds, example: 16)),
        [.output, .partial, .copies])
    case .installations:
      Row(
        "N", [.merge, .partial], hasVariable: false,
        "merge the installations of this partition of the partials, counted from 0; partial: also collect opt-outs from this partition of --previous",
        .maybe(\.installations, Self.partition))
    case .unchanged:
      Row(
        "N", [.merge], hasVariable: false,
        "after a previous output: hand over unchanged installations of this partition whose people have changed",
        .maybe(\.unchanged, Self.partition))
    case .people:
      Row(
        "N", [.merge], hasVariable: false,
        "merge the people of this partition, and finish its files",
        .maybe(\.people, Self.partition))
    case .finish:
      Row(
        nil, [.merge], hasVariable: false,
        "make one output from all merged partitions: those in the named directories, or in --out",
        .flag(\.finishes))
    case .partsElsewhere:
      Row(
        nil, [.merge], hasVariable: false,
        "with --finish: make everything but the parts, and list these by names derived from their content",
        .flag(\.run.publish.partsElsewhere))
    case .resume:
      Row(
        nil, [.migrate], "continue an interrupted migration with its finished inputs",
        .flag(\.run.publish.resumes))
    case .dryRun:
      Row(
        nil, [.migrate, .night, .erase], hasVariable: false,
        "write nothing: show what would be migrated, rejected and lost; night, erase: only show what would be done",
        .flag(\.isDryRun))
    case .verify:
      Row(
        nil, [.migrate],
        "publish only after a proof: logs read again and written again, events counted in inputs and logs",
        .flag(\.verifies))
    case .erase:
      Row(
        "FILE", [.run, .night, .partial, .merge], hasVariable: false,
        "erase the people and installations in this file, one JSON object per line",
        .maybe(\.run.merge.erasureRequests, .text))
    case .erasedAt:
      Row(
        "TIME", [.run, .night, .partial, .merge, .erase], hasVariable: false,
        "when requests without a time are carried out (default: now; partial and merge need it)",
        .value(
          \.run.merge.erasedAt,
          .time(in: Rules.earliestTime...Rules.endOfTime - 1, bounds: "the years 2000 to 2099")),
        needs: .erase)
    case .honorOptOut:
      Row(
        nil, [.run, .night, .partial],
        "suppress data of installations while they have opted out; run reads inputs twice, partial needs --opt-outs",
        .flag(\.run.merge.honorsOptOut))
    case .optOuts:
      Row(
        "DIR", [.partial], hasVariable: false,
        "with --honor-opt-out: the directory of opt-outs that --collect-opt-outs has collected from all inputs of the night",
        .maybe(\.run.merge.optOuts, .text))
    case .collectOptOuts:
      Row(
        nil, [.partial], hasVariable: false,
        "make no partial, but collect the opt-outs in the inputs, for the partials of the night",
        .flag(\.collectsOptOuts))
    case .ids:
      Row(
        "FILE", [.erase], hasVariable: false,
        "the people and installations to erase, one JSON object per line",
        .maybe(\.run.merge.erasureRequests, .text))
    case .absent:
      Row(
        "FILE", [.verify], hasVariable: false,
        "also check that no person or installation in this file is still in the output",
        .maybe(\.absent, .text))
    case .state:
      Row(
        nil, [.inspect], hasVariable: false,
        "print the state of each key, one JSON object per line",
        .flag(\.showsState))
    case .why:
      Row(
        nil, [.inspect], hasVariable: false,
        "show for every value which statement won, and which ones lost",
        .flag(\.asksWhy))
    case .history:
      Row(
        "FILE|DIR…", [.inspect], hasVariable: false,
        "show everything about the person in these logs, in order of time, and what happened to it",
        .value(\.history, OptionForm(OptionValues.list)))
    case .profiles:
      Row(
        nil, [.diff], hasVariable: false,
        "list the profiles that differ, and their changes",
        .flag(\.listsProfiles))
    case .by:
      Row(
        "day|hour|dialect|file|attribute:KEY", [.count], hasVariable: false,
        "also count by this, one row per group and name",
        .maybe(
          \.grouping, OptionForm(OptionValues.grouping)))
    case .top:
      Row(
        "N", [.count], hasVariable: false,
        "show the N most frequent rows only, and the number of others",
        .maybe(\.top, .number(1...Int.max, example: 20)))
    case .csv:
      Row(
        nil, [.count], hasVariable: false, "print comma-separated values (RFC 4180) with a header",
        .flag(\.isCSV))
    case .noValues:
      Row(
        nil, Self.mergers, "omit the attributes of latest events from the profiles",
        .flag(\.run.snapshot.withValues, means: false), [.output, .copies])
    case .noDays:
      Row(
        nil, [.run, .night, .partial],
        "count nothing by day: no daily_counts.ndjson, and no days of people in the state",
        .flag(\.run.snapshot.withDays, means: false), [.output, .partial, .copies])
    case .stitch:
      Row(
        "first|none", Self.mergers,
        "fold an installation into the custom id of its earliest link (default first)",
        .value(\.run.snapshot.stitch, .word), [.output, .copies])
    case .dedupeDays:
      Row(
        "N", Self.mergers,
        "remember event ids for N days, so that later runs find duplicates (default 0)",
        .value(\.run.snapshot.dedupeDays, .number(0...36_525, example: 7)), .output)
    case .reingest:
      Row(
        nil, Self.mergers.union([.partial, .plan]),
        "read every input, also those that were read before",
        .flag(\.run.merge.reingest), .output)
    case .logs:
      Row(
        "PATTERN", [.night, .inspect],
        "the logs of each night, such as 'logs/%Y-%m-%d'; inspect: files and directories in which --why finds the statements",
        .value(\.logs, OptionForm(OptionValues.list)))
    case .date:
      Row(
        "DATE", [.night], hasVariable: false,
        "the newest night to make (default: yesterday, in UTC)",
        .maybe(\.night.date, .date))
    case .first:
      Row(
        "DATE", [.night], hasVariable: false,
        "the first night of all; only when no night is published",
        .maybe(\.night.first, .date))
    case .maxAhead:
      Row(
        "N", [.night],
        "reject events more than N days after the end of their night, from wrong clocks",
        .maybe(\.night.maxAhead, .number(0...36_525, example: 1)))
    case .lateDays:
      Row(
        "N", [.night],
        "also read files that came late into the folders of the last N days, and of days without logs (default 7; 0 = off)",
        .value(\.night.lateDays, .number(Self.nightsBounds, example: 7)))
    case .noVerify:
      Row(
        nil, [.night], "do not read each night again before the next one continues from it",
        .flag(\.night.verifies, means: false))
    case .keepDaily:
      Row(
        "N", [.night],
        "keep the newest N nights (default: all, unless one of these three options is given)",
        .value(\.night.retention.daily, .number(Self.nightsBounds, example: 14)))
    case .keepWeekly:
      Row(
        "N", [.night], "keep the newest night of each of the newest N weeks",
        .value(\.night.retention.weekly, .number(Self.nightsBounds, example: 8)))
    case .keepMonthly:
      Row(
        "N", [.night], "keep the newest night of each of the newest N months",
        .value(\.night.retention.monthly, .number(Self.nightsBounds, example: 12)))
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
      Row(
        "N", [.plan], hasVariable: false, "divide the inputs among at most N tasks",
        .value(\.tasks, .number(Self.tasksBounds, example: 13)))
    case .level:
      Row(
        "N", [.run, .night, .migrate, .redrive, .partial, .merge, .export, .bench, .generate],
        "zstd level, \(ZstdEncoder.levels.lowerBound) to \(ZstdEncoder.levels.upperBound) (default: \(RunOptions().publish.level), generate 3)",
        .value(\.run.publish.level, .number(ZstdEncoder.levels, example: 3)),
        [.output, .logs, .copies])
    case .v1:
      Row(
        "strict|lenient", Self.readers,
        "reject a v1 event that breaks a limit, or drop only the invalid part (default strict)",
        .value(\.run.read.rules.v1, .word), .lines)
    case .mapping:
      Row(
        "FILE|NAME", Self.readers.subtracting([.mappingTest]).union([.bench, .inspect]),
        "read lines with the mapping in this file, or the built-in one of this name, before the built-in dialects; for several, use commas or repeat the option",
        .value(\.run.read.rules.mappings, .mappings), .lines)
    case .dialect:
      Row(
        "NAME", Self.readers.union([.bench]),
        "lines of this dialect only: \(Dialect.allCases.map(\.name).joined(separator: ", ")), or one that a mapping describes (default auto: each line by its own form; bench without logs: v1 and v2)",
        .value(\.run.read.rules.dialect, .dialect), .lines)
    case .foreign:
      Row(
        "tolerant|strict", Self.readers,
        "cut what breaks a limit in an event of a foreign dialect, or reject the event (default tolerant)",
        .value(\.run.read.rules.foreign.policy, .word), .lines)
    case .identityKeys:
      Row(
        "LISTS", Self.readers,
        "fields of foreign events that identify their owner, such as custom:userId,uid;installation:deviceId",
        .value(\.run.read.rules.foreign.identityKeys, .identityKeys), .lines)
    case .realmObjects:
      Row(
        "all|none", Self.readers,
        "keep the database objects in realm records, or only their number (default all)",
        .value(\.run.read.rules.foreign.realmObjects, .word), .lines)
    case .nobody:
      Row(
        "FILE|none", Self.readers,
        "also treat the words in this file, one per line, as placeholders for a missing id; none: only ten words, as custom ids (default: the built-in list)",
        .value(\.run.read.rules.placeholders, .placeholders), .lines)
    case .repair:
      Row(
        nil, Self.readers,
        """
        repair a line that is not JSON: trailing commas, halves of surrogate pairs, invalid UTF-8, NUL bytes or U+FEFF \
        before the object; on with --dialect pulse
        """,
        .flag(\.run.read.rules.foreign.repairs), .lines)
    case .defaultTime:
      Row(
        "TIME", Self.readers, "replaces a missing event or record time",
        .value(
          \.run.read.rules.defaultTime,
          .time(in: Rules.earliestTime...Rules.endOfTime - 1, bounds: "the years 2000 to 2099")),
        .lines)
    case .notBefore:
      Row(
        "TIME", Self.readers, "reject events before this time",
        .value(\.run.read.rules.notBefore, .time),
        .lines)
    case .notAfter:
      Row(
        "TIME", Self.readers, "reject events after this time",
        .value(\.run.read.rules.notAfter, .time),
        .lines)
    case .since:
      Row(
        "TIME", Self.readers,
        "exclude events before this time or date; they are counted as outside, not rejected",
        .value(\.run.read.rules.since, .time), .lines)
    case .until:
      Row(
        "TIME", Self.readers, "exclude events at this time or date and later, like --since",
        .value(\.run.read.rules.until, .time), .lines)
    case .maxLine:
      Row(
        "SIZE", Self.readers, "longest line accepted (default 16M; realm 64M)",
        .value(\.run.read.rules.maxLine, .size(1...Rules.longestLine)), .lines)
    case .unknownFields:
      Row(
        "drop|keep|reject", Self.readers,
        "fields that no rule reads: omit and count them, make them attributes of their event, or reject the event (default drop)",
        .value(\.run.read.rules.unknownFields, .word), .lines)
    case .maxNames:
      Row(
        "N", [.run, .night, .partial, .merge, .count],
        "most different event names, and most different attribute keys (default 1M); with more the run fails",
        .value(
          \.run.read.maxNames,
          .quantity(1...100_000_000, example: "2M")))
    case .maxRejects:
      Row(
        "N|P%",
        [
          .run, .night, .partial, .merge, .count, .validate, .migrate, .trackingInfer,
          .trackingCheck, .mappingTest,
        ],
        "fail with exit code 3 if more lines, or a greater share, have a rejected part (default \(RejectLimit.usual.text), validate none); 100% also accepts inputs that are not logs; for a run in two halves merge --finish checks it",
        .maybe(
          \.run.read.maxRejects,
          OptionForm(OptionValues.rejectLimit)))
    case .keepGoing:
      Row(
        nil, Self.readingJobs, "use everything readable of a damaged input",
        .flag(\.run.read.keepGoing),
        .lines)
    case .allowEmpty:
      Row(
        nil, Self.readers.subtracting([.redrive]).union([.plan]),
        "a directory without logs, or no input at all, is not an error; night: nor are missing logs",
        .flag(\.run.read.allowEmpty))
    case .metrics:
      Row(
        "FILE", Self.mergers,
        "write metrics of the run (merge: of --finish) to this file, in the Prometheus format; also when it fails",
        .maybe(\.metrics, .text))
    case .tracking:
      Row(
        "FILE", [.run, .night, .partial], hasVariable: false,
        "compare events with this tracking plan, and report the differences; nothing is dropped",
        .maybe(\.run.tracking, .text))
    case .failOn:
      Row(
        "KINDS", [.trackingCheck], hasVariable: false,
        "exit code 6 if one of these is found: new-event, new-attribute, missing, wrong-type, value, range, separated by commas, or all",
        .value(
          \.failing, OptionForm(OptionValues.findings)))
    case .stage:
      Row(
        "NAME", [.bench], "measure only this stage or job (default: all)",
        OptionSetting { values, option, options throws(Failure) in
          let name = try values.word(option, among: BenchSubject.allCases.map(\.name))
          options.bench.subjects = Set(
            name.flatMap(BenchSubject.init(rawValue:)).map { [$0] } ?? [])
        })
    case .runs:
      Row(
        "N", [.bench],
        "number of measurements, without warm-up (default \(BenchOptions().runs))",
        .value(\.bench.runs, .number(1...1000, example: 5)))
    case .baseline:
      Row(
        "FILE", [.bench],
        "compare with the result of an earlier --save or --json in this file",
        .maybe(\.bench.baseline, .text))
    case .save:
      Row(
        "FILE", [.bench], "write the result to this file, in the form of --json",
        .maybe(\.bench.save, .text))
    case .lines: Row("N", [.bench, .generate], "total number of log lines (bench: 200K)")
    case .users: Row("N", [.bench, .generate], "number of people in them (bench: 20K)")
    case .seed: Row("N", [.bench, .generate], "the same seed makes the same bytes (bench: 1)")
    case .nights:
      Row(
        "N|PATTERN", [.generate, .erase], hasVariable: false,
        "spread the lines over N days; with --out, a folder for each (default 1); erase: copy every night with a path of this pattern, such as 'out/%Y-%m-%d'"
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
        .value(\.run.read.jobs, .number(Self.jobsBounds, example: 4)))
    case .memory:
      Row(
        "SIZE", [.run, .night, .partial, .merge, .erase, .count, .migrate],
        "approximate memory limit (default: half of the available memory); other data goes to disk, or ends a count and a --verify",
        .value(\.run.read.memory, .size(16 << 20...1 << 50)))
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
