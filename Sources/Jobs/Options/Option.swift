import Pipeline
package import Stages

/// Every option of the program, by its name on the command line without the dashes.
///
/// A new one needs a case, a row of ``facts`` and a field of ``CommandOptions`` or of the options
/// of a run, and a line in `Help/options.txt`. Parsing, variables, help, suggestions, manifests,
/// and the options that partials and copies must agree on, are derived from them.
package enum Option: String, CaseIterable, Sendable {
  // Outputs.
  case out, format, previous, replace
  case ifSame = "if-same"
  case attempt, partitions, step, partition
  case partsElsewhere = "parts-elsewhere"
  case noValues = "no-values"
  case noDays = "no-days"
  case stitch
  case dedupeDays = "dedupe-days"
  case reingest, level
  // Nights to make and to keep.
  case logs
  case fromNight = "from-night"
  case toNight = "to-night"
  case maxAhead = "max-ahead"
  case maxBehind = "max-behind"
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
  case requests
  case erasedAt = "erased-at"
  case honorOptOut = "honor-opt-out"
  case optOuts = "opt-outs"
  case collectOptOuts = "collect-opt-outs"
  // The subject of an inspection, and its form.
  case state, profiles, changes, why, history, by, top, files, reason, raw
  case sum, min, max
  case noNames = "no-names"
  case whereFits = "where"
  case failOn = "fail-on"
  // Reports of a run.
  case metrics, tracking
  case alertRejects = "alert-rejects"
  case alertFewer = "alert-fewer"
  // Benchmarks.
  case stage, runs, baseline, save
  // Synthetic logs.
  case lines, users, seed, nights, bad, start
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
    self == .history || self == .why || self == .logs && command == .inspect
  }
}

/// All options of a command line, and its operands.
package struct CommandOptions: Sendable {
  package struct Night: Sendable {
    /// The patterns of its logs and outputs, which it needs.
    package var logs: NightPattern?
    package var output: NightPattern?
    /// The first night of all, and the newest to make: beginnings of days.
    package var from: Int?
    package var to: Int?
    /// Days after the end of a night from which on its events are rejected.
    package var maxAhead: Int?
    /// Days before the beginning of a night before which its events are rejected.
    package var maxBehind: Int?
    /// Number of days in whose folders late files are looked for.
    package var lateDays = 7
    package var verifies = true
    package var retention = Retention()
  }

  package let given: OptionValues
  package let operands: [String]
  package var run: RunOptions
  package var night = Night()
  package var bench = BenchOptions()
  package var metrics: String?
  package var isDryRun = false
  /// Whether an archive is proven before it is published (`--verify`).
  package var verifies = false
  package var task: MergeTask?
  package var partition: Int?
  package var collectsOptOuts = false
  package var tasks = 1
  /// The form of rows; nil for the usual one.
  package var format: ExportFormat?
  /// What is shown of an output, and the logs read for that.
  package var showsState = false
  package var asksWhy = false
  package var history: [String] = []
  package var logs: [String] = []
  package var listsProfiles = false
  package var listsFiles = false
  package var exportsChanges = false
  package var reason: ReasonCode?
  package var showsRaw = false
  package var condition: ProfileCondition?
  /// Number of rows shown; nil for all.
  package var top: Int?
  package var failing: Set<TrackingFindings.Kind> = []

  init(_ run: RunOptions) { (given, operands, self.run) = (OptionValues(), [], run) }

  /// Sets a field, if there is a `value`; false without one.
  @discardableResult
  mutating func set<Value>(_ field: OptionSetting.Field<Value>, _ value: Value?) -> Bool {
    guard let value else { return false }
    self[keyPath: field] = value
    return true
  }
}

extension Option {
  private typealias Row = OptionFacts

  private static let readers: Set<Command> = [
    .run, .night, .partial, .count, .validate, .migrate, .redrive, .explain, .trackingInfer,
    .trackingCheck, .mappingTest,
  ]
  private static let readingJobs = readers.subtracting([.explain])
  private static let mergers: Set<Command> = [.run, .night, .merge]
  private static let everywhere = Set(Command.allCases)
  static let jobsBounds = 1...512
  fileprivate static let partitionsBounds = 1...4096
  private static let tasksBounds = 1...100_000
  private static let nightsBounds = 0...100_000

