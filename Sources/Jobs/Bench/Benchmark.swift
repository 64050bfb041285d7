package import Pipeline
package import Stages

/// The benchmark (`eventmill bench`): stages one at a time, then whole jobs.
package struct Benchmark {
  let options: BenchOptions
  /// The directory that the jobs publish in.
  let scratch: String
  let control: JobControl
  private let survey: InputDiscovery.Survey
  var inputs: [InputFile] { survey.inputs }

  /// Runs that are not measured.
  static let warmUp = 1

  /// A benchmark that may write to the directory `scratch`, which the caller removes.
  /// - Throws: `usage` for inputs that cannot be read repeatedly; `io`.
  package init(_ options: BenchOptions, scratch: String, control: JobControl) throws(Failure) {
    self.options = options
    self.scratch = scratch
    self.control = control
    survey = try InputDiscovery.surveyLogs(options.inputs)
    if let input = survey.inputs.first(where: { !$0.isReopenable }) {
      throw Failure(
        .usage, doing: "measuring", path: input.name,
        why: "it can be read only once, and a benchmark reads its input many times",
        advice: "write it to a file first")
    }
  }

  /// Measures all requested subjects.
  /// - Throws: `io`, `corrupt`; the failure that the control was cancelled with.
  package func run() throws(Failure) -> BenchResult {
    let needsStages = options.subjects.contains { $0.kind != .job }
    var result = BenchResult(try (needsStages ? measureStages() : []) + measureJobs())
    result.ignoredFiles = survey.ignoredFiles
    return result
  }

  /// Shows that run number `number`, 0-based, of `what` is under way.
  func note(_ what: String, _ number: Int) {
    control.note(
      number < Self.warmUp
        ? "\(what): warming up"
        : "\(what): run \(number - Self.warmUp + 1) of \(options.runs)")
  }
}

/// What to measure, and how often.
package struct BenchOptions: Sendable {
  /// Files and directories to read.
  package var inputs: [String] = []
  /// What is measured.
  package var subjects = Set(BenchSubject.allCases)
  /// The rules for stages and jobs.
  package var rules = Rules()
  /// Measurements of each subject, without warm-up.
  package var runs = 5
  /// Lanes of the whole jobs; stages have one thread.
  package var jobs = 1
  /// zstd level of the outputs.
  package var level = 1
  /// The files of an earlier result to compare with, and for the result.
  package var baseline: String?
  package var save: String?

  package init() {}
}
