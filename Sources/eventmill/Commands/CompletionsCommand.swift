import Jobs
import Pipeline

/// `eventmill completions`: prints the completion script of a shell.
struct CompletionsCommand: Request {
  let shell: CompletionShell

  init(options: CommandOptions) throws(Failure) {
    let word = options.operands[0]
    let shells = CompletionShell.allCases.map(\.rawValue)
    guard let shell = CompletionShell(rawValue: word) else {
      let nearest = NearestName.of(word, among: shells)
      throw Failure.commandLine(
        "there are no completions for \"\(word)\"",
        nearest.map { "did you mean \($0)?" } ?? "name one of \(shells.joined(separator: ", "))")
    }
    self.shell = shell
  }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    try console.show(
      CommandResult { json in
        json.member("shell", shell.rawValue)
        json.member("script", shell.script + "\n")
      } text: {
        [.lines([shell.script])]
      })
  }
}
