import Jobs
import Pipeline
import Stages

/// `eventmill partial`: the first half of a run.
struct PartialCommand: Request {
  let options: CommandOptions

  /// Runs the command and prints its summary.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    if options.collectsOptOuts { return try collect(on: console) }
    let options = options.run
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
      try console.print(summary: Self.lines(summary, options))
    }
    RunCommand.warn(ofOverlapping: summary.overlapping, console)
    JobRunner.report(ignoredFiles: summary.ignoredFiles, on: console)
    return JobRunner.report(lost: summary.lost, on: console)
  }

  private func collect(on console: Console) throws(Failure) -> ExitCode {
    let result = try JobRunner.run(on: console) {
      control throws(Failure) -> CollectOptOutsSummary? in
      let job = CollectOptOutsJob(
        options.run, partition: options.installations, tool: Version.tool, control: control)
      return try job.isPublished() ? nil : job.run()
    }
    let output = options.run.publish.output
    guard let summary = result else {
      return try PublishedOutput.reportFinished(output, on: console)
    }
    PublishedOutput.report(summary.warning, on: console) {
      JSONWriter.document { json in
        json.member("output", output)
        json.member("consent_statements", summary.statements)
        json.member("lost_inputs", summary.lost.count)
        json.member("skipped_inputs", summary.alreadyRead)
        summary.ignoredFiles.writeField(to: &json)
        json.figures(lines: summary.lines, bytes: summary.bytes, seconds: summary.seconds)
      }
    } text: { () throws(Failure) in
      try console.print(
        "published \(output), consent statements: \(NumberFormat.grouped(summary.statements))")
      try console.print(summary: PublishedOutput.skipped(summary.alreadyRead))
      try console.print(
        "read        \(JobRunner.speed(bytes: summary.bytes, seconds: summary.seconds))")
    }
    JobRunner.report(ignoredFiles: summary.ignoredFiles, on: console)
    return JobRunner.report(lost: summary.lost, on: console)
  }

  private static func lines(_ summary: PartialSummary, _ options: RunOptions) -> [String] {
    [
      "published \(options.publish.output), \(NumberFormat.count(options.snapshot.partitions, "partition"))"
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
      summary.ignoredFiles.writeField(to: &json)
      json.figures(
        lines: summary.facts.total.lines, bytes: summary.bytes, seconds: summary.seconds)
    }
  }
}
