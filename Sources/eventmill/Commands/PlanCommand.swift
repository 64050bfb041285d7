import Jobs
import Pipeline

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
