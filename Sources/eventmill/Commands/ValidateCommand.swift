import Pipeline
import Stages

/// `eventmill validate`: checks logs: totals, and the most frequent reasons with an example each.
enum ValidateCommand {
  /// Runs the command and prints its results.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  static func execute(_ options: RunOptions, console: Console) throws(Failure) -> ExitCode {
    throw Failure(.defect, doing: "running validate", why: "not wired yet")
  }
}
