@testable import Jobs
import Pipeline

extension EraseJob {
  init(_ source: String, options: RunOptions, control: JobControl) {
    self.init([Target(source, to: options.publish.output)], options: options, control: control)
  }
}

extension EraseSummary {
  var single: ErasedOutput { outputs[0] }
}
