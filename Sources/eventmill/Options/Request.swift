import Jobs
import Pipeline
import Stages

/// What the program is asked to do, checked.
enum Request {
  /// Help for a command, or for the program.
  case help(Command?)
  case version
  /// `metrics` is the file that the run's figures go to.
  case run(RunOptions, metrics: String?)
  case partial(RunOptions)
  case merge(MergeRequest)
  case count(ReadOptions)
  case validate(ReadOptions)
  case migrate(MigrateRequest)
  case redrive(RunOptions)
  case explain(ReadOptions)
  case erase(RunOptions)
  case verify(VerifyRequest)
  case bench(BenchRequest)
  case generate(GenerateOptions)
}

/// The validated command line.
struct Invocation {
  let request: Request
  let console: ConsoleSettings

  /// Reads the values of `arguments`. The defaults stand in the option types.
  ///
  /// - Throws: `usage`, for a value that is not allowed.
  init(_ arguments: RawArguments) throws(Failure) {
    let values = OptionValues(arguments)
    console = try ConsoleSettings(values)
    request = try Request(arguments, values)
  }
}

extension Request {
  fileprivate init(_ arguments: RawArguments, _ values: OptionValues) throws(Failure) {
    if arguments.wantsHelp {
      self = .help(arguments.command)
      return
    }
    if arguments.wantsVersion {
      self = .version
      return
    }
    let operands = arguments.operands
    switch arguments.command {
    case .run:
      self = .run(
        try RunOptions(values, operands: operands, limit: .usual),
        metrics: try values.text(.metrics))
    case .partial: self = .partial(try RunOptions(values, operands: operands, limit: .usual))
    case .merge: self = .merge(try MergeRequest(values, operands: operands))
    case .count: self = .count(try RunOptions(values, operands: operands, limit: .usual).read)
    case .validate: self = .validate(try RunOptions(values, operands: operands).read)
    case .migrate: self = .migrate(try MigrateRequest(values, operands: operands))
    case .redrive: self = .redrive(try RunOptions(values, operands: operands))
    case .explain: self = .explain(try RunOptions(values, operands: operands).read)
    case .erase: self = .erase(try RunOptions(values, operands: operands))
    case .verify: self = .verify(try VerifyRequest(values, operands: operands))
    case .bench: self = .bench(try BenchRequest(values, operands: operands))
    case .generate: self = .generate(try GenerateOptions(values))
    case .version: self = .version
    case nil: throw RawArguments.usage("no command is named", "see eventmill --help")
    }
  }
}

extension Request {
  /// Whether lines are read from standard input.
  var readsStandardInput: Bool {
    let inputs: [String] =
      switch self {
      case .run(let options, _), .partial(let options), .redrive(let options): options.read.inputs
      case .count(let options), .validate(let options), .explain(let options): options.inputs
      case .migrate(let request): request.options.read.inputs
      default: []
      }
    return inputs.contains(InputFile.standardInput)
  }
}

extension ConsoleSettings {
  fileprivate init(_ values: OptionValues) throws(Failure) {
    quiet = try values.isOn(.quiet)
    json = try values.isOn(.json)
    progress = try !values.isOn(.noProgress)
    color = try values.choice(.color, ColorChoice.self) ?? color
    logFormat = try values.choice(.logFormat, LogFormat.self) ?? logFormat
  }
}

/// The bounds of options that are numbers.
enum Bounds {
  static let jobs = 1...512
  static let partitions = 1...4096
  /// Each takes some hundred bytes for every job.
  static let maxNames = 1...100_000_000
  /// In days; a hundred years.
  static let dedupeDays = 0...36_525
  /// In bytes.
  static let maxLine = 1...Rules.longestLine
  /// In bytes.
  static let memory = 16 << 20...1 << 50
}

extension OptionValues {
  /// How many lanes to use: as many as there are cores, unless somebody says otherwise.
  func jobs() throws(Failure) -> Int {
    try number(.jobs, in: Bounds.jobs, example: 4)
      ?? min(System.processors, Bounds.jobs.upperBound)
  }
}

