import Jobs
import Pipeline
import Stages

/// The metrics of a run for a monitoring system (`--metrics`), in the Prometheus format.
///
/// All metrics are gauges of the last run, also counts: each run begins at zero, so a rate would be
/// meaningless. Labels come from fixed sets (outcomes, codes, names of stages).
struct RunMetrics {
  static let lastSuccessName: StaticString = "eventmill_last_success_timestamp_seconds"

  /// The summary of the run; nil when it failed before there was one.
  let summary: RunReport?
  let code: ExitCode
  /// When the run ended, in seconds since 1970.
  let time: Int
  /// When the last successful run ended, this one included; nil when unknown.
  let lastSuccess: Int?

  func text() -> PrometheusText {
    var text = PrometheusText()
    text.gauge("eventmill_last_run_timestamp_seconds", "When the last run ended.", time)
    text.gauge("eventmill_last_exit_code", "Exit code of the last run.", Int(code.rawValue))
    text.gauge(RunMetrics.lastSuccessName, "When a run last ended with exit code 0.", lastSuccess)
    if let summary {
      RunMetrics.writeCounts(summary, to: &text)
      RunMetrics.writeSizes(summary, to: &text)
    }
    return text
  }

  private static func writeCounts(_ summary: RunReport, to text: inout PrometheusText) {
    for equation in Ledger.equations {
      text.gauge(equation.metric, "\(equation.title) of the last run, by \(equation.help).")
      for part in equation.parts {
        text.sample(.integer(summary.ledger[keyPath: part.count]), (equation.label, part.label))
      }
    }
    text.gauge(
      "eventmill_duplicates_total", "Duplicate events of the last run.", summary.ledger.duplicates)
    text.gauge(
      "eventmill_lines_with_rejects_total",
      "Lines of the last run with a rejected part; --max-rejects limits them.",
      summary.facts.linesWithRejects)
    text.gauge(
      "eventmill_rejects_total", "Reasons why parts of lines were rejected in the last run.")
    for reason in summary.facts.reasons {
      text.sample(.integer(reason.count), ("reason", reason.code.text))
    }
    text.gauge("eventmill_losses_total", "Parts of accepted events that were dropped.")
    for loss in summary.facts.losses { text.sample(.integer(loss.count), ("code", loss.code.text)) }
  }

  private static func writeSizes(_ summary: RunReport, to text: inout PrometheusText) {
    text.gauge("eventmill_input_bytes", "Bytes of the inputs of the last run.")
    text.sample(.integer(summary.inputBytes), ("form", "compressed"))
    text.sample(.integer(summary.bytes), ("form", "decompressed"))
    text.gauge(
      "eventmill_lost_inputs", "Inputs of the last run that were not read to their end.",
      summary.lost.count)
    let output = summary.isPublished ? summary : nil
    text.gauge("eventmill_output_bytes", "Bytes that the last run published.", output?.outputBytes)
    text.gauge(
      "eventmill_verdict", "How the last run looks: 0 good, 1 to be checked, 2 bad.",
      summary.verdict.level.number)
    text.gauge("eventmill_profiles", "Profiles in the last output.", output?.profiles)
    text.gauge("eventmill_event_names", "Event names in the last output.", output?.eventNames)
    text.gauge("eventmill_run_seconds", "How long the last run took, in seconds.")
    text.sample(.real(summary.seconds))
    text.gauge(
      "eventmill_stage_seconds", "Seconds of work of the last run's stages, over all threads.")
    for stage in summary.stages { text.sample(.real(stage.seconds), ("stage", stage.name)) }
  }
}

/// The metrics beyond those of a single run: up to when nights are published.
struct NightMetrics {
  /// The file, beside that of the runs.
  let path: String
  /// The newest night that should be published.
  private let last: Day

  /// Metrics of `night` whose runs use the file `metrics`: for `a.prom` the file is `a_night.prom`.
  init(besides metrics: String, last: Day) {
    let name = metrics.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
    path = "\(metrics.dropLast(ending.count))_night\(ending)"
    self.last = last
  }

  /// Writes the file at the end of a command; `late` is nil when it has not looked for files.
  func write(
    published: [Day], _ verdict: Verdict.Level?, _ late: LateFiles?, damaged: Int, _ code: ExitCode
  ) throws(Failure) {
    var text = PrometheusText()
    text.gauge(
      "eventmill_night_last_run_timestamp_seconds", "When eventmill night last ended.",
      System.secondsSince1970)
    text.gauge(
      "eventmill_night_last_exit_code", "Exit code of eventmill night.", Int(code.rawValue))
    let newest = published.filter { $0 <= last }.max()
    text.gauge(
      "eventmill_night_published_timestamp_seconds", "When the newest published night began.",
      newest.map { $0.start / 1000 })
    text.gauge(
      "eventmill_night_missing", "Nights that are over and not published.",
      newest.map { last.number - $0.number })
    text.gauge(
      "eventmill_night_verdict",
      "How the worst of the new nights looks: 0 good, 1 to be checked, 2 bad.", verdict?.number)
    text.gauge(
      "eventmill_night_damaged", "Nights that were damaged, moved aside, and are made again.",
      damaged)
    text.gauge(
      "eventmill_night_late_files", "Files read late, or waiting to be.", late?.unread.count)
    text.gauge(
      "eventmill_night_changed_files",
      "Files left out because they differ from what a night has read.", late?.changed.count)
    text.gauge(
      "eventmill_night_gone_files", "Files that a night has read and that are gone.",
      late?.gone.count)
    try text.write(to: path)
  }
}

