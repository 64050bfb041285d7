import Jobs
import Pipeline

@main enum Main {
  static func main() {
    Terminal.prepare()
    System.returnFreedMemory()
    System.noteNiceness()
    Terminal.holdSignals()
    let signals = Signals()
    // This thread exists whatever happens to others, so it watches. Its stack is as large as
    // `ulimit -s` says, so the command line gets a thread with a stack of its own.
    let isBegun: Void? = try? System.real.startThread { answer(signals) }
    if isBegun != nil { signals.watch() }
    // Help works even without threads; commands that need them report that there are none.
    Terminal.releaseSignals()
    answer(signals)
  }

  private static func answer(_ signals: Signals) {
    let shell = Shell(
      signals: signals, variables: System.environment, input: Terminal.input,
      unreadable: System.unreadableArgument ?? System.unreadableVariable(Option.variablePrefix))
    let arguments = System.arguments
    Terminal.exit(shell.run(arguments.isEmpty ? nil : Array(arguments.dropFirst())))
  }
}
