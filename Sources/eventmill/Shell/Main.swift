import Jobs
import Pipeline

@main
enum Main {
  static func main() {
    Terminal.prepare()
    Terminal.holdSignals()
    let signals = Signals()
    let isBegun = ThreadPool.shared.run { answer(signals) }
    if isBegun { signals.watch() }
    // Help works even without threads; commands that need them report it.
    Terminal.releaseSignals()
    answer(signals)
  }

  /// Executes the command line, and ends the process.
  private static func answer(_ signals: Signals) {
    let shell = Shell(
      signals: signals, variables: System.environment, input: Terminal.input,
      unreadable: Terminal.unreadableArgument ?? System.unreadableVariable(Option.variablePrefix))
    Terminal.exit(shell.run(Array(CommandLine.arguments.dropFirst())))
  }
}
