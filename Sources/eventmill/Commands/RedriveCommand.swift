import Jobs
import Pipeline

/// `eventmill redrive`: reprocesses rejected parts.
struct RedriveCommand: JobRequest {
  let options: CommandOptions

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let (read, publish) = (options.run.read, options.run.publish)
    let isDry = options.isDryRun
    let report = try RedriveJob(read, publish, only: options.reason, isDry: isDry, control: control)
      .run()
    let write = { (json: inout JSONWriter) in
      if isDry { json.member("dry_run", true) }
      report.ledger.write("ledger", to: &json)
      json.member("redriven_lines", report.lines)
      report.tally.writeTotals(to: &json)
      json.member("lost_inputs", report.lost.count)
      json.figures(bytes: report.bytes, seconds: report.seconds)
    }
    let text = { [CommandResult.Part.summary(Self.lines(report, publish.output, isDry: isDry))] }
    var result =
      isDry
      ? CommandResult(object: write, text: text)
      : CommandResult(published: publish.output, report.warning, fields: write, text: text)
    result.lost = report.lost
    return result
  }

  private static func lines(_ report: RedriveReport, _ output: String, isDry: Bool) -> [String?] {
    let (ledger, count) = (report.ledger, NumberFormat.grouped)
    func entries(_ name: String, _ text: String, _ number: Int) -> String? {
      Summary.line(
        name, "\(text): \(NumberFormat.count(number, "entry", "entries"))", if: number > 0)
    }
    return [
      isDry ? "nothing was written to \(output)" : "published \(output)",
      Summary.line(
        "entries",
        "\(count(ledger.entries)): \(count(ledger.accepted)) accepted, "
          + "\(count(ledger.partial)) accepted in part, \(count(ledger.rejected)) rejected"),
      Summary.line(
        "events",
        "\(count(ledger.acceptedEvents)) accepted, \(count(ledger.rejectedEvents)) rejected"
          + (ledger.outsideEvents > 0
            ? ", \(count(ledger.outsideEvents)) outside of --since and --until" : "")),
      Summary.line(
        "operations",
        "\(count(ledger.appliedOperations)) applied, \(count(ledger.refusedOperations)) refused"),
      Summary.line(
        "redriven",
        NumberFormat.count(report.lines, "line")
          + (isDry ? "" : ": see \(output)/\(RunFiles.redriven)")),
      Summary.read(report.bytes, report.seconds),
      entries(
        "kept", "unchanged, without their whole line, invalid or of other reasons", ledger.kept),
      entries(
        "outside",
        "about events outside of --since and --until, and not among the remaining rejects",
        ledger.outside), entries("repeated", "about parts of other entries, too", ledger.repeated),
      Summary.line(
        "rejects",
        NumberFormat.count(report.entriesLeft, "entry remains", "entries remain")
          + (isDry ? "" : ": see \(output)/\(RunFiles.rejects)"), if: report.entriesLeft > 0),
    ] + (isDry ? [] : Summary.losses(report.tally, in: output, listedIn: RunFiles.losses))
  }
}
