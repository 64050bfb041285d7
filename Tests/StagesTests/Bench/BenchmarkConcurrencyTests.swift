@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Figures change from run to run; what they are about does not.
@Suite struct BenchmarkConcurrencyTests {
  private let scratch: ScratchDirectory
  private let log: String

  init() throws {
    scratch = try ScratchDirectory()
    let line = #"{"id":"1","custom_id":"u","name":"ad_seen","time":"2024-06-01T00:00:00"}"#
    log = try scratch.write(line + "\n" + line + "\nno json\n\n", to: "a.ndjson")
  }

  private func measure(_ subjects: Set<BenchSubject>) throws -> BenchResult {
    var (options, job) = (BenchOptions(), RunOptions())
    (options.subjects, options.runs, job.read.inputs) = (subjects, 3, [log])
    return try Benchmark(options, job, scratch: scratch.path, control: JobControl()).run()
  }

  @Test func everythingIsMeasuredAndNothingStays() throws {
    let result = try measure(Set(BenchSubject.allCases))
    #expect(result.entries.map(\.name) == BenchSubject.allCases.map(\.name))
    for entry in result.entries {
      #expect(entry.records == 4 && entry.bytes == 155, "\(entry.name)")
      #expect(entry.seconds.sorted.count == 3 && entry.seconds.least > 0, "\(entry.name)")
    }
    let shares = result.entries.filter { $0.kind == .stage }.compactMap(\.share)
    #expect(abs(shares.reduce(0, +) - 100) < 0.001)
    #expect(try scratch.names().filter { $0.hasPrefix(".") } == [])
  }

  /// What one core makes of lines, up to canonical records.
  @Test func stagesAreAddedUp() throws {
    let result = try measure([.reader, .validator, .migration, .canonical])
    let median = { (subject: BenchSubject) in
      result.entries.first { $0.name == subject.name }?.seconds.sorted ?? []
    }
    let parts = [BenchSubject.reader, .validator, .migration].map(median)
    #expect(parts.allSatisfy { $0.count == 3 })
    let least = parts.reduce(0) { $0 + $1[0] }
    let most = parts.reduce(0) { $0 + $1[2] }
    #expect(median(.canonical).allSatisfy { $0 >= least - 1e-9 && $0 <= most + 1e-9 })
    let alone = try measure([.canonical])
    #expect(alone.entries.map(\.name) == ["canonical"] && alone.entries[0].seconds.least > 0)
    // There are no shares of what was not measured.
    #expect(result.entries.allSatisfy { $0.share == nil } && BenchSubject.canonical.kind == .sum)
  }

  @Test func aResultIsABaseline() throws {
    let result = try measure([.parse, .migration, .migrate])
    let text = result.text().array
    #expect(text.starts(with: "{\"eventmill_bench\":2,".utf8))
    let path = try scratch.write(text, to: "before.json")
    let baseline = try BenchResult(baseline: path)
    #expect(baseline.entries.count == 3)
    for entry in result.compared(with: baseline).entries {
      let comparison = try #require(entry.comparison)
      #expect(comparison.before == entry.perRecord && comparison.ratio == 1, "\(entry.name)")
      #expect(comparison.verdict == .same && comparison.isSameWork, "\(entry.name)")
    }
  }

  @Test(arguments: [
    "", "{}", "[]", "no json", #"{"eventmill_bench":1,"results":[]}"#,
    #"{"eventmill_bench":2,"results":[{"name":"read","kind":"stage","records":1,"bytes":1,"ns_per_record":{"samples":[]}}]}"#,
    #"{"eventmill_bench":2,"results":[{"name":"read","kind":"stage","records":1,"bytes":1,"ns_per_record":{"samples":[0]}}]}"#,
  ]) func whatIsNoResultIsRefused(_ text: String) throws {
    let path = try scratch.write(text, to: "before.json")
    let failure = Failure.of(try BenchResult(baseline: path))
    #expect(failure?.kind == .usage && failure?.path == path)
  }

  @Test func anotherNumberOfRecordsIsOtherWork() throws {
    let result = BenchResult([BenchResult.Entry(.parse, records: 4, bytes: 155, seconds: [1])])
    let entry = BenchResult.Entry(.parse, records: 5, bytes: 155, seconds: [1])
    #expect(entry.perRecord.median == 2e8 && entry.recordRate == 5)
    let path = try scratch.write(BenchResult([entry]).text().array, to: "before.json")
    let compared = result.compared(with: try BenchResult(baseline: path))
    #expect(compared.entries[0].comparison?.isSameWork == false)
  }

  /// Why a benchmark of `input` fails.
  private func failure(_ input: String, control: JobControl = JobControl()) -> Failure? {
    var job = RunOptions()
    job.read.inputs = [input]
    return Failure.of(
      try Benchmark(BenchOptions(), job, scratch: scratch.path, control: control).run())
  }

  @Test func aCancelledBenchmarkEndsAndStandardInputIsRefused() {
    let control = JobControl()
    control.cancel(Sample.stop)
    #expect(failure(log, control: control) == Sample.stop)
    #expect(failure("-")?.kind == .usage)
  }
}
