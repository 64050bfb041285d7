import Pipeline
import Stages

/// `eventmill run`: the nightly job (SPEC 9).
enum RunCommand {
  /// Runs the command and prints its results.
  ///
  /// - Throws: why it failed; ``ExitCode`` follows from the kind.
  static func execute(_ options: RunOptions, console: Console) throws(Failure) -> ExitCode {
    throw Failure(.defect, doing: "running run", why: "not wired yet")
  }
}
