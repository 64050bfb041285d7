package import Stages

/// What to measure, and how often.
package struct BenchOptions: Sendable {
  /// Files and directories to read.
  package var inputs: [String] = []
  /// What is measured.
  package var subjects = Set(BenchSubject.allCases)
  /// What lines mean, for stages and jobs.
  package var rules = Rules()
  /// Measurements of each subject, warm-up aside.
  package var runs = 5
  /// Lanes of the whole jobs; stages have one thread.
  package var jobs = 1
  /// zstd level of the outputs.
  package var level = 1

  package init() {}
}
