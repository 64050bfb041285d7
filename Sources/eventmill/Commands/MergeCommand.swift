import Jobs
import Pipeline

/// `eventmill merge`: the second half of a run.
struct MergeCommand: Request {
  let options: CommandOptions

  /// Runs the command and prints its summary.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    if let (step, partition) = options.steps.first {
      return try Self.merge(step, partition, options.run, console)
    }
    return try RunCommand.publish(options.run, metrics: options.metrics, on: console) {
      control throws(Failure) in
      try FinishJob(options.run, tool: Version.tool, control: control).run()
    }
  }

  private static func merge(
    _ step: MergeStep, _ partition: Int, _ options: RunOptions, _ console: Console
  ) throws(Failure) -> ExitCode {
    let result = try JobRunner.run(on: console) { control throws(Failure) -> MergeSummary? in
      let job = MergeJob(
        options, step, partition: partition, tool: Version.tool, control: control)
      return try job.isPublished() ? nil : job.run()
    }
    guard let summary = result else {
      return try PublishedOutput.reportFinished(
        options.publish.output, (step, partition), on: console)
    }
    if summary.repeated > 0 {
      console.note(
        NumberFormat.count(
          summary.repeated, "of the partials is equal to another one, and was used once",
          "of the partials are equal to others, and were used once"))
    }
    PublishedOutput.report(summary.warning, on: console) {
      json(summary, options)
    } text: { () throws(Failure) in
      try console.print(line(summary, options))
    }
    return .done
  }

  private static func line(_ summary: MergeSummary, _ options: RunOptions) -> String {
    "merged \(summary.step.rawValue) of partition \(summary.partition) of \(summary.partitions) from "
      + "\(NumberFormat.count(summary.partials, "partial")) into \(options.publish.output): "
      + "\(NumberFormat.count(summary.profiles, "profile")), "
      + "\(NumberFormat.count(summary.duplicates, "duplicate")), "
      + "\(NumberFormat.tenths(summary.seconds)) s"
  }

  private static func json(_ summary: MergeSummary, _ options: RunOptions) -> ByteBuffer {
    JSONWriter.document { json in
      json.member("output", options.publish.output)
      json.member("step", summary.step.rawValue)
      json.member("partition", summary.partition)
      json.member("partitions", summary.partitions)
      json.member("partials", summary.partials)
      json.member("repeated_partials", summary.repeated)
      json.member("profiles", summary.profiles)
      json.member("duplicates", summary.duplicates)
      json.figures(lines: summary.lines, bytes: summary.bytes, seconds: summary.seconds)
    }
  }
}
