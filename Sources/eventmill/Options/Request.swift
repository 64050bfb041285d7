import Jobs
import Pipeline

/// A checked request: one type for each command.
protocol Request: SendableMetatype {
  /// Reads what is particular to the command.
  init(options: CommandOptions) throws(Failure)

  /// Executes the request.
  func execute(on console: Console) throws(Failure) -> ExitCode
}

/// A request that a job with one result executes.
protocol JobRequest: Request {
  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult
}

extension JobRequest {
  func execute(on console: Console) throws(Failure) -> ExitCode {
    try console.show(
      JobRunner.run(on: console) { control throws(Failure) in try result(control, on: console) })
  }
}

/// Runs a job with progress display and signal handling.
enum JobRunner {
  /// Runs `job` and returns its result. A job that does not end soon after a signal is abandoned:
  /// `whenAbandoned` is called, on some thread, and the process ends with that code.
  static func run<Outcome>(
    on console: Console, whenAbandoned: @escaping @Sendable (ExitCode) -> Void = { _ in },
    _ job: (JobControl) throws(Failure) -> Outcome
  ) throws(Failure) -> Outcome {
    let control = JobControl(
      tool: Version.tool, command: console.command, notes: { console.note($0) },
      warnings: { console.warn($0) })
    let signals = console.signals
    console.begin(
      Signals.Job(
        cancel: { control.cancel($0) },
        abandon: { code in
          guard control.abandon() else { return false }
          whenAbandoned(code)
          return true
        }))
    let progress = Progress(of: control, on: console)
    let outcome: Outcome
    do throws(Failure) {
      defer { progress?.stop() }
      outcome = try job(control)
    } catch {
      signals.end(with: nil)
      throw error
    }
    signals.end(with: control.isPublishing ? .done : nil)
    return outcome
  }

  static func speed(bytes: Int, seconds: Double) -> String {
    let rate = seconds > 0 ? Int(Double(bytes) / seconds) : 0
    return
      "\(NumberFormat.bytes(bytes)) in \(NumberFormat.tenths(seconds)) s, \(NumberFormat.bytes(rate))/s"
  }
}

extension Console {
  /// The control of a job without progress, which a signal cancels.
  func beginUnwatched(_ control: JobControl = JobControl()) -> JobControl {
    begin(Signals.Job { control.cancel($0) })
    return control
  }
}

/// The validated command line.
struct Invocation {
  /// Nil for help and the version.
  let command: Command?
  let request: any Request
  let options: CommandOptions
  /// The directory of the inputs (`--root`); nil for the current one.
  private(set) var root: InputRoot?
  let renamed: [Renaming]

  var console: ConsoleSettings { options.console }

  /// Reads the values of `arguments`. The defaults are in the option types.
  init(_ arguments: RawArguments) throws(Failure) {
    var values = OptionValues(arguments.values)
    renamed = arguments.renamed
    command = arguments.wantsHelp || arguments.wantsVersion ? nil : arguments.command
    // The options of every command, before --from takes standard input.
    let common = try CommandOptions(.version, values, operands: [])
    guard let command else {
      options = common
      if arguments.wantsVersion, !arguments.wantsHelp {
        request = VersionRequest(options: options)
      } else if arguments.wantsHelp {
        request = HelpRequest(command: arguments.command, group: arguments.group)
      } else {
        throw RawArguments.noCommand(of: arguments.group)
      }
      return
    }
    var operands = arguments.operands
    if let list = try values.text(.from) {
      if list == InputFile.standardInput, operands.contains(list) {
        throw Failure.commandLine("- is named twice", "name it once")
      }
      operands += try InputList.paths(in: list)
      if operands.isEmpty, !(try values.isOn(.allowEmpty)) {
        throw Failure.commandLine("--from \(list) lists nothing", "write one path in each line")
      }
    }
    root = try values.text(.root).map { path throws(Failure) in try InputRoot(path) }
    if let root {
      operands = try operands.map { name throws(Failure) in try root.name(of: name) }
      values.makePathsAbsolute(
        in: try System.real.realPath(of: ".", doing: "finding the working directory"))
    }
    options = try CommandOptions(command, values, operands: operands)
    try OptionConflict.check(options, of: command)
    request = try command.facts.request.init(options: options)
  }

  /// What a shell asks, to complete `words`.
  init(completing words: ArraySlice<String>) throws(Failure) {
    (command, renamed) = (nil, [])
    options = try CommandOptions(.version, OptionValues(), operands: Array(words))
    request = CompletionRequest(options: options)
  }

  /// The files and directories to read; `-` is standard input.
  var inputs: [String] {
    (command?.facts.takesStandardInput == true ? options.operands : [])
      + options.history + options.logs
  }
}
