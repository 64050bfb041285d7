import Jobs
import Pipeline

/// From command line to exit code: raw arguments, checked request, command, outcome.
struct Shell {
  let signals: Signals
  let variables: [String: String]
  let input: StandardInput
  /// A description of the first argument or variable that is not UTF-8: nothing is done then.
  var unreadable: String?

  /// Executes `arguments`, without the program's name; nil when they are unknown.
  func run(_ arguments: [String]?) -> ExitCode {
    let variable = { (name: String) in variables[name] }
    let isKnown = arguments != nil
    let arguments = arguments ?? []
    let invocation: Invocation
    // Reading the command line needs memory, too.
    endWithoutMemory(Console(ConsoleSettings(), signals: signals, variable: variable))
    do throws(Failure) {
      if !isKnown { throw Self.noArguments }
      let isCompletion = arguments.first == CompletionRequest.word
      if let unreadable, !isCompletion {
        throw Failure.commandLine(
          "\(unreadable) is not UTF-8", "rename the file, or write it in UTF-8")
      }
      invocation =
        isCompletion
        ? try Invocation(completing: arguments.dropFirst())
        : try Invocation(RawArguments(arguments, variables: variables, input: input))
    } catch {
      let settings = RawArguments.settings(arguments, variable: variable)
      return end(error, Console(settings, signals: signals, variable: variable))
    }
    let console = Console(
      invocation.console, signals: signals, arguments: arguments, named: invocation.command,
      variable: variable)
    endWithoutMemory(console)
    do throws(Failure) {
      if invocation.console.endsWithParent, !System.endWithParent() { throw Shell.orphaned }
      if !System.hasRoom { throw Shell.noMemory }
      if input == .terminal, invocation.inputs.contains(InputFile.standardInput) {
        console.note("reading lines from the terminal; Ctrl-D at the start of a line ends them")
      }
      for renaming in invocation.renamed { console.warn(renaming.note) }
      try invocation.root?.enter()
      let code = try invocation.request.execute(on: console)
      try console.flush()
      return code
    } catch {
      // Partial results may be of use; a second failure does not matter.
      try? console.flush()
      return end(error, console)
    }
  }

  private func endWithoutMemory(_ console: Console) {
    System.endWithoutMemory(ExitCode.failed.rawValue, console.words(for: Shell.noMemory, .failed))
  }

  private static let noMemory = Failure(
    .limit, doing: "running", why: "the system gives this process no more memory",
    advice: [
      "nothing was published; raise its limit (ulimit -v, ulimit -d)", "lower --memory",
      "lower --jobs",
    ], mayPass: true)

  private static let noArguments = Failure(
    .io, doing: "reading the command line", why: "the system does not provide it",
    advice: "start the program with its name as the first argument, or mount /proc")

  private static let orphaned = Failure(
    .interrupted, doing: "starting", why: "the process that started this one has ended",
    advice: "start it again, or omit --die-with-parent")

  private func end(_ failure: Failure, _ console: Console) -> ExitCode {
    let code = ExitCode(failure.kind, signal: console.signals.received)
    console.fail(failure, code)
    return code
  }
}
