import Jobs
import Pipeline
import Stages

/// `eventmill cluster plan`: assigns inputs to the tasks of a cluster.
struct PlanCommand: JobRequest {
  let options: CommandOptions

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let plan = try control.plan(options.run, tasks: options.tasks)
    var result = CommandResult { json in
      plan.write(to: &json)
      json.figures(bytes: plan.bytes, seconds: console.clock.seconds)
    } text: {
      // The same files give the same plan, without the resources it took.
      let text = JSONWriter.document { plan.write(to: &$0) }
      return [.text(text.view.text)]
    }
    result.ignoredFiles = plan.ignoredFiles
    return result
  }
}

/// `eventmill cluster partial`: the first half of a run.
struct PartialCommand: JobRequest {
  let options: CommandOptions

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let output = options.run.publish.output
    if options.collectsOptOuts { return try collect(control, on: console) }
    let job = PartialJob(options.run, control: control)
    if try job.isPublished() { return CommandResult(finished: output, on: console) }
    let read = try job.run()
    let (ledger, partitions) = (read.facts.total, options.run.snapshot.partitions)
    var result = CommandResult(published: output, read.warning) { json in
      json.member("partitions", partitions)
      ledger.write("ledger", to: &json)
      json.member("lines_with_rejects", read.facts.linesWithRejects)
      read.writeInputs(to: &json)
      json.figures(lines: ledger.lines, bytes: read.bytes, seconds: read.seconds)
    } text: {
      let first = "published \(output), \(NumberFormat.count(partitions, "partition"))"
      return [.summary([first] + Summary.ledger(ledger) + read.reading)]
    }
    result.warnings = RunCommand.warnings(ofOverlapping: read.overlapping)
    result.add(read)
    return result
  }

  private func collect(
    _ control: JobControl, on console: Console
  ) throws(Failure) -> CommandResult {
    let output = options.run.publish.output
    let job = CollectOptOutsJob(options.run, partition: options.partition, control: control)
    if try job.isPublished() { return CommandResult(finished: output, on: console) }
    let (statements, read) = try job.run()
    var result = CommandResult(published: output, read.warning) { json in
      json.member("consent_statements", statements)
      read.writeInputs(to: &json)
      json.figures(lines: read.lines, bytes: read.bytes, seconds: read.seconds)
    } text: {
      let first = "published \(output), consent statements: \(NumberFormat.grouped(statements))"
      return [.lines([first]), .summary(read.reading)]
    }
    result.add(read)
    return result
  }
}

extension ReadSummary {
  fileprivate var reading: [String?] {
    [Summary.skipped(alreadyRead), Summary.read(bytes, seconds)]
  }

  fileprivate func writeInputs(to json: inout JSONWriter) {
    json.members(["lost_inputs": lost.count, "skipped_inputs": alreadyRead])
    ignoredFiles.writeField(to: &json)
  }
}

/// `eventmill cluster merge`: the second half of a run.
struct MergeCommand: Request {
  let options: CommandOptions

  func execute(on console: Console) throws(Failure) -> ExitCode {
    guard let step = options.task?.step, let partition = options.partition else {
      return try RunCommand.publish(options, on: console) { run, control throws(Failure) in
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
    let job = MergeJob(options.run, step, partition: partition, control: control)
    if try job.isPublished() {
      return CommandResult(finished: output, (step, partition), on: console)
    }
    let summary = try job.run()
    var result = CommandResult(published: output, summary.warning) { json in
      json.members([
        "step": step.rawValue, "partition": partition, "partitions": summary.partitions,
        "partials": summary.partials, "repeated_partials": summary.repeated,
        "profiles": summary.profiles, "duplicates": summary.duplicates,
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
