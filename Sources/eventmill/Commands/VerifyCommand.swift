import Jobs
import Pipeline

/// `eventmill verify`: checks an output against its manifest, and for consistency.
struct VerifyCommand: JobRequest {
  let options: CommandOptions
  private typealias Checked = (output: String, outcome: VerifyOutcome)

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    var all: [Checked] = []
    var others: [Failure] = []
    for output in options.operands {
      let job = VerifyJob(
        output, absent: options.run.merge.erasureRequests, jobs: options.run.read.jobs,
        control: control)
      do throws(Failure) { all.append((output, try job.run())) } catch {
        // What was found in others is not lost for that.
        guard error.kind == .usage, options.operands.count > 1 else { throw error }
        others.append(error)
      }
    }
    var result = CommandResult { [all] in
      JSONWriter.lines(of: all) { write($0, to: &$1) }
    } text: { [all] in
      [.lines(all.flatMap { lines($0, console) })]
    }
    let outcomes = all.map(\.outcome)
    result.notes = [
      JobRunner.speed(
        bytes: outcomes.reduce(0) { $0 + $1.bytes }, seconds: outcomes.reduce(0) { $0 + $1.seconds }
      )
    ]
    let bad = outcomes.filter { $0.problemCount > 0 }
    result.code = bad.isEmpty ? .done : bad.allSatisfy(\.onlyHoldsAbsent) ? .different : .failed
    if bad.isEmpty, let first = others.first {
      result.failure = first
      others.removeFirst()
    }
    result.unchecked = others
    return result
  }

  private func lines(_ checked: Checked, _ console: Console) -> [String] {
    let outcome = checked.outcome
    let unlisted = outcome.problemCount - outcome.problems.count
    let lines = outcome.problems.map(\.message.visible)
    let more = unlisted > 0 ? ["… and \(NumberFormat.count(unlisted, "more problem"))"] : []
    if console.settings.quiet { return lines + more }
    return lines + outcome.elsewhere.map(\.message.visible) + more + [verdict(checked, console)]
  }

  private func verdict(_ checked: Checked, _ console: Console) -> String {
    let outcome = checked.outcome
    let what = "\(NumberFormat.count(outcome.files, "file")), \(contents(outcome))"
    let problems =
      outcome.problemCount == 0
      ? console.good("no problems") + absence(outcome)
      : console.bad(NumberFormat.count(outcome.problemCount, "problem"))
    return "\(checked.output.visible): \(what); \(problems)"
  }

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

  private func write(_ checked: Checked, to json: inout JSONWriter) {
    let outcome = checked.outcome
    json.member("output", checked.output)
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
