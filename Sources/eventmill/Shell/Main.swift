import Pipeline

@main
enum Main {
  static func main() {
    Terminal.prepare()
    let shell = Shell(variables: System.environment, input: Terminal.input)
    Terminal.exit(shell.run(Array(CommandLine.arguments.dropFirst())))
  }
}
