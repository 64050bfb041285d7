import Jobs
import Pipeline
import Stages

/// `eventmill cluster partial`: the first half of a run.
struct PartialCommand: JobRequest {
  let options: CommandOptions

  func result(_ control: JobControl, on console: Console) throws(Failure) -> CommandResult {
    let (run, output) = (options.run, options.run.publish.output)
    if options.collectsOptOuts { return try collect(control, on: console) }
    let job = PartialJob(run, control: control)
    if try job.isPublished() { return CommandResult(finished: output, on: console) }
    let read = try job.run()
    let (ledger, partitions) = (read.facts.total, run.snapshot.partitions)
    var result = CommandResult(published: output, read.warning) { json in
      json.member("partitions", partitions)
      ledger.write("ledger", to: &json)
      json.member("lines_with_rejects", read.facts.linesWithRejects)
      read.writeInputs(to: &json)
      json.figures(lines: ledger.lines, bytes: read.bytes, seconds: read.seconds)
    } text: {
      let lines = ["published \(output), \(NumberFormat.count(partitions, "partition"))"]
      return [
        .summary(
          lines + Summary.ledger(ledger)
            + [Summary.skipped(read.alreadyRead), Summary.read(read.bytes, read.seconds)])
      ]
    }
    result.warnings = RunCommand.warnings(ofOverlapping: read.overlapping)
    result.add(read)
    return result
  }

  private func collect(
    _ control: JobControl, on console: Console
  ) throws(Failure) -> CommandResult {
    let output = options.run.publish.output
    let job = CollectOptOutsJob(
      options.run, partition: options.partition, control: control)
    if try job.isPublished() { return CommandResult(finished: output, on: console) }
    let (statements, read) = try job.run()
    var result = CommandResult(published: output, read.warning) { json in
      json.member("consent_statements", statements)
      read.writeInputs(to: &json)
      json.figures(lines: read.lines, bytes: read.bytes, seconds: read.seconds)
    } text: {
      [
        .lines(["published \(output), consent statements: \(NumberFormat.grouped(statements))"]),
        .summary([Summary.skipped(read.alreadyRead), Summary.read(read.bytes, read.seconds)]),
      ]
    }
    result.add(read)
    return result
  }
}

extension ReadSummary {
  /// Writes what was not read as fields of the open object.
  fileprivate func writeInputs(to json: inout JSONWriter) {
    json.members(["lost_inputs": lost.count, "skipped_inputs": alreadyRead])
    ignoredFiles.writeField(to: &json)
  }
}