extension PrometheusText {
  /// Writes a metric of one sample, if it has a value.
  mutating func gauge(_ name: StaticString, _ help: String, _ value: Int?) {
    guard let value else { return }
    gauge(name, help)
    sample(.integer(value))
  }

  /// Whether a file with this beginning contains metrics of this program.
  static func isOurs(_ beginning: [UInt8]) -> Bool {
    ["# HELP ", "# TYPE ", ""].contains { beginning.starts(with: "\($0)eventmill_".utf8) }
  }

  /// Writes the text to the file `path`, in place of an earlier one.
  consuming func write(to path: String) throws(Failure) {
    let lines = lines
    try WholeFile.write(finish(), to: path, lines: lines, replacing: Self.isOurs)
  }
}

/// The file of `--metrics`, replaced as a whole at the end of every run.
struct MetricsFile {
  let path: String

  /// Bytes of the earlier file that are read; far more than it has.
  private static let longest = BlockReader.defaultBlockSize

  /// Checks before a run that the file is outside of inputs and output, and one of ours.
  func check(_ options: RunOptions) throws(Failure) {
    // An unwritable path, like a directory, costs a warning at the end, but no night.
    if try System.real.statusIfAny(of: path, doing: "inspecting")?.kind == .regular {
      try WholeFile.check(path, isOurs: PrometheusText.isOurs)
    }
    let doing = "finding the target of the metrics in"
    let file = try OutputPath(path)
    try Ownership.generated.checkOutside(path, .real)
    let above = System.real.directories(above: file, doing: doing)
    for input in options.read.inputs where input != InputFile.standardInput {
      let status = try System.real.statusIfAny(of: input, doing: doing)
      if above.contains(where: { $0.identity == status?.identity }) {
        throw refusal("it is inside \(input), which is an input")
      }
    }
    let output = try OutputPath(options.publish.output)
    if output.needs(try name(in: output.parent)) { throw refusal("it is the path of the output") }
  }

  /// Checks that the file is not where a night may be published.
  func check(_ folder: NightFolder) throws(Failure) {
    if folder.needs(try name(in: folder.pattern.base)) {
      throw refusal("its name is like that of a night")
    }
  }

  /// The name of the file, or of that above it, in a directory; empty if it is elsewhere. By path,
  /// as neither may exist yet: a file inside an output would become part of it.
  private func name(in directory: String) throws(Failure) -> String {
    let parent = try InputDiscovery.resolve(directory, .real)
    let outer = parent == "/" ? parent : parent + "/"
    let inner = try InputDiscovery.resolve(path, .real)
    guard inner.utf8.starts(with: outer.utf8) else { return "" }
    return String(
      decoding: inner.utf8.dropFirst(outer.utf8.count).prefix { $0 != UInt8(ascii: "/") },
      as: UTF8.self)
  }

  private func refusal(_ why: String) -> Failure {
    Failure(
      .usage, doing: "writing the metrics to", path: path, why: why,
      advice: "name a file outside of inputs and outputs")
  }

  func write(_ summary: RunReport?, _ code: ExitCode) throws(Failure) {
    let now = System.secondsSince1970
    let success = code == .done ? now : earlierSuccess
    try RunMetrics(summary: summary, code: code, time: now, lastSuccess: success).text()
      .write(to: path)
  }

  /// When a run last succeeded, according to the earlier file; nil when it does not contain it.
  private var earlierSuccess: Int? {
    do throws(Failure) {
      // Reading anything but a file might block endlessly.
      let status = try System.real.status(of: path, doing: "reading")
      guard status.kind == .regular else { return nil }
      let reader = try BlockReader(
        InputFile(path: path, size: status.size), index: 0, maxLine: MetricsFile.longest)
      defer { reader.close() }
      let block = Block(capacity: MetricsFile.longest)
      guard try reader.fill(block) else { return nil }
      return PrometheusText.value(of: "\(RunMetrics.lastSuccessName)", in: block.bytes)
        .flatMap { Int(exactly: $0.rounded()) }
    } catch {
      // An unreadable file is replaced; only the time of the last success is lost.
      return nil
    }
  }
}
