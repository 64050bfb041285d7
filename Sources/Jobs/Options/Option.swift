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

  package var console = ConsoleSettings()
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
  /// What events and rejects are counted by, and the lines of `validate`.
  package var grouping: EventGrouping?
  package var rejectGrouping: RejectGrouping?
  package var validateGrouping = ValidateGrouping.reason
  package var countsNames = true
  /// The attribute whose numbers are shown, and which of their figures.
  package var measured: [UInt8]?
  package var figures: [CountFigure] = []
  /// Number of rows, and of rejects, shown; nil for the usual one.
  package var top: Int?
  package var lines: Int?
  /// The paths of nights that are copied, besides the named outputs.
  package var nights: NightPattern?
  package var generatedForm: GeneratedForm?
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

/// The form of synthetic lines.
package enum GeneratedForm: String, CaseIterable, Sendable { case mixed, v1, v2 }

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
        [
          .run, .night, .nightList, .migrate, .redrive, .partial, .merge, .erase, .export,
          .generate, .man,
        ], .value(\.run.publish.output, .directory),
        except: [
          .night: .maybe(\.night.output, .outputs), .nightList: .maybe(\.night.output, .outputs),
        ])
    case .format: Row([.count, .export], hasVariable: false, .maybe(\.format, .word))
    case .previous:
      Row([.run, .merge, .partial, .plan], .maybe(\.run.merge.previous, .text("DIR")))
    case .replace:
      Row(
        [.run, .migrate, .redrive, .partial, .merge, .erase, .export, .generate],
        .flag(\.run.publish.replace))
    case .ifSame: Row([.run, .partial, .merge], .flag(\.run.publish.acceptsSame))
    case .attempt:
      Row(
        [.partial, .merge], hasVariable: false,
        OptionSetting("NAME") { value, options throws(Failure) in
          options.run.publish.attempt = try OptionForm.attempt.parse(value)
          options.run.publish.acceptsSame = true
        })
    case .partitions:
      Row(
        [.run, .night, .partial],
        .value(\.run.snapshot.partitions, .number(Self.partitionsBounds, example: 16)),
        [.output, .partial, .copies])
    case .step: Row([.merge], hasVariable: false, .maybe(\.task, .word))
    case .partition:
      Row(
        [.merge, .partial], hasVariable: false,
        .maybe(\.partition, .number(0...Self.partitionsBounds.upperBound - 1, example: 0)))
    case .partsElsewhere: Row([.merge], hasVariable: false, .flag(\.run.publish.partsElsewhere))
    case .resume: Row([.migrate], .flag(\.run.publish.resumes))
    case .dryRun: Row([.migrate, .night, .erase, .redrive], hasVariable: false, .flag(\.isDryRun))
    case .verify: Row([.migrate], .flag(\.verifies))
    case .requests:
      Row(
        [.run, .night, .partial, .merge, .erase, .verify], hasVariable: false,
        .maybe(\.run.merge.erasureRequests, .text("FILE")))
    case .erasedAt:
      Row(
        [.run, .night, .partial, .merge, .erase], hasVariable: false,
        .value(\.run.merge.erasedAt, .logTime), needs: .requests)
    case .honorOptOut: Row([.run, .night, .partial], .flag(\.run.merge.honorsOptOut))
    case .optOuts:
      Row([.partial], hasVariable: false, .maybe(\.run.merge.optOuts, .text("DIR")))
    case .collectOptOuts: Row([.partial], hasVariable: false, .flag(\.collectsOptOuts))
    case .state: Row([.inspect], hasVariable: false, .flag(\.showsState))
    case .why:
      Row(
        [.inspect], hasVariable: false,
        OptionSetting("[FILE|DIR…]", takes: 0...Int.max) { value, options throws(Failure) in
          options.asksWhy = true
          options.logs = value.words
        })
    case .history:
      Row(
        [.inspect], hasVariable: false,
        OptionSetting("FILE|DIR…", takes: 1...Int.max) { $1.history = $0.words })
    case .profiles: Row([.diff], hasVariable: false, .flag(\.listsProfiles))
    case .sum: Row([.count], hasVariable: false, .figure(.sum))
    case .min: Row([.count], hasVariable: false, .figure(.min))
    case .max: Row([.count], hasVariable: false, .figure(.max))
    case .noNames: Row([.count], hasVariable: false, .flag(\.countsNames, means: false))
    case .reason: Row([.rejects, .redrive], hasVariable: false, .maybe(\.reason, .reason))
    case .raw: Row([.rejects], hasVariable: false, .flag(\.showsRaw))
    case .whereFits: Row([.inspect], hasVariable: false, .maybe(\.condition, .condition))
    case .files: Row([.nightList], hasVariable: false, .flag(\.listsFiles))
    case .changes: Row([.export], hasVariable: false, .flag(\.exportsChanges))
    case .by:
      Row(
        [.count, .validate, .rejects], hasVariable: false, .maybe(\.grouping, .grouping),
        except: [
          .validate: .value(\.validateGrouping, .word), .rejects: .maybe(\.rejectGrouping, .word),
        ])
    case .top:
      Row(
        [.count, .validate, .rejects, .inspect], hasVariable: false,
        .maybe(\.top, .number(1...Int.max, example: 20)), needs: .whereFits)
    case .noValues:
      Row(Self.mergers, .flag(\.run.snapshot.withValues, means: false), [.output, .copies])
    case .noDays:
      Row(
        [.run, .night, .partial], .flag(\.run.snapshot.withDays, means: false),
        [.output, .partial, .copies])
    case .stitch: Row(Self.mergers, .value(\.run.snapshot.stitch, .word), [.output, .copies])
    case .dedupeDays:
      Row(
        Self.mergers, .value(\.run.snapshot.dedupeDays, .number(0...36_525, example: 7)), .output)
    case .reingest:
      Row(Self.mergers.union([.partial, .plan]), .flag(\.run.merge.reingest), .output)
    case .logs: Row([.night, .nightList], .maybe(\.night.logs, .logs))
    case .fromNight: Row([.night], hasVariable: false, .maybe(\.night.from, .date))
    case .toNight: Row([.night, .nightList], hasVariable: false, .maybe(\.night.to, .date))
    case .maxAhead: Row([.night], .maybe(\.night.maxAhead, .number(0...36_525, example: 1)))
    case .maxBehind: Row([.night], .maybe(\.night.maxBehind, .number(0...36_525, example: 365)))
    case .lateDays:
      Row([.night], .value(\.night.lateDays, .number(Self.nightsBounds, example: 7)))
    case .noVerify: Row([.night], .flag(\.night.verifies, means: false))
    case .keepDaily:
      Row(
        [.night, .nightList],
        .value(\.night.retention.daily, .number(Self.nightsBounds, example: 14)))
    case .keepWeekly:
      Row(
        [.night, .nightList],
        .value(\.night.retention.weekly, .number(Self.nightsBounds, example: 8)))
    case .keepMonthly:
      Row(
        [.night, .nightList],
        .value(\.night.retention.monthly, .number(Self.nightsBounds, example: 12)))
    case .from:
      Row(
        Self.readers.subtracting([.night]).union([.merge, .plan]), hasVariable: false,
        OptionSetting("FILE|-"))
    case .root:
      Row(
        [.run, .partial, .migrate, .plan, .count, .validate, .explain, .trackingInfer],
        OptionSetting("DIR"))
    case .tasks:
      Row([.plan], hasVariable: false, .value(\.tasks, .number(Self.tasksBounds, example: 13)))
    case .level:
      Row(
        [.run, .night, .migrate, .redrive, .partial, .merge, .export, .bench, .generate],
        .value(\.run.publish.level, .number(ZstdEncoder.levels, example: 3)),
        [.output, .logs, .copies])
    case .v1: Row(Self.readers, .value(\.run.read.rules.v1, .word), .lines)
    case .mapping:
      Row(
        Self.readers.subtracting([.mappingTest]).union([.bench, .inspect]),
        .value(\.run.read.rules.mappings, .mappings), .lines)
    case .dialect:
      Row(
        Self.readers.union([.bench, .generate]), .value(\.run.read.rules.dialect, .dialect), .lines,
        except: [.generate: .maybe(\.generatedForm, .word)])
    case .foreign: Row(Self.readers, .value(\.run.read.rules.foreign.policy, .word), .lines)
    case .identityKeys:
      Row(Self.readers, .value(\.run.read.rules.foreign.identityKeys, .identityKeys), .lines)
    case .realmObjects:
      Row(Self.readers, .value(\.run.read.rules.foreign.realmObjects, .word), .lines)
    case .nobody: Row(Self.readers, .value(\.run.read.rules.placeholders, .placeholders), .lines)
    case .repair: Row(Self.readers, .flag(\.run.read.rules.foreign.repairs), .lines)
    case .defaultTime: Row(Self.readers, .value(\.run.read.rules.defaultTime, .logTime), .lines)
    case .notBefore: Row(Self.readers, .value(\.run.read.rules.notBefore, .time), .lines)
    case .notAfter: Row(Self.readers, .value(\.run.read.rules.notAfter, .time), .lines)
    case .since: Row(Self.readers, .value(\.run.read.rules.since, .time), .lines)
    case .until: Row(Self.readers, .value(\.run.read.rules.until, .time), .lines)
    case .maxLine:
      Row(Self.readers, .value(\.run.read.rules.maxLine, .size(1...Rules.longestLine)), .lines)
    case .unknownFields: Row(Self.readers, .value(\.run.read.rules.unknownFields, .word), .lines)
    case .maxNames:
      Row(
        [.run, .night, .partial, .merge, .count],
        .value(\.run.read.maxNames, .quantity(1...100_000_000, example: "2M")))
    case .maxRejects:
      Row(
        [
          .run, .night, .partial, .merge, .count, .validate, .migrate, .trackingInfer,
          .trackingCheck, .mappingTest,
        ], .maybe(\.run.read.maxRejects, .rejectLimit))
    case .keepGoing: Row(Self.readingJobs, .flag(\.run.read.keepGoing), .lines)
    case .allowEmpty:
      Row(Self.readers.subtracting([.redrive]).union([.plan]), .flag(\.run.read.allowEmpty))
    case .metrics: Row(Self.mergers, .maybe(\.metrics, .text("FILE")))
    case .alertRejects: Row(Self.mergers, .value(\.run.alerts.rejects, .percent))
    case .alertFewer: Row(Self.mergers, .value(\.run.alerts.fewer, .percent))
    case .tracking:
      Row([.run, .night, .partial], hasVariable: false, .maybe(\.run.tracking, .text("FILE")))
    case .failOn: Row([.trackingCheck], hasVariable: false, .value(\.failing, .findings))
    case .stage: Row([.bench], .value(\.bench.subjects, .subject))
    case .runs: Row([.bench], .value(\.bench.runs, .number(1...1000, example: 5)))
    case .baseline: Row([.bench], .maybe(\.bench.baseline, .text("FILE")))
    case .save: Row([.bench], .maybe(\.bench.save, .text("FILE")))
    case .lines:
      Row(
        [.bench, .generate, .rejects], hasVariable: false, OptionSetting("N"),
        except: [.rejects: .maybe(\.lines, .number(0...Int.max, example: 10))])
    case .users, .seed: Row([.bench, .generate], OptionSetting("N"))
    case .nights:
      Row(
        [.generate, .erase], hasVariable: false, OptionSetting("N|PATTERN"),
        except: [.erase: .maybe(\.nights, .outputs)])
    case .bad: Row([.generate], OptionSetting("P%"))
    case .start: Row([.generate], OptionSetting("DATE"))
    case .jobs:
      Row(
        Self.readers.union([.merge, .erase, .verify, .inspect, .export, .bench]),
        .value(\.run.read.jobs, .number(Self.jobsBounds, example: 4)))
    case .memory:
      Row(
        [.run, .night, .partial, .merge, .erase, .count, .migrate],
        .value(\.run.read.memory, .size(16 << 20...1 << 50)))
    case .quiet: Row(Self.everywhere, .flag(\.console.quiet))
    case .json: Row(Self.everywhere, .flag(\.console.json))
    case .logFormat: Row(Self.everywhere, .value(\.console.logFormat, .word))
    case .dieWithParent:
      Row(Self.everywhere, hasVariable: false, .flag(\.console.endsWithParent))
    case .noProgress: Row(Self.everywhere, .flag(\.console.progress, means: false))
    case .color: Row(Self.everywhere, .value(\.console.color, .word))
    case .help, .version: Row(Self.everywhere, hasVariable: false, OptionSetting(nil))
    }
  }
}

extension OptionForm<Int?> {
  fileprivate static let logTime = time(
    in: Rules.earliestTime...Rules.endOfTime - 1, bounds: "the years 2000 to 2099")
}

extension OptionSetting {
  /// A figure of the numbers of an attribute, which the value names.
  fileprivate static func figure(_ figure: CountFigure) -> OptionSetting {
    OptionSetting("KEY") { value, options throws(Failure) in
      guard let key = EventGrouping.key(try value.filled()) else {
        throw value.bad("it must be the key of an attribute", example: "amount")
      }
      guard options.measured ?? key == key else {
        throw value.bad("--sum, --min and --max take one key")
      }
      options.measured = key
      options.figures.append(figure)
    }
  }
}
