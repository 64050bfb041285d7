import Jobs
import Pipeline

/// `eventmill migrate`: logs of any kind to canonical v2 logs.
struct MigrateCommand: Request {
  let options: CommandOptions

  /// Runs the command and prints its summary, with the ledger in total and per file.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    if options.isDryRun { return try DryRunCommand.execute(options.run, console: console) }
    let (options, verifies) = (options.run, options.verifies)
    let summary = try JobRunner.run(on: console) { control throws(Failure) in
      try MigrateJob(
        options.read, options.publish, tool: Version.tool, verifies: verifies,
        control: control
      ).run()
    }
    PublishedOutput.report(summary.warning, on: console) {
      Self.json(summary, options)
    } text: { () throws(Failure) in
      try Self.show(summary, options, console)
    }
    return JobRunner.report(lost: summary.lost, on: console)
  }

  private static func show(
    _ summary: MigrateSummary, _ options: RunOptions, _ console: Console
  ) throws(Failure) {
    try console.print(summary: lines(summary, options))
    for line in MigrateTables.destinations(summary.inputs, ignoredFiles: summary.ignoredFiles) {
      try console.print(line)
    }
    try console.print("")
    try console.print(MigrateTables.ledgers(summary.inputs, total: summary.facts.total))
    try PolicyTable.print(summary.facts.policies, on: console)
  }

  private static func lines(_ summary: MigrateSummary, _ options: RunOptions) -> [String] {
    let count = NumberFormat.grouped
    var lines = [
      "published \(options.publish.output)",
      "logs        \(count(summary.inputs.count)), \(NumberFormat.count(summary.outputLines, "line")), "
        + "\(NumberFormat.bytes(summary.inputBytes)) became \(NumberFormat.bytes(summary.outputBytes))",
      "read        \(JobRunner.speed(bytes: summary.bytes, seconds: summary.seconds))",
    ]
    if summary.resumedInputs > 0 {
      lines.append(
        "resumed     inputs that an earlier migration had finished: "
          + count(summary.resumedInputs))
    }
    lines += PublishedOutput.rejects(summary.facts.linesWithRejects, in: options.publish.output)
    lines += PublishedOutput.losses(
      summary.facts.losses.total, in: options.publish.output, listedIn: ArchiveFiles.losses)
    lines += PublishedOutput.remarks(summary.facts.implausibleDates)
    lines += PublishedOutput.unknownFields(summary.facts.unknownFields)
    if let proof = summary.proof {
      lines.append(
        "verified    \(NumberFormat.count(proof.lines, "line is", "lines are")) canonical, with the same bytes when written again; inputs and logs "
          + "contain the same \(NumberFormat.count(proof.events, "event"))"
      )
    }
    return lines
  }

  private static func json(_ summary: MigrateSummary, _ options: RunOptions) -> ByteBuffer {
    JSONWriter.document { json in
      json.member("output", options.publish.output)
      summary.facts.total.write("ledger", to: &json)
      json.member("lines_with_rejects", summary.facts.linesWithRejects)
      json.member("losses", summary.facts.losses.total)
      json.member("remarks", summary.facts.remarks.total)
      json.member("unknown_fields", summary.facts.unknownFields.total)
      summary.facts.policies.write("policies", to: &json)
      json.member("lost_inputs", summary.lost.count)
      json.member("resumed_inputs", summary.resumedInputs)
      MigrateTables.write(summary.inputs, to: &json)
      summary.ignoredFiles.writeField(to: &json)
      json.member("output_lines", summary.outputLines)
      json.member("output_bytes", summary.outputBytes)
      if let proof = summary.proof {
        json.object("verified") { json in
          json.member("lines", proof.lines)
          json.member("events", proof.events)
          json.member("duplicates", proof.duplicates)
          json.member("event_names", proof.names)
          json.member("seconds", proof.seconds)
        }
      }
      json.figures(
        lines: summary.facts.total.lines, bytes: summary.bytes, seconds: summary.seconds)
    }
  }
}
