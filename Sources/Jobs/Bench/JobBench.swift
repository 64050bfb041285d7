import Pipeline

/// Measures whole jobs, from opening the inputs to the last byte.
struct JobBench {
  let options: BenchOptions
  let inputs: [InputFile]
  private static let tool = ToolVersion(version: "bench", commit: "", zstd: "")

  /// Where the jobs publish.
  let scratch: String
  let control: BenchControl

  /// Measures the jobs that were asked for, after runs that do not count.
  ///
  /// - Throws: `io`, `corrupt`, and what the control was cancelled with.
  func run() throws(Failure) -> [BenchResult.Entry] {
    var entries: [BenchResult.Entry] = []
    for subject in BenchSubject.allCases
    where subject.kind == .job && options.subjects.contains(subject) {
      entries.append(try measure(subject))
    }
    return entries
  }

  private func measure(_ subject: BenchSubject) throws(Failure) -> BenchResult.Entry {
    var seconds: [Double] = []
    var work = BenchWork(lines: 0, bytes: 0)
    for number in 0..<BenchRuns.warmUp + options.runs {
      control.progress(BenchRuns.text(subject.name, number, of: options.runs))
      let clock = StopWatch()
      work = try control.run { job throws(Failure) in try perform(subject, job) }
      seconds.append(clock.seconds)
    }
    control.progress("\(subject.name): counting allocations")
    let allocations = try AllocationCounter.counting { () throws(Failure) in
      let calls = AllocationCounter.calls
      _ = try control.run { job throws(Failure) in try perform(subject, job) }
      return AllocationCounter.calls - calls
    }
    return BenchResult.Entry(
      subject: subject, records: work.lines, bytes: work.bytes,
      seconds: Samples(Array(seconds.dropFirst(BenchRuns.warmUp))), allocations: allocations)
  }

  private func perform(_ subject: BenchSubject, _ job: JobControl) throws(Failure) -> BenchWork {
    var run = RunOptions()
    run.inputs = inputs.map(\.path)
    run.rules = options.rules
    run.jobs = options.jobs
    (run.level, run.replace) = (options.level, true)
    switch subject {
    case .count:
      let outcome = try CountJob(run.read, control: job).run()
      return BenchWork(lines: outcome.facts.total.lines, bytes: outcome.bytes)
    case .run:
      run.output = "\(scratch)/run"
      let summary = try NightlyRun(run, tool: Self.tool, control: job).run()
      return BenchWork(lines: summary.ledger.lines, bytes: summary.bytes)
    default:
      run.output = "\(scratch)/migrate"
      let summary = try MigrateJob(run.read, run.publish, tool: Self.tool, control: job).run()
      return BenchWork(lines: summary.facts.total.lines, bytes: summary.bytes)
    }
  }
}

/// How much a job has read.
struct BenchWork {
  let lines: Int
  /// Bytes of JSON.
  let bytes: Int
}
