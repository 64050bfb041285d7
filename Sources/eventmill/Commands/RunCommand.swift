import Jobs
import Pipeline
import Stages

/// `eventmill run`: the nightly job (docs/reference/file-formats.md).
struct RunCommand: Request {
  let options: CommandOptions

  func execute(on console: Console) throws(Failure) -> ExitCode {
    try Self.publish(options, on: console) { run, control throws(Failure) in
      let job = NightlyRun(run, control: control)
      return try job.isPublished() ? nil : job.run()
    }
  }

  /// Runs a job, which publishes an output, or returns nil when it already exists.
  typealias Job = (RunOptions, JobControl) throws(Failure) -> RunReport?

  /// Runs `job`, writes its metrics, and prints its summary.
  static func publish(
    _ options: CommandOptions, on console: Console, _ job: Job
  ) throws(Failure) -> ExitCode {
    let output = options.run.publish.output
    guard let report = try perform(options, on: console, job) else {
      return try console.show(CommandResult(finished: output, on: console))
    }
    var result = CommandResult(published: output, report.warning) { json in
      write(report, to: &json)
    } text: {
      [.summary(lines(report, output, console))]
    }
    (result.warnings, result.lost) = (warnings(of: report, on: console), report.lost)
    return try console.show(result)
  }

  /// The same without a summary: runs the job, and writes its metrics.
  static func perform(
    _ options: CommandOptions, on console: Console, _ job: Job
  ) throws(Failure) -> RunReport? {
    let file = options.metrics.map(MetricsFile.init)
    try file?.check(options.run)
    var rejected: RunReport?
    let result: RunReport?
    do throws(Failure) {
      result = try JobRunner.run(
        on: console, whenAbandoned: { Self.write(nil, $0, to: file, console) }
      ) { control throws(Failure) in
        defer { rejected = control.rejected }
        return try job(options.run, control)
      }
    } catch {
      Self.write(
        rejected, ExitCode(error.kind, signal: console.signals.received), to: file, console)
      throw error
    }
    Self.write(result, result.map { ExitCode(lost: $0.lost) } ?? .done, to: file, console)
    return result
  }

  /// The warnings about a published run, besides its lost inputs.
  static func warnings(of report: RunReport, on console: Console) -> [String] {
    let unknown = report.erased.filter { !$0.isKnown }.map(\.request)
    return ErasureText.warnings(ofUnknown: unknown, on: console)
      + warnings(of: report.repeated, "have the content of another one") {
        "\($0.path) has the same content as \($0.first), and both were counted; if it was "
          + "delivered twice, make this output again without --reingest"
      } + warnings(ofOverlapping: report.overlapping) + warnings(ofFilesWithoutLogs: report)
  }

  /// Writes the metrics. A failure does not undo what the run has published.
  private static func write(
    _ report: RunReport?, _ code: ExitCode, to file: MetricsFile?, _ console: Console
  ) {
    guard let file else { return }
    do throws(Failure) { try file.write(report, code) } catch {
      console.warn(report?.isPublished == true ? error.afterPublishing : error)
    }
  }

  private static let mostNamed = 10

  static func warnings(ofOverlapping inputs: [RepeatedInput]) -> [String] {
    warnings(of: inputs, "begin with what was read before") {
      "\($0.path) begins with all that an earlier night has read as \($0.first), and all of it was "
        + "counted; if the log was renamed, its first lines count twice"
    }
  }

  private static func warnings(
    of inputs: [RepeatedInput], _ what: String, words: (RepeatedInput) -> String
  ) -> [String] {
    let more = NumberFormat.count(inputs.count - mostNamed, "more input")
    return inputs.prefix(mostNamed).map(words)
      + (inputs.count > mostNamed ? ["\(more) \(what): see the report"] : [])
  }

  /// The warning of files, which may be logs, in a night without any (`--allow-empty`).
  private static func warnings(ofFilesWithoutLogs report: RunReport) -> [String] {
    guard report.inputs + report.alreadyRead == 0,
      report.ignoredFiles.files.contains(where: { $0.path.split(separator: "/").last?.first != "." }
      )
    else { return [] }
    return [
      "no log was found, but there are files: \(report.ignoredFiles.sentence()); if they are logs, "
        + "decompress them, or give them names that end with .ndjson, and run again"
    ]
  }

