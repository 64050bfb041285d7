import Jobs
import Pipeline
import Stages

/// `eventmill bench`: measures the speed of each stage, and of whole jobs.
struct BenchCommand: Request {
  private let options: CommandOptions
  /// The options of the logs to make when no inputs are named.
  private let corpus: GenerateOptions

  init(options: CommandOptions) throws(Failure) {
    (self.options, corpus) = (options, try GenerateOptions(ofBench: options))
  }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    // Read first: an invalid baseline should not fail the command at its end.
    let baseline = try options.bench.baseline.map { path throws(Failure) in
      try BenchResult(baseline: path)
    }
    let control = JobControl(notes: { text in
      if console.isInteractive && !console.settings.quiet && console.settings.progress {
        console.showStatus(text)
      }
    })
    // Before anything is written: a signal from here on removes it.
    console.begin(Signals.Job { control.cancel($0) })
    if let path = options.bench.save {
      try WholeFile.check(path, isOurs: BenchResult.isResult)
      try Ownership.bench.checkOutside(path, .real)
    }
    let scratch = try StagedDirectory(Self.scratchPath(), owner: .bench)
    defer {
      scratch.discard()
      if console.isInteractive { console.clearStatus() }
    }
    var run = options.run
    if run.read.inputs.isEmpty { run.read.inputs = [try writeCorpus(to: scratch, control)] }
    let result = try Benchmark(options.bench, run, scratch: scratch.folder.path, control: control)
      .run()
    if let path = options.bench.save {
      try WholeFile.write(result.text(), to: path, lines: 1, replacing: BenchResult.isResult)
    }
    return try Self.show(baseline.map(result.compared) ?? result, on: console)
  }

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

  private static func show(_ result: BenchResult, on console: Console) throws(Failure) -> ExitCode {
    var shown = CommandResult {
      result.text()
    } text: {
      let tables = BenchTable.tables(of: result).map { [CommandResult.Part.table($0)] }
      return Array(tables.joined(separator: [.lines([""])]))
    }
    shown.ignoredFiles = result.ignoredFiles
    if result.isCompared, result.entries.allSatisfy({ $0.comparison == nil }) {
      shown.warnings = ["the baseline has none of these stages and jobs"]
    } else if result.entries.contains(where: { $0.comparison?.isSameWork == false }) {
      shown.warnings = ["the baseline was measured on other logs: its ratios mean little"]
    }
    return try console.show(shown)
  }
}

/// The results of a benchmark, for people.
enum BenchTable {
  static func tables(of result: BenchResult) -> [TextTable] {
    let stages = result.entries.filter { $0.kind != .job }
    let jobs = result.entries.filter { $0.kind == .job }
    return [(stages, "stage"), (jobs, "job")].filter { !$0.0.isEmpty }.map(figures)
      + (result.entries.contains { $0.comparison != nil } ? [comparison(of: result)] : [])
  }

  private static func figures(of entries: [BenchResult.Entry], _ title: String) -> TextTable {
    TextTable(
      of: entries,
      [
        .text(title, name), .number("records/s") { Int($0.recordRate) },
        .number("MB/s") { Int($0.byteRate / 1e6) },
        .right("ns/record") { NumberFormat.tenths($0.perRecord.median) },
        .right("min–max") { entry in
          [entry.perRecord.least, entry.perRecord.most].map(NumberFormat.tenths)
            .joined(separator: "–")
        },
        .right("share") { $0.share.map { "\(NumberFormat.tenths($0)) %" } ?? "-" },
      ])
  }

  private static func comparison(of result: BenchResult) -> TextTable {
    TextTable(
      of: result.entries.compactMap { entry in entry.comparison.map { (entry, $0) } },
      [
        .text("beside the baseline") { $0.0.kind == .job ? "\($0.0.name) (job)" : name($0.0) },
        .right("ns/record then") { NumberFormat.tenths($0.1.before.median) },
        .right("now") { NumberFormat.tenths($0.1.now.median) },
        .right("ratio") { NumberFormat.thousandths($0.1.ratio) },
        .text("beyond noise") { $0.1.verdict == .same ? "" : $0.1.verdict.rawValue },
      ])
  }

  private static func name(_ entry: BenchResult.Entry) -> String {
    entry.kind == .part ? "  \(entry.name)" : entry.name
  }
}
