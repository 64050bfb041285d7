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
    var options = BenchOptions()
    (options.inputs, options.subjects, options.runs) = ([log], subjects, 3)
    return try Benchmark(options, scratch: scratch.path, control: JobControl()).run()
  }

  @Test func everythingIsMeasuredAndNothingStays() throws {
    let result = try measure(Set(BenchSubject.allCases))
    #expect(result.entries.map(\.name) == BenchSubject.allCases.map(\.name))
    for entry in result.entries {
      #expect(entry.records == 4, "\(entry.name)")
      #expect(entry.bytes == 155, "\(entry.name)")
      #expect(entry.seconds.sorted.count == 3)
      #expect(entry.seconds.least > 0)
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
    #expect(alone.entries.map(\.name) == ["canonical"])
    #expect(alone.entries[0].seconds.least > 0)
    #expect(result.entries.allSatisfy { $0.share == nil } && BenchSubject.canonical.kind == .sum)
  }

  @Test func onlyWhatIsAskedForIsMeasured() throws {
    let result = try measure([.validator, .count])
    #expect(result.entries.map(\.name) == ["validator", "count"])
    #expect(result.entries[0].share == nil, "a share of what was not measured")
  }

  @Test func aResultIsABaseline() throws {
    let result = try measure([.parse, .migration, .migrate])
    let path = try scratch.write(result.text().array, to: "before.json")
    let baseline = try BenchResult(baseline: path)
    #expect(baseline.entries.count == 3)
    for entry in result.compared(with: baseline).entries {
      let comparison = try #require(entry.comparison)
      #expect(comparison.before == entry.perRecord, "\(entry.name)")
      #expect(comparison.ratio == 1)
      #expect(comparison.verdict == .same)
      #expect(comparison.isSameWork)
    }
  }

  @Test(arguments: [
    "", "{}", "[]", "no json", #"{"eventmill_bench":1,"results":[]}"#,
    #"{"eventmill_bench":2,"results":[{"name":"read","kind":"stage","records":1,"bytes":1,"ns_per_record":{"samples":[]}}]}"#,
    #"{"eventmill_bench":2,"results":[{"name":"read","kind":"stage","records":1,"bytes":1,"ns_per_record":{"samples":[0]}}]}"#,
  ])
  func whatIsNoResultIsRefused(_ text: String) throws {
    let path = try scratch.write(text, to: "before.json")
    let failure = #expect(throws: Failure.self) { try BenchResult(baseline: path) }
    #expect(failure?.kind == .usage)
    #expect(failure?.path == path)
  }

  @Test func anotherNumberOfRecordsIsOtherWork() throws {
    let result = try measure([.parse])
    let entry = BenchResult.Entry(.parse, records: 5, bytes: 155, seconds: [1])
    let path = try scratch.write(BenchResult([entry]).text().array, to: "before.json")
    let compared = result.compared(with: try BenchResult(baseline: path))
    #expect(compared.entries[0].comparison?.isSameWork == false)
  }

  @Test func aCancelledBenchmarkEnds() {
    let control = JobControl()
    let reason = Failure(.interrupted, doing: "running", why: "SIGINT was received")
    control.cancel(reason)
    var options = BenchOptions()
    options.inputs = [log]
    let failure = #expect(throws: Failure.self) {
      try Benchmark(options, scratch: scratch.path, control: control).run()
    }
    #expect(failure == reason)
  }

  @Test func standardInputIsRefused() {
    var options = BenchOptions()
    options.inputs = ["-"]
    let failure = #expect(throws: Failure.self) {
      try Benchmark(options, scratch: scratch.path, control: JobControl()).run()
    }
    #expect(failure?.kind == .usage)
  }
}
