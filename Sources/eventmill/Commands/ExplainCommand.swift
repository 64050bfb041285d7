import Jobs
import Pipeline

/// `eventmill explain`: shows what happens to each line, and why (docs/reference/file-formats.md).
struct ExplainCommand: Request {
  let options: CommandOptions

  func execute(on console: Console) throws(Failure) -> ExitCode {
    let control = console.beginUnwatched(JobControl(warnings: { console.warn($0) }))
    try console.untilClosed { () throws(Failure) in
      let outcome = try control.explain(options.run.read) { text throws(Failure) in
        if console.colorsResults {
          try console.write(Self.colored(text, console))
        } else {
          try console.write(text)
        }
        try console.flush()
        try console.endIfClosed()
      }
      var result = CommandResult(json: { ByteBuffer() }, text: { [] })
      (result.ignoredFiles, result.notLogs) = (outcome.ignoredFiles, outcome.notLogs)
      _ = try console.show(result)
    }
    return .done
  }

  /// The lines with colored outcomes. In a JSON string the quotes would be escaped.
  private static func colored(_ text: ByteView, _ console: Console) -> ByteBuffer {
    var colored = text.text
    for (outcome, isGood) in [
      ("accepted", true), ("applied", true), ("rejected", false), ("refused", false),
    ] {
      let field = "\"outcome\":"
      let value = "\"\(outcome)\""
      colored = colored.replacing(
        field + value, with: field + (isGood ? console.good(value) : console.bad(value)))
    }
    return ByteBuffer(text: colored)
  }
}
