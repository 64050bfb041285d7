import Jobs
import Pipeline
import Stages

/// `eventmill partial`: the first half of a run.
struct PartialCommand: Request {
  let options: RunOptions
  /// Whether opt-outs are collected instead (`--collect-opt-outs`).
  private let collects: Bool
  /// The partition of the previous output whose opt-outs are collected, too.
  private let partition: Int?
  var inputs: [String] { options.read.inputs }

  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    var options = try RunOptions(values, operands: operands, limit: .usual)
    collects = try values.isOn(.collectOptOuts)
    partition = try values.number(
      .installations, in: 0...Option.partitionsBounds.upperBound - 1, example: 0)
    options.merge.optOuts = try values.text(.optOuts)
    self.options = options
    let optOuts = options.merge.optOuts
    if collects, optOuts != nil || values.isOnCommandLine(.honorOptOut) {
      throw RawArguments.usage(
        "--collect-opt-outs cannot be used with --honor-opt-out and --opt-outs",
        "first collect the opt-outs of all inputs, then make partials with them")
    }
    if !collects, options.merge.honorsOptOut != (optOuts != nil) {
      throw RawArguments.usage(
        "partial needs both --honor-opt-out and --opt-outs DIR, or neither: an opt-out may be "
          + "in the inputs of any other partial",
        "make DIR with eventmill partial --collect-opt-outs, of all inputs of the night")
    }
    if partition != nil, !collects || options.merge.previous == nil {
      throw RawArguments.usage(
        "--installations of partial needs --collect-opt-outs and --previous",
        "see eventmill partial --help")
    }
  }

  /// Runs the command and prints its summary.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    if collects { return try collect(on: console) }
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
        options, partition: partition, tool: Version.tool, control: control)
      return try job.isPublished() ? nil : job.run()
    }
    let output = options.publish.output
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
