import Jobs
import Pipeline

/// `eventmill completions`: prints the completion script of a shell.
struct CompletionsCommand: Request {
  let shell: CompletionShell

  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    let shells = CompletionShell.allCases.map(\.rawValue)
    guard let shell = CompletionShell(rawValue: operands[0]) else {
      let nearest = NearestName.of(operands[0], among: shells)
      throw RawArguments.usage(
        "there are no completions for \"\(operands[0])\"",
        nearest.map { "did you mean \($0)?" } ?? "name one of \(shells.joined(separator: ", "))")
    }
    self.shell = shell
  }

  /// Prints the script.
  ///
  /// - Throws: `io`, when standard output cannot be written.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    guard console.settings.json else {
      try console.print(shell.script)
      return .done
    }
    let json = JSONWriter.document { json in
      json.member("shell", shell.rawValue)
      json.member("script", shell.script + "\n")
    }
    try console.write(json)
    return .done
  }
}
