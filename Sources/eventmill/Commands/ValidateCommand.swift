import Pipeline
import Stages

/// `eventmill validate`: checks logs and writes nothing.
enum ValidateCommand {
  /// Runs the command and prints totals and the most frequent reasons with an example line each.
  ///
  /// - Throws: why it failed; `rejects` when there are more than `--max-rejects` allows.
  static func execute(_ options: RunOptions, console: Console) throws(Failure) -> ExitCode {
    let outcome = try JobRunner.run(on: console) { control throws(Failure) in
      try ValidateJob(options, control: control).run()
    }
    if console.settings.json {
      try console.write(json(outcome))
    } else {
      try printTotals(outcome, console)
      try printCodes(outcome.facts.reasons, "reason", outcome, console)
      try printCodes(outcome.facts.losses, "loss", outcome, console)
    }
    // The tables first, also where both streams are one.
    try console.flush()
    console.note(JobRunner.speed(bytes: outcome.bytes, seconds: outcome.seconds))
    let code = JobRunner.report(lost: outcome.lost, on: console)
    if let limit = options.maxRejects, outcome.facts.exceeds(limit) {
      throw outcome.facts.failure(limit, path: nil, advice: "mend the logs, or raise --max-rejects")
    }
    return code
  }

  private static func printTotals(
    _ outcome: ValidateOutcome, _ console: Console
  ) throws(Failure) {
    let ledger = outcome.facts.total
    var table = TextTable([
      ("", .left), ("total", .right), ("good", .right), ("bad", .right), ("", .left),
    ])
    table.add([
      "lines", Figures.grouped(ledger.lines), Figures.grouped(ledger.records),
      Figures.grouped(ledger.rejectedLines), "\(Figures.grouped(ledger.blank)) blank",
    ])
    table.add([
      "events", Figures.grouped(ledger.events), Figures.grouped(ledger.accepted),
      Figures.grouped(ledger.rejected), "",
    ])
    table.add([
      "operations", Figures.grouped(ledger.operations), Figures.grouped(ledger.applied),
      Figures.grouped(ledger.refused), "",
    ])
    for line in table.lines(heading: console.heading) { try console.print(line) }
  }

  /// The codes that were met, the most frequent first, with the first place of each.
  private static func printCodes(
    _ codes: [TallyFacts.CodeCount], _ title: String, _ outcome: ValidateOutcome,
    _ console: Console
  ) throws(Failure) {
    guard !codes.isEmpty else { return }
    var table = TextTable([
      (title, .left), ("count", .right), ("first at", .left), ("path", .left),
    ])
    for code in sorted(codes) {
      let sample = code.samples[0]
      table.add([
        code.code.text, Figures.grouped(code.count),
        "\(outcome.inputs[sample.input]):\(sample.line)", sample.path,
      ])
    }
    try console.print("")
    for line in table.lines(heading: console.heading) { try console.print(line) }
  }

  private static func sorted(_ codes: [TallyFacts.CodeCount]) -> [TallyFacts.CodeCount] {
    codes.enumerated().sorted {
      ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
    }.map(\.element)
  }

  private static func json(_ outcome: ValidateOutcome) -> ByteBuffer {
    var json = JSONWriter()
    json.object { json in
      outcome.facts.total.write("ledger", to: &json)
      json.member("lines_with_rejects", outcome.facts.linesWithRejects)
      write(outcome.facts.reasons, "reasons", outcome, to: &json)
      write(outcome.facts.losses, "losses", outcome, to: &json)
    }
    json.endLine()
    return json.finish()
  }

  private static func write(
    _ codes: [TallyFacts.CodeCount], _ key: StaticString, _ outcome: ValidateOutcome,
    to json: inout JSONWriter
  ) {
    json.array(key) { json in
      for code in sorted(codes) {
        json.object { json in
          json.member("code", code.code.text)
          json.member("count", code.count)
          json.object("first") { json in
            json.member("source", outcome.inputs[code.samples[0].input])
            json.member("line", code.samples[0].line)
            json.member("path", code.samples[0].path)
          }
        }
      }
    }
  }
}