  package var facts: OptionFacts { Self.table[self] ?? row }
  /// Made once: a command line asks for every row several times.
  private static let table = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.row) })

  private var row: OptionFacts {
    switch self {
    case .out:
      Row(
        "DIR",
        [
          .run, .night, .nightList, .migrate, .redrive, .partial, .merge, .erase, .export,
          .generate, .man,
        ], .value(\.run.publish.output, .text))
    case .format: Row("csv|ndjson", [.count, .export], hasVariable: false, .maybe(\.format, .word))
    case .previous:
      Row("DIR", [.run, .merge, .partial, .plan], .maybe(\.run.merge.previous, .text))
    case .replace:
      Row(
        nil, [.run, .migrate, .redrive, .partial, .merge, .erase, .export, .generate],
        .flag(\.run.publish.replace))
    case .ifSame: Row(nil, [.run, .partial, .merge], .flag(\.run.publish.acceptsSame))
    case .attempt:
      Row(
        "NAME", [.partial, .merge], hasVariable: false,
        OptionSetting { value, options throws(Failure) in
          options.run.publish.attempt = try OptionForm.attempt.parse(value)
          options.run.publish.acceptsSame = true
        })
    case .partitions:
      Row(
        "N", [.run, .night, .partial],
        .value(\.run.snapshot.partitions, .number(Self.partitionsBounds, example: 16)),
        [.output, .partial, .copies])
    case .step:
      Row(
        "installations|unchanged|people|finish", [.merge], hasVariable: false,
        .maybe(\.task, .word))
    case .partition:
      Row(
        "N", [.merge, .partial], hasVariable: false,
        .maybe(\.partition, .number(0...Self.partitionsBounds.upperBound - 1, example: 0)))
    case .partsElsewhere:
      Row(nil, [.merge], hasVariable: false, .flag(\.run.publish.partsElsewhere))
    case .resume: Row(nil, [.migrate], .flag(\.run.publish.resumes))
    case .dryRun:
      Row(nil, [.migrate, .night, .erase, .redrive], hasVariable: false, .flag(\.isDryRun))
    case .verify: Row(nil, [.migrate], .flag(\.verifies))
    case .requests:
      Row(
        "FILE", [.run, .night, .partial, .merge, .erase, .verify], hasVariable: false,
        .maybe(\.run.merge.erasureRequests, .text))
    case .erasedAt:
      Row(
        "TIME", [.run, .night, .partial, .merge, .erase], hasVariable: false,
        .value(\.run.merge.erasedAt, .logTime), needs: .requests)
    case .honorOptOut: Row(nil, [.run, .night, .partial], .flag(\.run.merge.honorsOptOut))
    case .optOuts: Row("DIR", [.partial], hasVariable: false, .maybe(\.run.merge.optOuts, .text))
    case .collectOptOuts: Row(nil, [.partial], hasVariable: false, .flag(\.collectsOptOuts))
    case .state: Row(nil, [.inspect], hasVariable: false, .flag(\.showsState))
    case .why:
      Row(
        "[FILE|DIR…]", [.inspect], hasVariable: false,
        OptionSetting { value, options throws(Failure) in
          options.asksWhy = true
          options.logs = value.words
        })
    case .history: Row("FILE|DIR…", [.inspect], hasVariable: false, .value(\.history, .list))
    case .profiles: Row(nil, [.diff], hasVariable: false, .flag(\.listsProfiles))
    case .sum, .min, .max: Row("KEY", [.count], hasVariable: false)
    case .noNames: Row(nil, [.count], hasVariable: false)
    case .reason: Row("CODE", [.rejects, .redrive], hasVariable: false, .maybe(\.reason, .reason))
    case .raw: Row(nil, [.rejects], hasVariable: false, .flag(\.showsRaw))
    case .whereFits:
      Row("KEY=VALUE", [.inspect], hasVariable: false, .maybe(\.condition, .condition))
    case .files: Row(nil, [.nightList], hasVariable: false, .flag(\.listsFiles))
    case .changes: Row(nil, [.export], hasVariable: false, .flag(\.exportsChanges))
    case .by: Row("GROUP", [.count, .validate, .rejects], hasVariable: false)
    case .top:
      Row(
        "N", [.count, .validate, .rejects, .inspect], hasVariable: false,
        .maybe(\.top, .number(1...Int.max, example: 20)), needs: .whereFits)
    case .noValues:
      Row(nil, Self.mergers, .flag(\.run.snapshot.withValues, means: false), [.output, .copies])
    case .noDays:
      Row(
        nil, [.run, .night, .partial], .flag(\.run.snapshot.withDays, means: false),
        [.output, .partial, .copies])
    case .stitch:
      Row("first|none", Self.mergers, .value(\.run.snapshot.stitch, .word), [.output, .copies])
    case .dedupeDays:
      Row(
        "N", Self.mergers, .value(\.run.snapshot.dedupeDays, .number(0...36_525, example: 7)),
        .output)
    case .reingest:
      Row(nil, Self.mergers.union([.partial, .plan]), .flag(\.run.merge.reingest), .output)
    case .logs: Row("PATTERN", [.night, .nightList], .maybe(\.night.logs, .logs))
    case .fromNight: Row("DATE", [.night], hasVariable: false, .maybe(\.night.from, .date))
    case .toNight: Row("DATE", [.night, .nightList], hasVariable: false, .maybe(\.night.to, .date))
    case .maxAhead: Row("N", [.night], .maybe(\.night.maxAhead, .number(0...36_525, example: 1)))
    case .maxBehind:
      Row("N", [.night], .maybe(\.night.maxBehind, .number(0...36_525, example: 365)))
    case .lateDays:
      Row("N", [.night], .value(\.night.lateDays, .number(Self.nightsBounds, example: 7)))
    case .noVerify: Row(nil, [.night], .flag(\.night.verifies, means: false))
    case .keepDaily:
      Row(
        "N", [.night, .nightList],
        .value(\.night.retention.daily, .number(Self.nightsBounds, example: 14)))
    case .keepWeekly:
      Row(
        "N", [.night, .nightList],
        .value(\.night.retention.weekly, .number(Self.nightsBounds, example: 8)))
    case .keepMonthly:
      Row(
        "N", [.night, .nightList],
        .value(\.night.retention.monthly, .number(Self.nightsBounds, example: 12)))
    case .from:
      Row("FILE|-", Self.readers.subtracting([.night]).union([.merge, .plan]), hasVariable: false)
    case .root:
      Row("DIR", [.run, .partial, .migrate, .plan, .count, .validate, .explain, .trackingInfer])
    case .tasks:
      Row("N", [.plan], hasVariable: false, .value(\.tasks, .number(Self.tasksBounds, example: 13)))
    case .level:
      Row(
        "N", [.run, .night, .migrate, .redrive, .partial, .merge, .export, .bench, .generate],
        .value(\.run.publish.level, .number(ZstdEncoder.levels, example: 3)),
        [.output, .logs, .copies])
    case .v1: Row("strict|lenient", Self.readers, .value(\.run.read.rules.v1, .word), .lines)
    case .mapping:
      Row(
        "FILE|NAME", Self.readers.subtracting([.mappingTest]).union([.bench, .inspect]),
        .value(\.run.read.rules.mappings, .mappings), .lines)
    case .dialect:
      Row(
        "NAME", Self.readers.union([.bench, .generate]), .value(\.run.read.rules.dialect, .dialect),
        .lines)
    case .foreign:
      Row("tolerant|strict", Self.readers, .value(\.run.read.rules.foreign.policy, .word), .lines)
    case .identityKeys:
      Row(
        "LISTS", Self.readers, .value(\.run.read.rules.foreign.identityKeys, .identityKeys), .lines)
    case .realmObjects:
      Row("all|none", Self.readers, .value(\.run.read.rules.foreign.realmObjects, .word), .lines)
    case .nobody:
      Row("FILE|none", Self.readers, .value(\.run.read.rules.placeholders, .placeholders), .lines)
    case .repair: Row(nil, Self.readers, .flag(\.run.read.rules.foreign.repairs), .lines)
    case .defaultTime:
      Row("TIME", Self.readers, .value(\.run.read.rules.defaultTime, .logTime), .lines)
    case .notBefore: Row("TIME", Self.readers, .value(\.run.read.rules.notBefore, .time), .lines)
    case .notAfter: Row("TIME", Self.readers, .value(\.run.read.rules.notAfter, .time), .lines)
    case .since: Row("TIME", Self.readers, .value(\.run.read.rules.since, .time), .lines)
    case .until: Row("TIME", Self.readers, .value(\.run.read.rules.until, .time), .lines)
    case .maxLine:
      Row(
        "SIZE", Self.readers, .value(\.run.read.rules.maxLine, .size(1...Rules.longestLine)), .lines
      )
    case .unknownFields:
      Row("drop|keep|reject", Self.readers, .value(\.run.read.rules.unknownFields, .word), .lines)
    case .maxNames:
      Row(
        "N", [.run, .night, .partial, .merge, .count],
        .value(\.run.read.maxNames, .quantity(1...100_000_000, example: "2M")))
    case .maxRejects:
      Row(
        "N|P%",
        [
          .run, .night, .partial, .merge, .count, .validate, .migrate, .trackingInfer,
          .trackingCheck, .mappingTest,
        ], .maybe(\.run.read.maxRejects, .rejectLimit))
    case .keepGoing: Row(nil, Self.readingJobs, .flag(\.run.read.keepGoing), .lines)
    case .allowEmpty:
      Row(nil, Self.readers.subtracting([.redrive]).union([.plan]), .flag(\.run.read.allowEmpty))
    case .metrics: Row("FILE", Self.mergers, .maybe(\.metrics, .text))
    case .alertRejects: Row("P%", Self.mergers, .value(\.run.alerts.rejects, .percent))
    case .alertFewer: Row("P%", Self.mergers, .value(\.run.alerts.fewer, .percent))
    case .tracking:
      Row("FILE", [.run, .night, .partial], hasVariable: false, .maybe(\.run.tracking, .text))
    case .failOn: Row("KINDS", [.trackingCheck], hasVariable: false, .value(\.failing, .findings))
    case .stage:
      Row(
        "NAME", [.bench],
        OptionSetting { value, options throws(Failure) in
          let name = try value.word(among: BenchSubject.allCases.map(\.name))
          options.bench.subjects = Set(BenchSubject(rawValue: name).map { [$0] } ?? [])
        })
    case .runs: Row("N", [.bench], .value(\.bench.runs, .number(1...1000, example: 5)))
    case .baseline: Row("FILE", [.bench], .maybe(\.bench.baseline, .text))
    case .save: Row("FILE", [.bench], .maybe(\.bench.save, .text))
    case .lines: Row("N", [.bench, .generate, .rejects], hasVariable: false)
    case .users: Row("N", [.bench, .generate])
    case .seed: Row("N", [.bench, .generate])
    case .nights: Row("N|PATTERN", [.generate, .erase], hasVariable: false)
    case .bad: Row("P%", [.generate])
    case .start: Row("DATE", [.generate])
    case .jobs:
      Row(
        "N", Self.readers.union([.merge, .erase, .verify, .inspect, .export, .bench]),
        .value(\.run.read.jobs, .number(Self.jobsBounds, example: 4)))
    case .memory:
      Row(
        "SIZE", [.run, .night, .partial, .merge, .erase, .count, .migrate],
        .value(\.run.read.memory, .size(16 << 20...1 << 50)))
    case .quiet: Row(nil, Self.everywhere)
    case .json: Row(nil, Self.everywhere)
    case .logFormat: Row("text|json", Self.everywhere)
    case .dieWithParent: Row(nil, Self.everywhere, hasVariable: false)
    case .noProgress: Row(nil, Self.everywhere)
    case .color: Row("auto|always|never", Self.everywhere)
    case .help: Row(nil, Self.everywhere, hasVariable: false)
    case .version: Row(nil, Self.everywhere, hasVariable: false)
    }
  }
}

extension OptionForm<Int?> {
  fileprivate static let logTime = time(
    in: Rules.earliestTime...Rules.endOfTime - 1, bounds: "the years 2000 to 2099")
}
