import Jobs
import Pipeline

/// `eventmill plan`: assigns inputs to the tasks of a cluster.
struct PlanCommand: Request {
  let options: CommandOptions

  /// Runs the command and prints the plan.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  func execute(on console: Console) throws(Failure) -> ExitCode {
    let plan = try JobRunner.run(on: console) { control throws(Failure) in
      try PlanJob(options.run, tasks: options.tasks, control: control).run()
    }
    let text = JSONWriter.document { json in
      plan.write(to: &json)
      // The same files give the same plan, without the resources it took.
      if console.settings.json {
        json.figures(bytes: plan.bytes, seconds: console.clock.seconds)
      }
    }
    try console.write(text.view)
    JobRunner.report(ignoredFiles: plan.ignoredFiles, on: console)
    return .done
  }
}
