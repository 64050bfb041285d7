import Jobs
import Pipeline

/// `eventmill verify`: checks an output against its manifest, and in itself.
enum VerifyCommand {
  /// Runs the command and prints what is wrong, or that nothing is.
  ///
  /// - Throws: why it could not be done; ``ExitCode`` follows from the kind. That something is
  ///   wrong with the output is a result.
  static func execute(_ request: VerifyRequest, console: Console) throws(Failure) -> ExitCode {
    let outcome = try JobRunner.run(on: console) { control throws(Failure) in
      try VerifyJob(
        request.output, absent: request.absent, jobs: request.jobs, control: control
      ).run()
    }
    if console.settings.json {
      try console.write(json(outcome, request))
    } else {
      for problem in outcome.problems { try console.print(problem.message) }
      let untold = outcome.problemCount - outcome.problems.count
      for place in outcome.elsewhere where !console.settings.quiet {
        try console.print(place.message)
      }
      if untold > 0 { try console.print("… and \(Figures.grouped(untold)) more problems") }
      if !console.settings.quiet { try console.print(verdict(outcome, request)) }
    }
    try console.flush()
    console.note(JobRunner.speed(bytes: outcome.bytes, seconds: outcome.seconds))
    return outcome.problemCount == 0 ? .done : .failed
  }

  private static func verdict(_ outcome: VerifyOutcome, _ request: VerifyRequest) -> String {
    let what = "\(Figures.grouped(outcome.files)) files, \(contents(outcome))"
    switch outcome.problemCount {
    case 0: return "\(request.output): \(what); nothing is wrong\(absence(outcome))"
    case 1: return "\(request.output): \(what); 1 problem"
    default: return "\(request.output): \(what); \(Figures.grouped(outcome.problemCount)) problems"
    }
  }

  /// That nobody is there says little without how many were looked for.
  private static func absence(_ outcome: VerifyOutcome) -> String {
    guard let requests = outcome.absent else { return "" }
    return ", and nothing is left of \(Figures.grouped(requests)) "
      + (requests == 1 ? "request" : "requests")
  }

  private static func contents(_ outcome: VerifyOutcome) -> String {
    switch outcome.contents {
    case .profiles(let count): "\(Figures.grouped(count)) profiles"
    case .logs(_, let lines, let events, _):
      "\(Figures.grouped(lines)) lines, \(Figures.grouped(events)) events"
    }
  }

  private static func json(_ outcome: VerifyOutcome, _ request: VerifyRequest) -> ByteBuffer {
    JSONWriter.document { json in
      json.member("output", request.output)
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
      }
      if let absent = outcome.absent {
        json.member("absent", absent)
        json.objects("elsewhere", of: outcome.elsewhere) { place, json in
          json.member("file", place.file)
          json.member("what", place.what)
          json.member("lines", place.lines)
        }
      }
      json.member("seconds", outcome.seconds)
    }
  }
}
