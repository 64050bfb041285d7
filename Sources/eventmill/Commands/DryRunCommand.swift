import Jobs
import Pipeline

/// `eventmill migrate --dry-run`: shows what a migration would do.
enum DryRunCommand {
  /// Examples of each loss in the text.
  private static let shownSamples = 3

  /// The expected result.
  ///
  /// - Throws: why it failed.
  static func result(
    _ options: ReadOptions, _ publish: PublishOptions, _ control: JobControl, on console: Console
  ) throws(Failure) -> CommandResult {
    let outcome = try control.dryRun(options, publish)
    let (facts, paths) = (outcome.read.facts, outcome.read.inputs)
    var result = CommandResult { json in
      write(outcome, publish.output, to: &json)
    } text: {
      let destinations = MigrateTables.destinations(
        outcome.inputs, ignoredFiles: outcome.read.ignoredFiles)
      return [
        .lines(lines(outcome, publish.output).compactMap { $0 } + destinations + [""]),
        .table(MigrateTables.ledgers(outcome.inputs, total: facts.total)),
      ] + CodeTable(facts.reasons, of: paths).parts("reason")
        + CodeTable(facts.losses, of: paths).parts("loss", samples: shownSamples)
    }
    result.add(outcome.read)
    // They are shown with the inputs.
    result.ignoredFiles = IgnoredFiles()
    result.failure = facts.excess(of: options, besides: outcome.read.lostLines)
    return result
  }

  private static func lines(_ outcome: DryRunOutcome, _ output: String) -> [String?] {
    let facts = outcome.read.facts
    let (rejects, losses) = (facts.linesWithRejects, facts.losses.total)
    return [
      output.isEmpty ? "nothing was written" : "nothing was written to \(output)",
      Summary.line(
        "logs",
        "\(NumberFormat.grouped(outcome.inputs.count)), "
          + "\(NumberFormat.count(outcome.read.textLines, "line")), from "
          + NumberFormat.bytes(outcome.read.inputBytes)),
      Summary.line(
        "rejects", "\(NumberFormat.count(rejects, "line")) with a part that would be rejected",
        if: rejects > 0),
      Summary.line(
        "losses", "\(NumberFormat.count(losses, "part")) would be dropped", if: losses > 0),
    ] + Summary.remarks(facts)
  }

  private static func write(
    _ outcome: DryRunOutcome, _ output: String, to json: inout JSONWriter
  ) {
    let (read, facts, paths) = (outcome.read, outcome.read.facts, outcome.read.inputs)
    json.member("dry_run", true)
    if !output.isEmpty { json.member("output", output) }
    facts.total.write("ledger", to: &json)
    json.member("lines_with_rejects", facts.linesWithRejects)
    CodeTable(facts.reasons, of: paths).write("reasons", to: &json)
    CodeTable(facts.losses, of: paths).write("losses", samples: true, to: &json)
    facts.remarks(of: paths).write("remarks", to: &json)
    facts.unknownFields.write("unknown_fields", to: &json)
    json.member("lost_inputs", read.lost.count)
    MigrateTables.write(outcome.inputs, to: &json)
    read.ignoredFiles.writeField(to: &json)
    json.member("output_lines", outcome.read.textLines)
    json.member("bytes", read.bytes)
    json.member("seconds", read.seconds)
  }
}
