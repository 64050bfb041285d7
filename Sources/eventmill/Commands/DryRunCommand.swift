import Jobs
import Pipeline

/// `eventmill migrate --dry-run`: shows what a migration would do.
enum DryRunCommand {
  /// Examples of each loss in the text.
  private static let shownSamples = 3

  /// Runs the command and prints the expected result.
  ///
  /// - Throws: why it failed; `rejects` when there are more than `--max-rejects` allows.
  static func execute(_ options: RunOptions, console: Console) throws(Failure) -> ExitCode {
    let outcome = try JobRunner.run(on: console) { control throws(Failure) in
      try MigrateDryRun(options.read, options.publish, control: control).run()
    }
    if console.settings.json {
      try console.write(json(outcome, options))
    } else {
      try show(outcome, options, console)
    }
    // The tables first, even if both streams are the same.
    try console.flush()
    console.note(JobRunner.speed(bytes: outcome.bytes, seconds: outcome.seconds))
    let code = JobRunner.report(lost: outcome.lost, on: console)
    try outcome.facts.check(options.read, besides: outcome.lostLines)
    return code
  }

  private static func show(
    _ outcome: DryRunOutcome, _ options: RunOptions, _ console: Console
  ) throws(Failure) {
    let count = NumberFormat.grouped
    var lines = [
      options.publish.output.isEmpty
        ? "nothing was written" : "nothing was written to \(options.publish.output)",
      "logs        \(count(outcome.inputs.count)), \(NumberFormat.count(outcome.outputLines, "line")), "
        + "\(NumberFormat.bytes(outcome.inputBytes)) would become about "
        + NumberFormat.bytes(outcome.expectedBytes),
      "time        about \(NumberFormat.duration(outcome.expectedSeconds))",
    ]
    if outcome.facts.linesWithRejects > 0 {
      lines.append(
        "rejects     \(NumberFormat.count(outcome.facts.linesWithRejects, "line")) with a part that would "
          + "be rejected")
    }
    let losses = outcome.facts.losses.total
    if losses > 0 {
      lines.append("losses      \(NumberFormat.count(losses, "part")) would be dropped")
    }
    lines += PublishedOutput.remarks(outcome.facts.implausibleDates)
    lines += PublishedOutput.unknownFields(outcome.facts.unknownFields)
    let destinations = MigrateTables.destinations(
      outcome.inputs, ignoredFiles: outcome.ignoredFiles)
    for line in lines + destinations {
      try console.print(line)
    }
    try console.print("")
    let ledgers = MigrateTables.ledgers(outcome.inputs, total: outcome.facts.total)
    try console.print(ledgers)
    let paths = outcome.inputs.map(\.path)
    try CodeTable(outcome.facts.reasons, of: paths).print("reason", on: console)
    try CodeTable(outcome.facts.losses, of: paths)
      .print("loss", samples: shownSamples, on: console)
    try PolicyTable.print(outcome.facts.policies, on: console)
  }

  private static func json(_ outcome: DryRunOutcome, _ options: RunOptions) -> ByteBuffer {
    let paths = outcome.inputs.map(\.path)
    return JSONWriter.document { json in
      json.member("dry_run", true)
      if !options.publish.output.isEmpty { json.member("output", options.publish.output) }
      outcome.facts.total.write("ledger", to: &json)
      json.member("lines_with_rejects", outcome.facts.linesWithRejects)
      CodeTable(outcome.facts.reasons, of: paths).write("reasons", to: &json)
      CodeTable(outcome.facts.losses, of: paths).writeSamples("losses", to: &json)
      outcome.facts.remarks(of: paths).write("remarks", to: &json)
      outcome.facts.unknownFields.write("unknown_fields", to: &json)
      outcome.facts.policies.write("policies", to: &json)
      json.member("lost_inputs", outcome.lost.count)
      MigrateTables.write(outcome.inputs, to: &json)
      outcome.ignoredFiles.writeField(to: &json)
      json.member("output_lines", outcome.outputLines)
      json.object("expected") { json in
        json.member("bytes", outcome.expectedBytes)
        json.member("seconds", outcome.expectedSeconds)
      }
      json.member("bytes", outcome.bytes)
      json.member("seconds", outcome.seconds)
    }
  }
}
