import Jobs
import Pipeline
import Stages

/// `eventmill bench`: measures the speed of each stage, and of whole jobs.
struct BenchCommand: Request {
  private let options: BenchOptions
  /// The options of the logs to make when no inputs are named.
  private let corpus: GenerateOptions

  init(options: CommandOptions) throws(Failure) {
    let read = options.run.read
    var bench = options.bench
    (bench.inputs, bench.jobs, bench.level) = (read.inputs, read.jobs, options.run.publish.level)
    corpus = try GenerateOptions(ofBench: options)
    (bench.rules.dialect, bench.rules.mappings) = (read.rules.dialect, read.rules.mappings)
    self.options = bench
  }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    // Read first: an invalid baseline should not fail the command at its end.
    let baseline = try options.baseline.map { path throws(Failure) in
      try BenchResult(baseline: path)
    }
    let control = JobControl(notes: { text in
      if console.isInteractive && !console.settings.quiet && console.settings.progress {
        console.showStatus(text)
      }
    })
    // Before anything is written: a signal from here on removes it.
    console.begin(Signals.Job { control.cancel($0) })
    if let path = options.save {
      try WholeFile.check(path, isOurs: BenchResult.isResult)
      try Ownership.bench.checkOutside(path, .real)
    }
    let scratch = try StagedDirectory(Self.scratchPath(), owner: .bench)
    defer {
      scratch.discard()
      if console.isInteractive { console.clearStatus() }
    }
    var options = options
    if options.inputs.isEmpty {
      options.inputs = [try writeCorpus(to: scratch, control)]
    }
    let result = try Benchmark(options, scratch: scratch.folder.path, control: control).run()
    if let path = options.save {
      try WholeFile.write(result.text(), to: path, lines: 1, replacing: BenchResult.isResult)
    }
    return try Self.show(baseline.map(result.compared) ?? result, on: console)
  }

  /// Writes the corpus as one compressed file, and returns its path.
  private func writeCorpus(
    to scratch: StagedDirectory, _ control: JobControl
  ) throws(Failure) -> String {
    let name = "bench.ndjson.zst"
    let file = try SeekableTextWriter(scratch.folder.create(name), level: corpus.level)
    try LogGenerator(corpus).forEach(of: 0..<corpus.lines, control) { _, line throws(Failure) in
      try file.append(line)
    }
    _ = try file.finish()
    return "\(scratch.folder.path)/\(name)"
  }

  /// A directory that no other process uses; only its hidden sibling is ever created.
  private static func scratchPath() -> String {
    let parent = System.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    return "\(parent)/eventmill-bench-\(System.processID)"
  }

  private static func show(
    _ result: BenchResult, on console: Console
  ) throws(Failure) -> ExitCode {
    var shown = CommandResult {
      result.text()
    } text: {
      let tables = BenchTable.tables(of: result).map { [CommandResult.Part.table($0)] }
      return Array(tables.joined(separator: [.lines([""])]))
    }
    shown.ignoredFiles = result.ignoredFiles
    if result.entries.contains(where: { $0.comparison?.isSameWork == false }) {
      shown.warnings = ["the baseline was measured on other logs: its ratios mean little"]
    }
    return try console.show(shown)
  }
}
