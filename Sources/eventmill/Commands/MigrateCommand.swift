import Jobs
import Pipeline

/// `eventmill migrate`: logs of any kind to canonical v2 logs.
struct MigrateCommand: JobRequest {
  let options: CommandOptions

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let (read, publish) = (options.run.read, options.run.publish)
    if options.isDryRun { return try DryRunCommand.result(read, publish, control, on: console) }
    let report = try MigrateJob(
      read, publish, verifies: options.verifies, control: control
    ).run()
    var result = CommandResult(published: publish.output, report.warning) { json in
      Self.write(report, to: &json)
    } text: {
      [
        .summary(Self.lines(report, publish.output)),
        .lines(MigrateTables.destinations(report.inputs, ignoredFiles: report.ignoredFiles) + [""]),
        .table(MigrateTables.ledgers(report.inputs, total: report.facts.total)),
      ]
    }
    result.lost = report.lost
    return result
  }

  private static func lines(_ report: ArchiveReport, _ output: String) -> [String?] {
    let count = NumberFormat.grouped
    return [
      "published \(output)",
      Summary.line(
        "logs",
        "\(count(report.inputs.count)), \(NumberFormat.count(report.outputLines, "line")), "
          + "\(NumberFormat.bytes(report.inputBytes)) became \(NumberFormat.bytes(report.outputBytes))"
      ),
      Summary.read(report.bytes, report.seconds),
      Summary.line(
        "resumed",
        "inputs that an earlier migration had finished: \(count(report.resumedInputs))",
        if: report.resumedInputs > 0),
    ] + Summary.rejects(report.facts, in: output, losses: ArchiveFiles.losses)
      + [
        report.proof.flatMap { proof in
          Summary.line(
            "verified",
            "\(NumberFormat.count(proof.lines, "line is", "lines are")) canonical, with the same "
              + "bytes when written again; inputs and logs contain the same "
              + NumberFormat.count(proof.events, "event"))
        }
      ]
  }

  private static func write(_ report: ArchiveReport, to json: inout JSONWriter) {
    let facts = report.facts
    facts.total.write("ledger", to: &json)
    json.member("lines_with_rejects", facts.linesWithRejects)
    facts.writeTotals(to: &json)
    json.members(["lost_inputs": report.lost.count, "resumed_inputs": report.resumedInputs])
    MigrateTables.write(report.inputs, to: &json)
    report.ignoredFiles.writeField(to: &json)
    json.members(["output_lines": report.outputLines, "output_bytes": report.outputBytes])
    if let proof = report.proof {
      json.object("verified") { json in
        json.members([
          "lines": proof.lines, "events": proof.events, "duplicates": proof.duplicates,
          "event_names": proof.names, "seconds": proof.seconds,
        ])
      }
    }
    json.figures(lines: facts.total.lines, bytes: report.bytes, seconds: report.seconds)
  }
}