extension RunOptions {
  /// Options of which `limit` holds where `--max-rejects` is not given.
  init(
    _ values: OptionValues, operands: [String], limit: RejectLimit? = nil
  ) throws(Failure) {
    self.init()
    read.allowEmpty = try values.isOn(.allowEmpty)
    read.inputs = operands
    read.rules = try Rules(values)
    publish.output = try values.text(.out) ?? publish.output
    merge.previous = try values.text(.previous)
    read.jobs = try values.jobs()
    snapshot.partitions =
      try values.number(.partitions, in: Bounds.partitions, example: 16) ?? snapshot.partitions
    read.maxNames =
      try values.quantity(.maxNames, in: Bounds.maxNames, example: "2M") ?? read.maxNames
    read.maxRejects = try values.rejectLimit(.maxRejects) ?? limit
    read.keepGoing = try values.isOn(.keepGoing)
    publish.replace = try values.isOn(.replace)
    snapshot.withValues = try !values.isOn(.noValues)
    snapshot.stitch = try values.choice(.stitch, Stitch.self) ?? snapshot.stitch
    snapshot.dedupeDays =
      try values.number(.dedupeDays, in: Bounds.dedupeDays, example: 7) ?? snapshot.dedupeDays
    publish.resumes = try values.isOn(.resume)
    merge.honorsOptOut = try values.isOn(.honorOptOut)
    merge.erasureRequests = try values.text(.ids)
    if merge.erasureRequests == nil { merge.erasureRequests = try values.text(.erase) }
    merge.reingest = try values.isOn(.reingest)
    publish.level =
      try values.number(.level, in: ZstdEncoder.levels, example: 3) ?? publish.level
    read.memory =
      try values.size(.memory, in: Bounds.memory) ?? System.memory.map { $0 / 2 } ?? read.memory
  }
}

extension Rules {
  fileprivate init(_ values: OptionValues) throws(Failure) {
    self.init()
    v1 = try values.choice(.v1, V1Policy.self) ?? v1
    let dialects = Dialect.allCases.map(\.name)
    let name = try values.word(.dialect, among: ["auto"] + dialects)
    dialect = name.flatMap(Dialect.init(named:))
    defaultTime = try values.time(
      .defaultTime, in: Rules.earliestTime...Rules.endOfTime - 1, bounds: "the years 2000 to 2099")
    notBefore = try values.time(.notBefore)
    notAfter = try values.time(.notAfter)
    if let notBefore, let notAfter, notBefore > notAfter {
      throw values.bad(
        .notAfter, allowed: "it must not lie before --not-before, \(Timestamp.text(notBefore))",
        example: nil)
    }
    since = try values.time(.since)
    until = try values.time(.until)
    if let since, let until, since > until {
      throw values.bad(
        .until, allowed: "it must not be before --since, \(Timestamp.text(since))", example: nil)
    }
    if let longest = try values.size(.maxLine, in: Bounds.maxLine) {
      maxLine = longest
      raisesMaxLine = false
    }
    unknownFields = try values.choice(.unknownFields, UnknownFieldPolicy.self) ?? unknownFields
    foreign = try ForeignRules(values)
  }
}

extension ForeignRules {
  fileprivate init(_ values: OptionValues) throws(Failure) {
    self.init()
    policy = try values.choice(.foreign, ForeignPolicy.self) ?? policy
    realmObjects = try values.choice(.realmObjects, RealmObjects.self) ?? realmObjects
    repairs = try values.isOn(.repair)
    guard let text = try values.text(.identityKeys) else { return }
    guard let keys = IdentityKeys(text) else {
      throw values.bad(
        .identityKeys,
        allowed: "it must be custom:NAME,… and installation:NAME,…, with a semicolon between them, "
          + "of at most \(IdentityKeys.most) names each, of which no two are the same but for case, "
          + "blanks, - and _",
        example: "\"custom:memberId,uid;installation:deviceId\"")
    }
    identityKeys = keys
  }
}
