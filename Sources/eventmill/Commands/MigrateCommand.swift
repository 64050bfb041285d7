import Jobs
import Pipeline

/// `eventmill migrate`: logs of any kind to canonical v2 logs.
struct MigrateCommand: JobRequest {
  let options: CommandOptions

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let (read, publish) = (options.run.read, options.run.publish)
    if options.isDryRun { return try DryRunCommand.result(read, publish, control, on: console) }
    let report = try MigrateJob(read, publish, verifies: options.verifies, control: control).run()
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
      ), Summary.read(report.bytes, report.seconds),
      Summary.line(
        "resumed", "inputs that an earlier migration had finished: \(count(report.resumedInputs))",
        if: report.resumedInputs > 0),
    ] + Summary.rejects(report.facts, in: output, losses: RunFiles.losses)
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

/// `eventmill migrate --dry-run`: shows what a migration would do.
enum DryRunCommand {
  private static let shownSamples = 3

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

  private static func write(_ outcome: DryRunOutcome, _ output: String, to json: inout JSONWriter) {
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
    json.members(["output_lines": read.textLines, "bytes": read.bytes, "seconds": read.seconds])
  }
}

/// The inputs of `migrate`, one by one.
enum MigrateTables {
  private static let mostNamed = 20

  /// A line for each input whose target differs from its path, and for ignored files.
  static func destinations(
    _ inputs: [ArchiveReport.Input], ignoredFiles: IgnoredFiles
  ) -> [String] {
    let remarkable = inputs.filter {
      $0.target.isRenamed || $0.target.isPlaced || $0.target.outside != nil
    }
    func more(_ count: Int, _ hint: String = "") -> [String] {
      count > 0 ? ["            and \(NumberFormat.grouped(count)) more\(hint)"] : []
    }
    return remarkable.prefix(mostNamed).map { input in
      let target = input.target
      if let outside = target.outside {
        return "linked      \(input.path) leads out of its directory, to \(outside)"
      }
      return "\(target.isRenamed ? "renamed     " : "placed      ")\(input.path) → \(target.path)"
    } + more(remarkable.count - mostNamed, ": see the report")
      + ignoredFiles.files.map { "ignored     \($0.path): \($0.what)" }
      + more(ignoredFiles.count - ignoredFiles.files.count)
  }

  /// The ledgers of inputs with rejected or lost parts, of the others together, and in total.
  static func ledgers(_ inputs: [ArchiveReport.Input], total: Ledger) -> TextTable {
    let counts = Ledger.equations.flatMap { equation -> [(title: String, count: Ledger.Count)] in
      let parts = equation.parts.filter { ![.repeated, .withheld].contains($0.fate) }
      return [("\(equation.name)", equation.total)] + parts.map { ($0.name, $0.count) }
    }.filter { $0.title != "outside" || total.outside > 0 }
    var rows: [(name: String, ledger: Ledger)] = []
    var others = Ledger()
    for input in inputs {
      if rows.count < mostNamed, input.hasSomethingToTell || inputs.count == 1 {
        rows.append((input.lost == nil ? input.path : "\(input.path) (lost in part)", input.ledger))
      } else {
        others.add(input.ledger)
      }
    }
    let otherCount = inputs.count - rows.count
    if otherCount > 0 {
      let count = NumberFormat.grouped(otherCount)
      let name = rows.isEmpty ? "inputs" : otherCount == 1 ? "other" : "others"
      rows.append(("\(count) \(name)", others))
    }
    return TextTable(
      of: rows + [("total", total)],
      [.text("ledger", \.name)]
        + counts.map { column in .number(column.title) { $0.ledger[keyPath: column.count] } })
  }

  static func write(_ inputs: [ArchiveReport.Input], to json: inout JSONWriter) {
    json.objects("inputs", of: inputs) { input, json in
      json.members(["path": input.path, "output": input.target.path])
      input.target.write(to: &json)
      if input.lost != nil { json.member("lost", true) }
      input.ledger.write("ledger", to: &json)
    }
  }
}

extension ArchiveReport.Input {
  fileprivate var hasSomethingToTell: Bool {
    lost != nil || ledger.rejectedLines + ledger.rejected + ledger.refused > 0
  }
}
