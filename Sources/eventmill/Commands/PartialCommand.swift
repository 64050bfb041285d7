import Jobs
import Pipeline
import Stages

/// `eventmill partial`: the first half of a run.
struct PartialCommand: Request {
  let options: RunOptions
  var inputs: [String] { options.read.inputs }

  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    options = try RunOptions(values, operands: operands, limit: .usual)
  }

  /// Runs the command and prints its summary.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let result = try JobRunner.run(on: console) { control throws(Failure) -> PartialSummary? in
      let job = PartialJob(options, tool: Version.tool, control: control)
      return try job.isPublished() ? nil : job.run()
    }
    guard let summary = result else {
      return try PublishedOutput.reportFinished(options.publish.output, on: console)
    }
    PublishedOutput.report(summary.warning, on: console) {
      Self.json(summary, options)
    } text: { () throws(Failure) in
      for line in Self.lines(summary, options) { try console.print(line) }
    }
    JobRunner.report(ignoredFiles: summary.ignoredFiles, on: console)
    return JobRunner.report(lost: summary.lost, on: console)
  }

  private static func lines(_ summary: PartialSummary, _ options: RunOptions) -> [String] {
    [
      "published \(options.publish.output), \(NumberFormat.grouped(options.snapshot.partitions)) partitions"
    ]
      + PublishedOutput.ledger(summary.facts.total)
      + PublishedOutput.skipped(summary.alreadyRead)
      + ["read        \(JobRunner.speed(bytes: summary.bytes, seconds: summary.seconds))"]
  }

  private static func json(_ summary: PartialSummary, _ options: RunOptions) -> ByteBuffer {
    JSONWriter.document { json in
      json.member("output", options.publish.output)
      json.member("partitions", options.snapshot.partitions)
      summary.facts.total.write("ledger", to: &json)
      json.member("lines_with_rejects", summary.facts.linesWithRejects)
      json.member("lost_inputs", summary.lost.count)
      json.member("skipped_inputs", summary.alreadyRead)
      summary.ignoredFiles.write("passed_over", to: &json)
      json.figures(
        lines: summary.facts.total.lines, bytes: summary.bytes, seconds: summary.seconds)
    }
  }
}
