import Pipeline
import Stages

/// `eventmill count`: counts events by name and writes no files.
enum CountCommand {
  /// Runs the command and prints its results.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  static func execute(_ options: RunOptions, console: Console) throws(Failure) -> ExitCode {
    throw Failure(.defect, doing: "running count", why: "not wired yet")
  }
}
