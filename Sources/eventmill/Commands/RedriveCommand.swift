import Jobs
import Pipeline

/// `eventmill redrive`: reprocesses rejected parts.
struct RedriveCommand: Request {
  let options: CommandOptions

  /// Runs the command and prints its summary.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let options = options.run
    let summary = try JobRunner.run(on: console) { control throws(Failure) in
      try RedriveJob(options.read, options.publish, tool: Version.tool, control: control).run()
    }
    PublishedOutput.report(summary.warning, on: console) {
      Self.json(summary, options)
    } text: { () throws(Failure) in
      try console.print(summary: Self.lines(summary, options))
    }
    return JobRunner.report(lost: summary.lost, on: console)
  }

  private static func lines(_ summary: RedriveSummary, _ options: RunOptions) -> [String] {
    let (ledger, count) = (summary.facts.ledger, NumberFormat.grouped)
    var lines = [
      "published \(options.publish.output)",
      "entries     \(count(ledger.entries)): \(count(ledger.accepted)) accepted, "
        + "\(count(ledger.partial)) accepted in part, \(count(ledger.rejected)) rejected",
      "events      \(count(ledger.acceptedEvents)) accepted, "
        + "\(count(ledger.rejectedEvents)) rejected"
        + (ledger.outsideEvents > 0
          ? ", \(count(ledger.outsideEvents)) outside of --since and --until" : ""),
      "operations  \(count(ledger.appliedOperations)) applied, "
        + "\(count(ledger.refusedOperations)) refused",
      "redriven    \(NumberFormat.count(summary.lines, "line")): see \(options.publish.output)/\(RunFiles.redriven)",
      "read        \(JobRunner.speed(bytes: summary.bytes, seconds: summary.seconds))",
    ]
    if ledger.kept > 0 {
      lines.append(
        "kept        unchanged, without their whole line or invalid: "
          + NumberFormat.count(ledger.kept, "entry", "entries"))
    }
    if ledger.outside > 0 {
      lines.append(
        "outside     about events outside of --since and --until, and not among the remaining "
          + "rejects: \(NumberFormat.count(ledger.outside, "entry", "entries"))")
    }
    if ledger.repeated > 0 {
      lines.append(
        "repeated    about parts of other entries, too: "
          + NumberFormat.count(ledger.repeated, "entry", "entries"))
    }
    if summary.entriesLeft > 0 {
      lines.append(
        "rejects     \(NumberFormat.count(summary.entriesLeft, "entry remains", "entries remain")): see "
          + "\(options.publish.output)/\(RunFiles.rejects)")
    }
    return lines
      + PublishedOutput.losses(
        summary.facts.tally.losses.total, in: options.publish.output, listedIn: ArchiveFiles.losses)
      + PublishedOutput.remarks(summary.facts.tally.implausibleDates)
      + PublishedOutput.unknownFields(summary.facts.tally.unknownFields)
  }

  private static func json(_ summary: RedriveSummary, _ options: RunOptions) -> ByteBuffer {
    JSONWriter.document { json in
      json.member("output", options.publish.output)
      summary.facts.ledger.write("ledger", to: &json)
      json.member("redriven_lines", summary.lines)
      json.member("losses", summary.facts.tally.losses.total)
      json.member("remarks", summary.facts.tally.remarks.total)
      json.member("unknown_fields", summary.facts.tally.unknownFields.total)
      json.member("lost_inputs", summary.lost.count)
      json.figures(bytes: summary.bytes, seconds: summary.seconds)
    }
  }
}
