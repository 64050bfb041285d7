import Jobs
import Pipeline

/// `eventmill verify`: checks an output against its manifest, and for consistency.
struct VerifyCommand: JobRequest {
  let options: CommandOptions
  private var output: String { options.operands[0] }

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let outcome = try VerifyJob(
      output, absent: options.absent, jobs: options.run.read.jobs, control: control
    ).run()
    var result = CommandResult { json in
      write(outcome, to: &json)
    } text: {
      let unlisted = outcome.problemCount - outcome.problems.count
      let lines = outcome.problems.map(\.message.visible)
      let more = unlisted > 0 ? ["… and \(NumberFormat.count(unlisted, "more problem"))"] : []
      if console.settings.quiet { return [.lines(lines + more)] }
      return [
        .lines(
          lines + outcome.elsewhere.map(\.message.visible) + more + [verdict(outcome, console)])
      ]
    }
    result.notes = [JobRunner.speed(bytes: outcome.bytes, seconds: outcome.seconds)]
    result.code = outcome.problemCount == 0 ? .done : .failed
    return result
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

  private func write(_ outcome: VerifyOutcome, to json: inout JSONWriter) {
    json.member("output", output)
    json.member("ok", outcome.problemCount == 0)
    json.member("problem_count", outcome.problemCount)
    json.objects("problems", of: outcome.problems) { problem, json in
      json.member("file", problem.file)
      if let frame = problem.frame { json.member("frame", frame) }
      if let line = problem.line { json.member("line", line) }
      json.member("what", problem.finding.sentence)
    }
    json.members(["files": outcome.files, "bytes": outcome.bytes])
    switch outcome.contents {
    case .profiles(let count): json.member("profiles", count)
    case .logs(let logs, let lines, let events, let operations):
      json.members(["logs": logs, "lines": lines, "events": events, "operations": operations])
    case .tables: break
    }
    if let absent = outcome.absent {
      json.member("absent", absent)
      json.objects("elsewhere", of: outcome.elsewhere) { problem, json in
        json.members(["file": problem.file, "what": problem.what, "lines": problem.lines])
        if !problem.similar.isEmpty { json.array("similar", of: problem.similar) }
        if problem.hasMoreSimilar { json.member("more_similar", true) }
      }
    }
    json.member("seconds", outcome.seconds)
  }
}
