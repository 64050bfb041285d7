import Jobs
import Pipeline

/// `eventmill verify`: checks an output against its manifest, and for consistency.
struct VerifyCommand: Request {
  let options: CommandOptions
  private var output: String { options.operands[0] }

  /// Runs the command and prints the problems, or that there are none.
  ///
  /// - Throws: why it could not be done; ``ExitCode`` follows from the kind. Problems of the output
  ///   are a result.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let outcome = try JobRunner.run(on: console) { control throws(Failure) in
      try VerifyJob(
        output, absent: options.absent, jobs: options.run.read.jobs, control: control
      ).run()
    }
    if console.settings.json {
      try console.write(json(outcome))
    } else {
      for problem in outcome.problems { try console.print(problem.message.visible) }
      let unlisted = outcome.problemCount - outcome.problems.count
      for problem in outcome.elsewhere where !console.settings.quiet {
        try console.print(problem.message.visible)
      }
      if unlisted > 0 { try console.print("… and \(NumberFormat.count(unlisted, "more problem"))") }
      if !console.settings.quiet { try console.print(verdict(outcome, console)) }
    }
    try console.flush()
    console.note(JobRunner.speed(bytes: outcome.bytes, seconds: outcome.seconds))
    return outcome.problemCount == 0 ? .done : .failed
  }

  private func verdict(_ outcome: VerifyOutcome, _ console: Console) -> String {
    let what = "\(NumberFormat.count(outcome.files, "file")), \(contents(outcome))"
    let problems =
      outcome.problemCount == 0
      ? console.good("no problems") + absence(outcome)
      : console.bad(NumberFormat.count(outcome.problemCount, "problem"))
    return "\(output.visible): \(what); \(problems)"
  }

  /// The number of people searched for, if none was found.
  private func absence(_ outcome: VerifyOutcome) -> String {
    guard let requests = outcome.absent else { return "" }
    return ", and nothing is left of \(NumberFormat.count(requests, "request"))"
  }

  private func contents(_ outcome: VerifyOutcome) -> String {
    switch outcome.contents {
    case .profiles(let count): NumberFormat.count(count, "profile")
    case .logs(_, let lines, let events, _):
      NumberFormat.count(lines, "line") + ", " + NumberFormat.count(events, "event")
    case .tables: "the tables of an export"
    }
  }

  private func json(_ outcome: VerifyOutcome) -> ByteBuffer {
    JSONWriter.document { json in
      json.member("output", output)
      json.member("ok", outcome.problemCount == 0)
      json.member("problem_count", outcome.problemCount)
      json.objects("problems", of: outcome.problems) { problem, json in
        json.member("file", problem.file)
        if let frame = problem.frame { json.member("frame", frame) }
        if let line = problem.line { json.member("line", line) }
        json.member("what", problem.finding.sentence)
      }
      json.member("files", outcome.files)
      json.member("bytes", outcome.bytes)
      switch outcome.contents {
      case .profiles(let count): json.member("profiles", count)
      case .logs(let logs, let lines, let events, let operations):
        json.member("logs", logs)
        json.member("lines", lines)
        json.member("events", events)
        json.member("operations", operations)
      case .tables: break
      }
      if let absent = outcome.absent {
        json.member("absent", absent)
        json.objects("elsewhere", of: outcome.elsewhere) { problem, json in
          json.member("file", problem.file)
          json.member("what", problem.what)
          json.member("lines", problem.lines)
          if !problem.similar.isEmpty { json.array("similar", of: problem.similar) }
          if problem.hasMoreSimilar { json.member("more_similar", true) }
        }
      }
      json.member("seconds", outcome.seconds)
    }
  }
}
