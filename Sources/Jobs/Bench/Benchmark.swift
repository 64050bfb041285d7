package import Pipeline
import Stages

/// The benchmark (`eventmill bench`): stages one at a time, then whole jobs.
package struct Benchmark {
  let options: BenchOptions
  /// The options of the whole jobs: inputs, rules, jobs, memory, level.
  let job: RunOptions
  let scratch: String
  let control: JobControl
  private let survey: InputDiscovery.Survey
  var inputs: [InputFile] { survey.inputs }

  /// Runs that are not measured.
  static let warmUp = 1

  /// A benchmark that may write to the directory `scratch`, which the caller removes.
  package init(
    _ options: BenchOptions, _ job: RunOptions, scratch: String, control: JobControl
  ) throws(Failure) {
    (self.options, self.job) = (options, job)
    self.scratch = scratch
    self.control = control
    survey = try InputDiscovery.surveyLogs(job.read.inputs)
    if let input = survey.inputs.first(where: { !$0.isReopenable }) {
      throw Failure(
        .usage, doing: "measuring", path: input.name,
        why: "it can be read only once, and a benchmark reads its input many times",
        advice: "write it to a file first")
    }
  }

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
        ? "\(what): warming up" : "\(what): run \(number - Self.warmUp + 1) of \(options.runs)")
  }
}

/// Whole jobs, from opening the inputs to the last byte.
extension Benchmark {
  private func measureJobs() throws(Failure) -> [BenchResult.Entry] {
    try BenchSubject.allCases.filter { $0.kind == .job && options.subjects.contains($0) }
      .map(measure)
  }

  private func measure(_ subject: BenchSubject) throws(Failure) -> BenchResult.Entry {
    var seconds: [Double] = []
    var work = (lines: 0, bytes: 0)
    for number in 0..<Self.warmUp + options.runs {
      note(subject.name, number)
      let clock = StopWatch()
      work = try perform(subject)
      seconds.append(clock.seconds)
    }
    return BenchResult.Entry(
      subject, records: work.lines, bytes: work.bytes,
      seconds: Array(seconds.dropFirst(Self.warmUp)))
  }

  /// Runs a job; returns the number of lines and of bytes of JSON that it has read.
  private func perform(_ subject: BenchSubject) throws(Failure) -> (lines: Int, bytes: Int) {
    var run = job
    (run.read.inputs, run.publish.replace) = (inputs.map(\.path), true)
    switch subject {
    case .count:
      let outcome = try CountJob(run.read, control: control).run().read
      return (lines: outcome.facts.total.lines, bytes: outcome.bytes)
    case .run:
      run.read.share(memoryIsGiven: false)
      run.publish.output = "\(scratch)/run"
      let summary = try NightlyRun(run, control: control).run()
      return (lines: summary.ledger.lines, bytes: summary.bytes)
    default:
      run.publish.output = "\(scratch)/migrate"
      let summary = try MigrateJob(run.read, run.publish, control: control).run()
      return (lines: summary.facts.total.lines, bytes: summary.bytes)
    }
  }
}

/// The subjects of a measurement, and its number of passes.
package struct BenchOptions: Sendable {
  package var subjects = Set(BenchSubject.allCases)
  /// Measurements of each subject, without warm-up.
  package var runs = 5
  /// The files of an earlier result to compare with, and for the result.
  package var baseline: String?
  package var save: String?

  package init() {}
}
