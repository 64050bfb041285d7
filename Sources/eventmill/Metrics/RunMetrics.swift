import Stages
import Jobs
import Pipeline

/// The metrics of a run for a monitoring system (`--metrics`), in the Prometheus format.
///
/// All metrics are gauges of the last run, also counts: each run begins at zero, so a rate would be
/// meaningless. Labels come from fixed sets (outcomes, codes, names of stages).
struct RunMetrics {
  /// The metric with the time of the last success.
  static let lastSuccessName: StaticString = "eventmill_last_success_timestamp_seconds"

  /// The summary of the run; nil when it failed before there was one.
  let summary: RunReport?
  let code: ExitCode
  /// When the run ended, in seconds since 1970.
  let time: Int
  /// When the last successful run ended, this one included; nil when unknown.
  let lastSuccess: Int?

  /// All metrics.
  func text() -> PrometheusText {
    var text = PrometheusText()
    text.gauge("eventmill_last_run_timestamp_seconds", "When the last run ended.", time)
    text.gauge("eventmill_last_exit_code", "Exit code of the last run.", Int(code.rawValue))
    if let lastSuccess {
      text.gauge(
        RunMetrics.lastSuccessName, "When a run last ended with exit code 0.",
        lastSuccess)
    }
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
    for loss in summary.facts.losses {
      text.sample(.integer(loss.count), ("code", loss.code.text))
    }
  }

  private static func writeSizes(_ summary: RunReport, to text: inout PrometheusText) {
    text.gauge("eventmill_input_bytes", "Bytes of the inputs of the last run.")
    text.sample(.integer(summary.inputBytes), ("form", "compressed"))
    text.sample(.integer(summary.bytes), ("form", "decompressed"))
    text.gauge(
      "eventmill_lost_inputs", "Inputs of the last run that were not read to their end.",
      summary.lost.count)
    text.gauge(
      "eventmill_output_bytes", "Bytes that the last run published.", summary.outputBytes)
    text.gauge(
      "eventmill_verdict", "How the last run looks: 0 good, 1 to be checked, 2 bad.",
      summary.verdict.level.number)
    if summary.isPublished {
      text.gauge("eventmill_profiles", "Profiles in the last output.", summary.profiles)
      text.gauge("eventmill_event_names", "Event names in the last output.", summary.eventNames)
    }
    text.gauge("eventmill_run_seconds", "How long the last run took, in seconds.")
    text.sample(.real(summary.seconds))
    text.gauge(
      "eventmill_stage_seconds", "Seconds of work of the last run's stages, over all threads.")
    for stage in summary.stages { text.sample(.real(stage.seconds), ("stage", stage.name)) }
  }
}

extension PrometheusText {
  /// Writes a metric of one sample.
  mutating func gauge(_ name: StaticString, _ help: String, _ value: Int) {
    gauge(name, help)
    sample(.integer(value))
  }

  /// Whether a file with this beginning contains metrics of this program.
  static func isOurs(_ beginning: [UInt8]) -> Bool {
    ["# HELP ", "# TYPE ", ""].contains { beginning.starts(with: "\($0)eventmill_".utf8) }
  }

  /// Writes the text to the file `path`, in place of an earlier one.
  ///
  /// - Throws: `io`, `usage`, when it cannot be written.
  consuming func write(to path: String) throws(Failure) {
    let lines = lines
    try WholeFile.write(finish(), to: path, lines: lines, replacing: Self.isOurs)
  }
}
