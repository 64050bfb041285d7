import Pipeline
import Stages

/// `eventmill run`: the nightly job (SPEC 9).
enum RunCommand {
  /// Runs the command and prints its summary.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  static func execute(_ options: RunOptions, console: Console) throws(Failure) -> ExitCode {
    let summary = try JobRunner.run(on: console) { control throws(Failure) in
      try NightlyRun(options, tool: Version.tool, control: control).run()
    }
    if let warning = summary.warning { console.warn(warning.message) }
    do throws(Failure) {
      try show(summary, options, console)
    } catch {
      // The output is published: that nobody can be told so does not make the run a failure.
      console.warn(error.message)
    }
    return JobRunner.report(lost: summary.lost, on: console)
  }

  private static func show(
    _ summary: RunSummary, _ options: RunOptions, _ console: Console
  ) throws(Failure) {
    if console.settings.json {
      try console.write(json(summary, options))
    } else if !console.settings.quiet {
      for line in lines(summary, options) { try console.print(line) }
    }
    try console.flush()
  }

  private static func lines(_ summary: RunSummary, _ options: RunOptions) -> [String] {
    let ledger = summary.ledger
    func count(_ number: Int) -> String { Figures.grouped(number) }
    var lines = [
      "published \(options.output)",
      "lines       \(count(ledger.lines)): \(count(ledger.records)) records, "
        + "\(count(ledger.blank)) blank, \(count(ledger.rejectedLines)) rejected",
      "events      \(count(ledger.events)): \(count(ledger.accepted)) accepted, "
        + "\(count(ledger.duplicates)) duplicates, \(count(ledger.rejected)) rejected",
      "operations  \(count(ledger.operations)): \(count(ledger.applied)) applied, "
        + "\(count(ledger.refused)) refused",
      "profiles    \(count(summary.profiles)), event names \(count(summary.eventNames))",
      "read        \(JobRunner.speed(bytes: summary.bytes, seconds: summary.seconds))",
    ]
    if let slowest = summary.slowestStage {
      lines.append("slowest     \(slowest.name), \(Int(slowest.share * 100)) % of the work")
    }
    if summary.linesWithRejects > 0 {
      lines.append(
        "rejects     \(count(summary.linesWithRejects)) lines have a rejected part: see "
          + "\(options.output)/\(RunFiles.rejects)")
    }
    if summary.losses > 0 {
      lines.append(
        "losses      \(count(summary.losses)) parts were dropped: see "
          + "\(options.output)/\(RunFiles.report)")
    }
    return lines
  }

  private static func json(_ summary: RunSummary, _ options: RunOptions) -> ByteBuffer {
    var json = JSONWriter()
    json.object { json in
      json.member("output", options.output)
      summary.ledger.write("ledger", to: &json)
      json.member("profiles", summary.profiles)
      json.member("event_names", summary.eventNames)
      json.member("lines_with_rejects", summary.linesWithRejects)
      json.member("losses", summary.losses)
      json.member("lost_inputs", summary.lost.count)
      json.member("bytes", summary.bytes)
      json.member("seconds", summary.seconds)
    }
    json.endLine()
    return json.finish()
  }
}
