import Pipeline

/// Whole jobs, from opening the inputs to the last byte.
extension Benchmark {
  func measureJobs() throws(Failure) -> [BenchResult.Entry] {
    var entries: [BenchResult.Entry] = []
    for subject in BenchSubject.allCases
    where subject.kind == .job && options.subjects.contains(subject) {
      entries.append(try measure(subject))
    }
    return entries
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
    var run = RunOptions()
    run.read.inputs = inputs.map(\.path)
    run.read.rules = options.rules
    run.read.jobs = options.jobs
    (run.publish.level, run.publish.replace) = (options.level, true)
    switch subject {
    case .count:
      let outcome = try CountJob(run.read, control: control).run().read
      return (lines: outcome.facts.total.lines, bytes: outcome.bytes)
    case .run:
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
