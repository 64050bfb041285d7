import Jobs
import Pipeline

/// `eventmill completions`: prints the completion script of a shell.
struct CompletionsCommand: Request {
  let shell: CompletionShell

  init(options: CommandOptions) throws(Failure) {
    let word = options.operands[0]
    let shells = CompletionShell.allCases.map(\.rawValue)
    guard let shell = CompletionShell(rawValue: word) else {
      throw Failure.commandLine(
        "there are no completions for \"\(word)\"", meant: word, among: shells,
        else: "name one of \(shells.joined(separator: ", "))")
    }
    self.shell = shell
  }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    try console.show(
      CommandResult { json in
        json.members(["shell": shell.rawValue, "script": shell.script + "\n"])
      } text: {
        [.lines([shell.script])]
      })
  }
}
