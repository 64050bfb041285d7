@testable import Jobs
import Pipeline

extension EraseJob {
  /// A job that copies one output to that of `options`.
  init(_ source: String, options: RunOptions, control: JobControl) {
    self.init([Target(source, to: options.publish.output)], options: options, control: control)
  }
}

extension EraseSummary {
  /// The result for the only output.
  var single: ErasedOutput { outputs[0] }
}
