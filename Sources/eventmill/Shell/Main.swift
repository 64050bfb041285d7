@main
enum Main {
  static func main() {
    Terminal.prepare()
    let shell = Shell(variable: Terminal.variable)
    Terminal.exit(shell.run(Array(CommandLine.arguments.dropFirst())))
  }
}
