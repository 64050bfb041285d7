import Jobs
import Pipeline

@main
enum Main {
  static func main() {
    Terminal.prepare()
    System.noteNiceness()
    Terminal.holdSignals()
    let signals = Signals()
    // The only thread that Dispatch does not create, so it is there whatever happens to the others.
    // Help works even without it; commands that need threads report that there are none.
    do { try System.real.startThread { signals.watch() } } catch { Terminal.releaseSignals() }
    let shell = Shell(
      signals: signals, variables: System.environment, input: Terminal.input,
      unreadable: Terminal.unreadableArgument ?? System.unreadableVariable(Option.variablePrefix))
    Terminal.exit(shell.run(Array(CommandLine.arguments.dropFirst())))
  }
}
