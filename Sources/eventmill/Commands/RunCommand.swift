import Jobs
import Pipeline
import Stages

/// `eventmill run`: the nightly job (docs/reference/file-formats.md).
struct RunCommand: Request {
  let options: CommandOptions

  /// Runs the command.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    try Self.publish(options.run, metrics: options.metrics, on: console) {
      control throws(Failure) in
      let job = NightlyRun(options.run, tool: Version.tool, control: control)
      return try job.isPublished() ? nil : job.run()
    }
  }

  /// Runs `job`, which publishes an output, or returns nil when it already exists; writes its
  /// metrics to the file `metrics`, and prints its summary.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  static func publish(
    _ options: RunOptions, metrics: String?, on console: Console,
    _ job: (JobControl) throws(Failure) -> RunSummary?
  ) throws(Failure) -> ExitCode {
    guard let summary = try perform(options, metrics: metrics, on: console, job) else {
      return try PublishedOutput.reportFinished(options.publish.output, on: console)
    }
    report(summary, options, console)
    return warn(of: summary, on: console)
  }

  /// Runs `job`, which publishes an output, or returns nil when it already exists, and writes its
  /// metrics to the file `metrics`.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  static func perform(
    _ options: RunOptions, metrics: String?, on console: Console,
    _ job: (JobControl) throws(Failure) -> RunSummary?
  ) throws(Failure) -> RunSummary? {
    let file = metrics.map(MetricsFile.init)
    try file?.check(options)
    var rejected: RunSummary?
    let result: RunSummary?
    do throws(Failure) {
      result = try JobRunner.run(
        on: console, whenAbandoned: { Self.write(nil, $0, to: file, console) }
      ) { control throws(Failure) in
        defer { rejected = control.rejected }
        return try job(control)
      }
    } catch {
      Self.write(
        rejected, ExitCode(error.kind, signal: console.signals.received), to: file, console)
      throw error
    }
    Self.write(result, result.map { ExitCode(lost: $0.lost) } ?? .done, to: file, console)
    return result
  }

  /// Prints the warnings about a published run, and returns its exit code.
  static func warn(of summary: RunSummary, on console: Console) -> ExitCode {
    let unknown = summary.erasures.filter { !$0.isKnown }.map(\.request)
    ErasureText.warn(ofUnknown: unknown, on: console)
    warn(ofRepeated: summary.repeatedInputs, console)
    warn(ofOverlapping: summary.overlapping, console)
    warn(ofFilesWithoutLogs: summary, console)
    return JobRunner.report(lost: summary.lost, on: console)
  }

  /// Writes the metrics. A failure does not undo what the run has published.
  private static func write(
    _ summary: RunSummary?, _ code: ExitCode, to file: MetricsFile?, _ console: Console
  ) {
    guard let file else { return }
    do throws(Failure) { try file.write(summary, code) } catch {
      console.warn(error)
    }
  }

  /// Prints the summary of a run.
  static func report(_ summary: RunSummary, _ options: RunOptions, _ console: Console) {
    PublishedOutput.report(summary.warning, on: console) {
      json(summary, options)
    } text: { () throws(Failure) in
      try console.print(summary: lines(summary, options, console))
    }
  }

  /// Repeated inputs listed individually.
  private static let mostNamed = 10

  /// Reports the inputs with the content of others.
  static func warn(ofRepeated inputs: [RepeatedInput], _ console: Console) {
    warn(of: inputs, "have the content of another one", console) {
      "\($0.path) has the same content as \($0.first), and both were counted; if it was "
        + "delivered twice, make this output again without --reingest"
    }
  }

  /// Reports inputs that begin with what an earlier night has read under another name.
  static func warn(ofOverlapping inputs: [RepeatedInput], _ console: Console) {
    warn(of: inputs, "begin with what was read before", console) {
      "\($0.path) begins with all that an earlier night has read as \($0.first), and all of it was "
        + "counted; if the log was renamed, its first lines count twice"
    }
  }

  private static func warn(
    of inputs: [RepeatedInput], _ what: String, _ console: Console,
    words: (RepeatedInput) -> String
  ) {
    for input in inputs.prefix(mostNamed) { console.warn(words(input)) }
    if inputs.count > mostNamed {
      console.warn(
        "\(NumberFormat.count(inputs.count - mostNamed, "more input")) \(what): see the report")
    }
  }

  /// Warns about files in a night without logs (`--allow-empty`): they may be logs with other
  /// names.
  private static func warn(ofFilesWithoutLogs summary: RunSummary, _ console: Console) {
    let isHidden = { (path: String) in path.split(separator: "/").last?.first == "." }
    guard summary.inputs + summary.alreadyRead == 0,
      !summary.ignoredFiles.files.map(\.path).allSatisfy(isHidden)
    else { return }
    console.warn(
      "no log was found, but there are files: \(summary.ignoredFiles.sentence()); if they are logs, "
        + "name each of them, and run again")
  }

  private static func lines(
    _ summary: RunSummary, _ options: RunOptions, _ console: Console
  ) -> [String] {
    func count(_ number: Int) -> String { NumberFormat.grouped(number) }
    var lines = ["\(console.good("published")) \(options.publish.output)"]
    lines += PublishedOutput.ledger(summary.ledger, bad: console.bad)
    if let width = console.resultWidth { lines += activity(summary, width: width) }
    lines += summary.farEvents.sentences.map { "clocks      \($0): see the report" }
    lines += [
      "profiles    \(count(summary.profiles)), event names \(count(summary.eventNames))",
      "read        \(JobRunner.speed(bytes: summary.bytes, seconds: summary.seconds))",
      "ran         \(summary.stamp.text)",
    ]
    if let comparison = summary.comparison { lines += Self.lines(comparison) }
    if let slowest = summary.slowestStage {
      lines.append("slowest     \(slowest.name), \(Int(slowest.share * 100)) % of the work")
    }
    if let tracking = summary.tracking { lines.append("tracking    \(tracking.summary)") }
    if summary.inputs + summary.alreadyRead == 0 {
      lines.append("inputs      none: there were no logs")
    }
    if summary.resumedInputs > 0 {
      lines.append(
        "resumed     inputs that a run before this one had finished: "
          + count(summary.resumedInputs))
    }
    lines += PublishedOutput.skipped(summary.skipped)
    if summary.grownInputs > 0 {
      lines.append(
        "grown       inputs of which only the new lines were read: \(count(summary.grownInputs))")
    }
    lines += PublishedOutput.ignoredFiles(summary.ignoredFiles)
    if !summary.erasures.isEmpty { lines += ErasureText.lines(summary.erasures, summary.erasedAt) }
    return lines
      + PublishedOutput.rejects(summary.facts.linesWithRejects, in: options.publish.output)
      + PublishedOutput.losses(
        summary.facts.losses.total, in: options.publish.output, listedIn: RunFiles.report)
      + PublishedOutput.remarks(summary.facts.implausibleDates)
      + PublishedOutput.unknownFields(summary.facts.unknownFields)
  }

  /// Most columns of the events over time; the times beside them take some more.
  private static let widestActivity = 72
  private static let activityTimes = 54

  /// The events over time, as a line for a terminal of this width.
  private static func activity(_ summary: RunSummary, width: Int) -> [String] {
    let room = min(widestActivity, width - activityTimes)
    guard room >= 8, let activity = summary.activity(atMost: room) else { return [] }
    let times = [activity.start, activity.end].map {
      Timestamp.text($0).prefix(16).replacing("T", with: " ")
    }
    return ["activity    \(Sparkline.text(activity.counts)) \(times[0]) to \(times[1]) UTC"]
  }

  /// The differences from the night before, in at most three lines.
  private static func lines(_ comparison: NightComparison) -> [String] {
    let figures = comparison.figures.compactMap { figure in
      figure.changeText.map { "\(figure.title.lowercased()) \($0)" }
    }
    var lines = [
      "compared    with \(comparison.night): "
        + (figures.isEmpty ? "its report cannot be read" : figures.joined(separator: ", "))
    ]
    if let profiles = comparison.profiles { lines.append("changes     profiles: \(profiles.text)") }
    let names = [
      list("new", comparison.newNames, more: comparison.otherNewNames),
      list("vanished", comparison.vanishedNames),
    ].compactMap { $0 }
    if !names.isEmpty { lines.append("event names \(names.joined(separator: "; "))") }
    return lines
  }

  /// `new: a, b and 3 more`; nil when there are none.
  private static func list(_ what: String, _ names: [String], more: Int = 0) -> String? {
    guard !names.isEmpty else { return nil }
    let shown = names.prefix(mostNamed)
    let rest = names.count - shown.count + more
    return "\(what): \(shown.joined(separator: ", "))"
      + (rest > 0 ? " and \(NumberFormat.grouped(rest)) more" : "")
  }

  private static func json(_ summary: RunSummary, _ options: RunOptions) -> ByteBuffer {
    JSONWriter.document { json in
      json.member("output", options.publish.output)
      summary.stamp.write("run", to: &json)
      summary.comparison?.write(to: &json)
      summary.ledger.write("ledger", to: &json)
      json.member("profiles", summary.profiles)
      json.member("event_names", summary.eventNames)
      json.member("lines_with_rejects", summary.facts.linesWithRejects)
      json.member("losses", summary.facts.losses.total)
      json.member("remarks", summary.facts.remarks.total)
      json.member("unknown_fields", summary.facts.unknownFields.total)
      json.member("far_ahead", summary.farEvents.ahead)
      json.member("far_behind", summary.farEvents.behind)
      json.member("lost_inputs", summary.lost.count)
      json.member("resumed_inputs", summary.resumedInputs)
      json.member("skipped_inputs", summary.alreadyRead)
      json.member("grown_inputs", summary.grownInputs)
      json.member("repeated_inputs", summary.repeatedInputs.count)
      summary.ignoredFiles.writeField(to: &json)
      if !summary.erasures.isEmpty {
        ErasureText.write(summary.erasures, summary.erasedAt, to: &json)
      }
      json.figures(
        lines: summary.ledger.lines, bytes: summary.bytes, seconds: summary.seconds)
    }
  }
}
