package import Pipeline
package import Stages

/// Reprocesses rejected parts under the current options (`eventmill redrive`, data-model 15).
///
/// Reads the entries of rejects, passes their lines through the stages, and publishes accepted
/// parts as a log, beside the remaining rejects. Only parts that had been rejected are accepted, so
/// merging the log into the snapshot counts nothing twice.
package struct RedriveJob {
  private static let doing = "looking for rejects at"

  private let options: RunOptions
  private let reason: ReasonCode?
  private let isDry: Bool
  private let control: JobControl

  /// A job with these options, whose inputs are rejects files, or directories that contain one; of
  /// these the entries with the reason `reason`, or all. `control` shows its progress and can
  /// cancel it.
  package init(
    _ read: ReadOptions, _ publish: PublishOptions, only reason: ReasonCode? = nil,
    isDry: Bool = false, control: JobControl
  ) {
    options = RunOptions(read, publish)
    (self.reason, self.isDry, self.control) = (reason, isDry, control)
  }

  /// Reads the rejects and publishes the results.
  /// - Throws: why nothing was published; see `Failure.Kind`.
  package func run() throws(Failure) -> RedriveReport {
    let clock = StopWatch()
    control.plan([.reading, .publishing])
    var paths: [String] = []
    for input in options.read.inputs { paths.append(try location(of: input)) }
    let files = try InputDiscovery.survey(
      paths, output: options.publish.output, system: control.system
    ).inputs
    control.expect(files)
    var (report, warning) = try Publication.run(
      options.publish, as: .of(.redrive), control, isDry: isDry
    ) { staging throws(Failure) in
      var report = try drive(files, to: staging.folder, clock)
      try report.write(to: staging)
      return report
    }
    report.warning = warning
    return report
  }

  /// The rejects file for `input`: itself, or the one in the directory.
  private func location(of input: String) throws(Failure) -> String {
    if input == InputFile.standardInput { return input }
    let file = try control.system.rejects(at: input, doing: Self.doing)
    if file == input { return file }
    // With the output in it, the directory would no longer match its manifest.
    guard try !InputDiscovery.isInside(options.publish.output, in: input, system: control.system)
    else {
      throw Failure(
        .usage, doing: Self.doing, path: input,
        why: "the output \(options.publish.output) would be inside it",
        advice: "write to a directory outside of it")
    }
    return file
  }

  private func drive(
    _ files: [InputFile], to folder: StagedFolder, _ clock: StopWatch
  ) throws(Failure) -> RedriveReport {
    let cores = try CoreQueues(options.read.jobs)
    let source = Exclusive(
      RedriveSource(
        files, only: reason, keepsGoing: options.read.keepGoing, position: control.position,
        cores: cores, system: control.system))
    let sink = Exclusive(try RedriveSink(folder, level: options.publish.level, control: control))
    let rules = options.read.rules
    let flow = RecordFlow(stages: { Chains.redrive(rules) }, cores: cores)
    let times = try flow.run(source, control: control, finish: sink.part { $0.take })
    let (inputs, blank) = source.use { ($0.outcomes, $0.blank) }
    return try sink.use { sink throws(Failure) in
      var ledger = sink.ledger
      ledger.entries = inputs.reduce(0) { $0 + ($1.summary?.lines ?? 0) } - blank
      if let why = ledger.mismatch { throw .ledger(why) }
      return RedriveReport(
        options: options, ledger: ledger, tally: sink.tally, sources: sink.sources, inputs: inputs,
        redriven: try sink.redriven.finish(), rejects: try sink.rejects.finish(), times: times,
        clock: clock, stamp: control.stamp(of: options.publish.output))
    }
  }
}

/// Receives the units at the end of the flow, in entry order: writes their lines and their rejects,
/// and counts. Samples are the first ones, at the original positions of the lines.
private final class RedriveSink {
  let redriven: SeekableTextWriter
  let rejects: SeekableTextWriter
  private let control: JobControl
  private(set) var ledger = RedriveLedger()
  private var codes = CodeTally()
  /// Lines with a part that is rejected again, and unchanged entries.
  private var linesWithRejects = 0
  /// The inputs of the lines that samples are of, and their numbers.
  private(set) var sources: [InputOutcome] = []
  private var numbers: [[UInt8]: Int] = [:]

  init(_ folder: StagedFolder, level: Int, control: JobControl) throws(Failure) {
    redriven = try SeekableTextWriter(folder.create(RunFiles.redriven), level: level)
    rejects = try SeekableTextWriter(folder.create(RunFiles.rejects), level: level)
    self.control = control
  }

  func take(_ unit: WorkUnit) throws(Failure) {
    count(unit.batch, unit.notes.redriven)
    control.count(unit, rejects: ledger.remaining)
    try redriven.append(unit.text.view)
    try unit.rejects.forEachPiece { piece throws(Failure) in try rejects.append(piece) }
  }

  private func count(_ batch: RecordBatch, _ redriven: RedrivenLines) {
    ledger.add(redriven.ledger)
    linesWithRejects += redriven.kept.count
    var last = -1
    for (range, line) in redriven.rejected {
      if line != last { linesWithRejects += 1 }
      last = line
      for index in range.indices {
        let reason = batch.reasons[index]
        codes.add(reason.code) {
          sample(redriven.lines[line], batch.reasons.path(reason).text, redriven)
        }
      }
    }
    codes.add(lossesOf: batch, all: true, number: { Int(redriven.eventNumbers[$0]) }) {
      line, path in
      sample(redriven.lines[line], path, redriven)
    }
  }

  var tally: TallyFacts {
    var tally = codes.facts
    tally.linesWithRejects = linesWithRejects
    return tally
  }

  private func sample(
    _ line: RedrivenLines.Line, _ path: String, _ redriven: RedrivenLines
  ) -> RunTally.Sample {
    let source = redriven.source(of: line)
    let number = numbers[source.array] ?? sources.count
    if number == sources.count {
      sources.append(InputOutcome(file: InputFile(path: source.text, size: nil)))
      numbers[source.array] = number
    }
    return RunTally.Sample(input: number, line: line.number, path: path)
  }
}