  private static func lines(
    _ report: RunReport, _ output: String, _ console: Console
  ) -> [String?] {
    let count = NumberFormat.grouped
    let color = [console.good, console.doubtful, console.bad][report.verdict.level.number]
    let start =
      [color(report.verdict.text("published \(output)"))]
      + Summary.ledger(report.ledger, bad: console.bad)
      + [console.resultWidth.flatMap { activity(report, width: $0) }]
      + report.farEvents.sentences.map { Summary.line("clocks", "\($0): see the report") }
    let middle: [String?] = [
      Summary.line(
        "profiles", "\(count(report.profiles)), event names \(count(report.eventNames))"),
      Summary.read(report.bytes, report.seconds), Summary.line("ran", report.stamp.text),
    ]
    let end: [String?] = [
      report.slowestStage.flatMap {
        Summary.line("slowest", "\($0.name), \(Int($0.share * 100)) % of the work")
      }, report.tracking.flatMap { Summary.line("tracking", $0.summary) },
      Summary.line(
        "inputs", "none: there were no logs", if: report.inputs + report.alreadyRead == 0),
      Summary.skipped(report.skipped),
      Summary.line(
        "grown", "inputs of which only the new lines were read: \(count(report.grownInputs))",
        if: report.grownInputs > 0), Summary.ignoredFiles(report.ignoredFiles),
    ]
    let erasures: [String?] =
      report.erased.isEmpty ? [] : ErasureText.lines(report.erased, report.erasedAt)
    return start + middle + (report.comparison.map(lines) ?? []) + end + erasures
      + Summary.rejects(report.facts, in: output, losses: RunFiles.report)
  }

  /// Most columns of the events over time; the times beside them take some more.
  private static let widestActivity = 72
  private static let activityTimes = 54

  private static func activity(_ report: RunReport, width: Int) -> String? {
    let room = min(widestActivity, width - activityTimes)
    let columns = room >= 8 ? report.activity(atMost: room) : []
    guard let first = columns.first, let last = columns.last else { return nil }
    let times = [first.start, last.end].map {
      Timestamp.text($0).prefix(16).replacing("T", with: " ")
    }
    return Summary.line(
      "activity", "\(Sparkline.text(columns.map(\.events))) \(times[0]) to \(times[1]) UTC")
  }

  private static func lines(_ comparison: NightComparison) -> [String?] {
    let figures = comparison.figures.compactMap { figure in
      figure.changeText.map { "\(figure.title.lowercased()) \($0)" }
    }
    let names = [
      list("new", comparison.newNames, more: comparison.otherNewNames),
      list("vanished", comparison.vanishedNames),
    ].compactMap { $0 }
    return [
      Summary.line(
        "compared",
        "with \(comparison.night): "
          + (figures.isEmpty ? "its report cannot be read" : figures.joined(separator: ", "))),
      comparison.profiles.flatMap { Summary.line("changes", "profiles: \($0.text)") },
      Summary.line("event names", names.joined(separator: "; "), if: !names.isEmpty),
    ]
  }

  /// `new: a, b and 3 more`; nil when there are none.
  private static func list(_ what: String, _ names: [String], more: Int = 0) -> String? {
    names.isEmpty ? nil : "\(what): \(Summary.list(names, atMost: mostNamed, others: more))"
  }

  private static func write(_ report: RunReport, to json: inout JSONWriter) {
    report.stamp.write("run", to: &json)
    report.verdict.write("verdict", to: &json)
    report.comparison?.write(to: &json)
    report.ledger.write("ledger", to: &json)
    json.members([
      "profiles": report.profiles, "event_names": report.eventNames,
      "lines_with_rejects": report.facts.linesWithRejects,
    ])
    report.facts.writeTotals(to: &json)
    json.members([
      "far_ahead": report.farEvents.ahead, "far_behind": report.farEvents.behind,
      "lost_inputs": report.lost.count, "skipped_inputs": report.alreadyRead,
      "grown_inputs": report.grownInputs, "repeated_inputs": report.repeated.count,
    ])
    report.ignoredFiles.writeField(to: &json)
    if !report.erased.isEmpty { ErasureText.write(report.erased, report.erasedAt, to: &json) }
    json.figures(lines: report.ledger.lines, bytes: report.bytes, seconds: report.seconds)
  }
}
