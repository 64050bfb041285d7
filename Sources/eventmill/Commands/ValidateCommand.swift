import Jobs
import Pipeline

/// `eventmill validate`: checks logs and writes nothing.
struct ValidateCommand: Request {
  let options: CommandOptions

  /// Runs the command and prints totals and the most frequent reasons with an example line each.
  ///
  /// - Throws: why it failed; `rejects` when there are more than `--max-rejects` allows.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    try Self.execute(options.run.read, on: console) { _ in }
  }

  /// The same; `printFirst` may print something before the tables.
  static func execute(
    _ options: ReadOptions, on console: Console,
    _ printFirst: (ReadSummary) throws(Failure) -> Void
  ) throws(Failure) -> ExitCode {
    let outcome = try JobRunner.run(on: console) { control throws(Failure) in
      try ValidateJob(options, control: control).run()
    }
    if console.settings.json {
      try console.write(json(outcome))
    } else {
      try printFirst(outcome)
      try printTotals(outcome, console)
      try CodeTable(outcome.facts.reasons, of: outcome.inputs).print("reason", on: console)
      try CodeTable(outcome.facts.losses, of: outcome.inputs).print("loss", on: console)
      try CodeTable(outcome.facts.remarks, of: outcome.inputs).print("remark", on: console)
      let lines =
        PublishedOutput.remarks(outcome.facts.implausibleDates)
        + PublishedOutput.unknownFields(outcome.facts.unknownFields)
      if !lines.isEmpty { try console.print("") }
      for line in lines { try console.print(line) }
    }
    // The tables first, even if both streams are the same.
    try console.flush()
    console.note(JobRunner.speed(bytes: outcome.bytes, seconds: outcome.seconds))
    JobRunner.report(ignoredFiles: outcome.ignoredFiles, notLogs: outcome.notLogs, on: console)
    _ = JobRunner.report(lost: outcome.lost, on: console)
    try outcome.facts.check(options)
    let worst = outcome.lost.first { $0.kind == .corrupt } ?? outcome.lost.first
    return worst.map { ExitCode($0.kind, signal: nil) } ?? .done
  }

  private static func printTotals(
    _ outcome: ReadSummary, _ console: Console
  ) throws(Failure) {
    let ledger = outcome.facts.total
    var table = TextTable([
      ("", .left), ("total", .right), ("good", .right), ("bad", .right), ("", .left),
    ])
    for equation in Ledger.equations {
      let parts = equation.summary(of: ledger)
      func cell(_ fates: Set<Ledger.Fate>, named: Bool = false) -> String {
        parts.filter { fates.contains($0.part.fate) }.map { part, count in
          NumberFormat.grouped(count) + (named ? " \(part.name)" : "")
        }.joined(separator: ", ")
      }
      table.add(
        [
          "\(equation.name)", NumberFormat.grouped(ledger[keyPath: equation.total]), cell([.kept]),
          cell([.refused]), cell([.setAside, .outside], named: true),
        ], bad: parts.contains { $0.part.fate == .refused && $0.count > 0 } ? [3] : [])
    }
    try console.print(table)
  }

  private static func json(_ outcome: ReadSummary) -> ByteBuffer {
    JSONWriter.document { json in
      outcome.facts.total.write("ledger", to: &json)
      json.member("lines_with_rejects", outcome.facts.linesWithRejects)
      json.objects("not_logs", of: outcome.notLogs) { failure, json in
        json.member("path", failure.path ?? "")
        json.member("why", failure.why)
      }
      json.objects("lost", of: outcome.lost) { failure, json in
        json.member("path", failure.path ?? "")
        json.member("from_offset", failure.offset ?? 0)
        json.member("kind", failure.kind.rawValue)
        json.member("why", failure.why)
      }
      outcome.ignoredFiles.writeField(to: &json)
      CodeTable(outcome.facts.reasons, of: outcome.inputs).write("reasons", to: &json)
      CodeTable(outcome.facts.losses, of: outcome.inputs).write("losses", to: &json)
      outcome.facts.remarks(of: outcome.inputs).write("remarks", to: &json)
      outcome.facts.unknownFields.write("unknown_fields", to: &json)
    }
  }
}
