import Jobs
import Pipeline

/// `eventmill cluster merge`: the second half of a run.
struct MergeCommand: Request {
  let options: CommandOptions

  func execute(on console: Console) throws(Failure) -> ExitCode {
    let run = options.run
    guard let step = options.task?.step, let partition = options.partition else {
      return try RunCommand.publish(run, metrics: options.metrics, on: console) {
        control throws(Failure) in
        try FinishJob(run, control: control).run()
      }
    }
    return try console.show(
      JobRunner.run(on: console) { control throws(Failure) in
        try merge(step, partition, control, on: console)
      })
  }

  private func merge(
    _ step: MergeStep, _ partition: Int, _ control: JobControl, on console: Console
  ) throws(Failure) -> CommandResult {
    let output = options.run.publish.output
    let job = MergeJob(
      options.run, step, partition: partition, control: control)
    if try job.isPublished() {
      return CommandResult(finished: output, (step, partition), on: console)
    }
    let summary = try job.run()
    var result = CommandResult(published: output, summary.warning) { json in
      json.members([
        "step": step.rawValue, "partition": partition,
        "partitions": summary.partitions, "partials": summary.partials,
        "repeated_partials": summary.repeated, "profiles": summary.profiles,
        "duplicates": summary.duplicates,
      ])
      json.figures(lines: summary.lines, bytes: summary.bytes, seconds: summary.seconds)
    } text: {
      [
        .lines([
          "merged \(step.rawValue) of partition \(partition) of "
            + "\(summary.partitions) from \(NumberFormat.count(summary.partials, "partial")) into "
            + "\(output): \(NumberFormat.count(summary.profiles, "profile")), "
            + "\(NumberFormat.count(summary.duplicates, "duplicate")), "
            + "\(NumberFormat.tenths(summary.seconds)) s"
        ])
      ]
    }
    if summary.repeated > 0 {
      result.notes = [
        NumberFormat.count(
          summary.repeated, "of the partials is equal to another one, and was used once",
          "of the partials are equal to others, and were used once")
      ]
    }
    return result
  }
}
