import Jobs
import Pipeline

/// `eventmill completions`: prints the completion script of a shell.
struct CompletionsCommand: Request {
  private let shell: String
  private let script: String

  init(options: CommandOptions) throws(Failure) {
    shell = options.operands[0]
    switch shell {
    case "bash": script = CompletionTable.bashScript
    case "zsh": script = CompletionTable.zshScript
    case "fish": script = CompletionTable.fishScript
    default:
      throw Failure.commandLine(
        "there are no completions for \"\(shell)\"", meant: shell, among: ["bash", "zsh", "fish"],
        else: "name one of bash, zsh, fish")
    }
  }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    try console.show(
      CommandResult { json in
        json.members(["shell": shell, "script": script + "\n"])
      } text: {
        [.lines([script])]
      })
  }
}
