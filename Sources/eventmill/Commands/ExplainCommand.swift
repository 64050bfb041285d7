import Pipeline
import Stages

/// `eventmill explain`: tells what happens to each line, and why (SPEC 12).
enum ExplainCommand {
  /// Runs the command and prints its results.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  static func execute(_ options: RunOptions, console: Console) throws(Failure) -> ExitCode {
    throw Failure(.defect, doing: "running explain", why: "not wired yet")
  }
}
