import Jobs
import Pipeline
import Stages

/// A checked request: one type for each command.
protocol Request: SendableMetatype {
  /// The files and directories to read; `-` is standard input.
  var inputs: [String] { get }

  /// Reads options and operands of the command line.
  /// - Throws: `usage`, for an invalid value.
  init(_ values: OptionValues, operands: [String]) throws(Failure)

  /// Executes the request.
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode
}

extension Request {
  var inputs: [String] { [] }
}

/// The validated command line.
struct Invocation {
  /// Nil for help and the version.
  let command: Command?
  let request: any Request
  let console: ConsoleSettings
  /// The directory of the inputs (`--root`); nil for the current one.
  let root: InputRoot?

  /// Reads the values of `arguments`. The defaults are in the option types.
  ///
  /// - Throws: `usage`, for an invalid value.
  init(_ arguments: RawArguments) throws(Failure) {
    let values = OptionValues(arguments)
    console = try ConsoleSettings(values)
    command = arguments.wantsHelp || arguments.wantsVersion ? nil : arguments.command
    (request, root) = try Self.request(arguments, values)
  }
}

extension Invocation {
  private static func request(
    _ arguments: RawArguments, _ values: OptionValues
  ) throws(Failure) -> (any Request, InputRoot?) {
    if arguments.wantsHelp {
      return (HelpRequest(command: arguments.command, group: arguments.group), nil)
    }
    if arguments.wantsVersion { return (try VersionRequest(values, operands: []), nil) }
    guard let command = arguments.command else {
      throw RawArguments.noCommand(of: arguments.group)
    }
    var operands = arguments.operands
    if let list = try values.text(.from) {
      operands += try InputList.paths(in: list)
      if operands.isEmpty, !(try values.isOn(.allowEmpty)) {
        throw RawArguments.usage("--from \(list) lists nothing", "write one path in each line")
      }
    }
    var values = values
    let root = try values.text(.root).map { path throws(Failure) in try InputRoot(path) }
    if let root {
      operands = try operands.map { name throws(Failure) in try root.name(of: name) }
      values.makePathsAbsolute(
        in: try System.real.realPath(of: ".", doing: "finding the working directory"))
    }
    return (try command.facts.request.init(values, operands: operands), root)
  }
}

extension ConsoleSettings {
  fileprivate init(_ values: OptionValues) throws(Failure) {
    quiet = try values.isOn(.quiet)
    json = try values.isOn(.json)
    progress = try !values.isOn(.noProgress)
    endsWithParent = try values.isOn(.dieWithParent)
    color = try values.choice(.color, ColorChoice.self) ?? color
    logFormat = try values.choice(.logFormat, LogFormat.self) ?? logFormat
  }
}

extension OptionValues {
  /// Number of lanes: the number of cores by default.
  func jobs() throws(Failure) -> Int {
    try number(.jobs, in: Option.jobsBounds, example: 4)
      ?? min(System.processors, Option.jobsBounds.upperBound)
  }
}

extension RunOptions {
  /// Options with `limit` as the default of `--max-rejects`.
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
    tracking = try values.text(.tracking)
    merge.erasureRequests = try values.text(.ids)
    if merge.erasureRequests == nil { merge.erasureRequests = try values.text(.erase) }
    read.memory = System.memory.map { $0 / 2 } ?? read.memory
    for option in Option.allCases { try values.put(option, in: &self) }
    if let attempt = try values.text(.attempt) {
      guard OutputPath.isAttempt(attempt) else {
        throw values.bad(
          .attempt, allowed: "it must be 1 to 64 letters, digits, - and _", example: "2")
      }
      (publish.attempt, publish.acceptsSame) = (attempt, true)
    }
    let rules = read.rules
    read.rules.raisesMaxLine = try values.text(.maxLine) == nil
    if let notBefore = rules.notBefore, let notAfter = rules.notAfter, notBefore > notAfter {
      throw values.bad(
        .notAfter, allowed: "it must not be before --not-before, \(Timestamp.text(notBefore))",
        example: nil)
    }
    if let since = rules.since, let until = rules.until, since > until {
      throw values.bad(
        .until, allowed: "it must not be before --since, \(Timestamp.text(since))", example: nil)
    }
  }
}

extension OptionValues {
  /// Sets the field for an option, if it is given, according to its row.
  ///
  /// - Throws: `usage`, for an invalid value.
  fileprivate func put(_ option: Option, in options: inout RunOptions) throws(Failure) {
    switch option.facts.setting {
    case nil: break
    case .flag(let field, let meaning)?:
      if try isOn(option) { options.set(field, meaning) }
    case .number(let field, let range, let example)?:
      options.set(field, try number(option, in: range, example: example))
    case .size(let field, let range)?: options.set(field, try size(option, in: range))
    case .identityKeys(let field)?: options.set(field, try identityKeys(option))
    case .dialect(let field)?:
      if let name = try word(option, among: ["auto"] + Dialect.known.map(\.name)) {
        options.set(field, .some(Dialect(recorded: name)))
      }
    case .mappings(let field)?: options.set(field, try mappings(option))
    case .placeholders(let field)?: options.set(field, try placeholders(option))
    case .time(let field, let range, let bounds)?:
      if let time = try time(option, in: range, bounds: bounds) { options.set(field, time) }
    case .word(let words, _, let set)?:
      if let word = try word(option, among: words) { set(&options, word) }
    }
  }
}
