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
  /// The state of the output in a directory: of one key, or of all.
  case inspect(String, key: String?)
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
    case .inspect: self = .inspect(operands[0], key: operands.dropFirst().first)
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

extension OptionValues {
  /// How many lanes to use: as many as there are cores, unless somebody says otherwise.
  func jobs() throws(Failure) -> Int {
    try number(.jobs, in: Option.jobsBounds, example: 4)
      ?? min(System.processors, Option.jobsBounds.upperBound)
  }
}

extension RunOptions {
  /// Options of which `limit` holds where `--max-rejects` is not given.
  init(
    _ values: OptionValues, operands: [String], limit: RejectLimit? = nil
  ) throws(Failure) {
    self.init()
    read.inputs = operands
    read.jobs = try values.jobs()
    read.maxNames =
      try values.quantity(.maxNames, in: 1...100_000_000, example: "2M") ?? read.maxNames
    read.maxRejects = try values.rejectLimit(.maxRejects) ?? limit
    publish.output = try values.text(.out) ?? publish.output
    merge.previous = try values.text(.previous)
    merge.erasureRequests = try values.text(.ids)
    if merge.erasureRequests == nil { merge.erasureRequests = try values.text(.erase) }
    read.memory = System.memory.map { $0 / 2 } ?? read.memory
    for option in Option.allCases { try values.put(option, in: &self) }
    let rules = read.rules
    read.rules.raisesMaxLine = try values.text(.maxLine) == nil
    if let notBefore = rules.notBefore, let notAfter = rules.notAfter, notBefore > notAfter {
      throw values.bad(
        .notAfter, allowed: "it must not lie before --not-before, \(Timestamp.text(notBefore))",
        example: nil)
    }
    if let since = rules.since, let until = rules.until, since > until {
      throw values.bad(
        .until, allowed: "it must not be before --since, \(Timestamp.text(since))", example: nil)
    }
  }
}

extension OptionValues {
  /// Puts the value of an option, if it is given, where its row says.
  ///
  /// - Throws: `usage`, for a value that is not allowed.
  fileprivate func put(_ option: Option, in options: inout RunOptions) throws(Failure) {
    switch option.facts.setting {
    case nil: break
    case .flag(let field, let meaning)?:
      if try isOn(option) { options.set(field, meaning) }
    case .number(let field, let range, let example)?:
      options.set(field, try number(option, in: range, example: example))
    case .size(let field, let range)?: options.set(field, try size(option, in: range))
    case .identityKeys(let field)?: options.set(field, try identityKeys(option))
    case .time(let field, let range, let bounds)?:
      if let time = try time(option, in: range, bounds: bounds) { options.set(field, time) }
    case .word(let words, _, let set)?:
      if let word = try word(option, among: words) { set(&options, word) }
    }
  }
}
