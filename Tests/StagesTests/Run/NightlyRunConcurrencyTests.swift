@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Whole runs: the same bytes for the same inputs, whatever the order, the threads and the memory
/// (docs/reference/file-formats.md).
@Suite struct NightlyRunConcurrencyTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  @Test func theSameBytesForAnyOrderAndAnyJobs() throws {
    try fixture.log(Sample.log(seed: 1, count: 2500), "logs/b.ndjson")
    let packed = Sample.log(seed: 2, count: 1500).map { $0 + "\n" }.joined()
    try fixture.compressedLog(Array(packed.utf8), "logs/a.ndjson.zst")
    try fixture.log(Sample.log(seed: 3, count: 200), "other.jsonl")
    let inputs = ["logs/b.ndjson", "logs/a.ndjson.zst", "other.jsonl"]
    for partitions in [1, 3] {
      var expected: [String: [UInt8]]?
      for (number, (names, jobs)) in [
        (inputs, 1), (inputs.reversed(), 2), (["other.jsonl", "logs"], 8),
      ].enumerated() {
        // The output's own path is in none of its files.
        let output = "out-\(String(repeating: "x", count: number))-\(partitions)"
        try fixture.run(names, to: output) {
          $0.read.jobs = jobs
          $0.snapshot.partitions = partitions
          $0.snapshot.dedupeDays = 5
        }
        var bytes = try fixture.bytes(of: output)
        for name in RunFiles.reports { #expect(bytes.removeValue(forKey: name) != nil) }
        let parts = (0..<partitions).flatMap { part in
          [RunFiles.profiles, RunFiles.state].map { RunFiles.part(part, of: partitions, in: $0) }
            + [RunFiles.index(part, of: partitions)]
        }
        let files = [
          RunFiles.countsJSON, RunFiles.countsCSV, RunFiles.dailyCounts, RunFiles.totals,
          RunFiles.rejects, RunFiles.manifest,
        ]
        #expect(Set(bytes.keys) == Set(files + parts))
        for (path, content) in bytes where expected != nil {
          #expect(content == expected?[path], "\(path), \(partitions) partitions, \(jobs) jobs")
        }
        expected = bytes
      }
    }
  }

  /// Tables and installations that do not fit are spilled; the result is the same.
  @Test func memoryDoesNotMatter() throws {
    let text = String(repeating: "long ", count: 59)
    func lines(_ numbers: Range<Int>) -> [String] {
      numbers.flatMap { number in
        let attributes = (0..<15).map { "\"key_\($0)\":\"\(text)\(number)\"" }.joined(
          separator: ",")
        let event = "{\"id\":\"e\",\"name\":\"a\",\"time\":\(Sample.time)}"
        return [
          "{\"identifiers\":{\"installation_id\":\"i\(number)\"},\"time\":\(Sample.time),"
            + "\"attributes\":{\(attributes)},\"events\":[\(event)]}",
          "{\"identifiers\":{\"installation_id\":\"i\(number)\",\"custom_id\":\"u\(number % 7)\"},"
            + "\"time\":\(Sample.time)}",
        ]
      }
    }
    try fixture.log(lines(0..<300), "1.ndjson")
    try fixture.log(lines(200..<800), "2.ndjson")
    func set(_ options: inout RunOptions) {
      (options.snapshot.dedupeDays, options.snapshot.partitions) = (3, 2)
    }
    func setTight(_ options: inout RunOptions) {
      set(&options)
      options.read.memory = 1
    }
    try fixture.run(["1.ndjson"], to: "night", set)
    try fixture.run(["1.ndjson", "2.ndjson"], to: "expected", set)
    try fixture.run(["1.ndjson", "2.ndjson"], to: "once", setTight)
    try fixture.run(["2.ndjson"], to: "next", after: "night", setTight)
    #expect(try fixture.repeatable("once") == fixture.repeatable("expected"))
    let hot = try ["once", "expected"].map { try fixture.json("\($0)/report.json")["hot_ids"] }
    #expect(hot[0] != nil && hot[0] == hot[1])
    #expect(try fixture.snapshot(of: "next") == fixture.snapshot(of: "expected"))
  }

  /// Hashes only find: people whose keys have one hash are still several, with the same event, too.
  @Test func peopleWhoseKeysHaveOneHashAreNotMixed() throws {
    let people = EqualHashes.texts(5, behind: Array("custom:x".utf8), isASCII: true)
      .map { "x" + String(decoding: $0, as: UTF8.self) }
    let days = [1, 2].map { day in people.map { Sample.event($0, "seen", day: day, id: "e") } }
    let logs = [days[0], days[1], days[0].reversed()]
    for (name, lines) in zip(["a", "b", "c"], logs) { try fixture.log(lines, "\(name).ndjson") }
    let names = ["a.ndjson", "b.ndjson", "c.ndjson"]
    for partitions in [1, 3] {
      let summary = try fixture.run(names, to: "out-\(partitions)") {
        $0.snapshot.partitions = partitions
      }
      #expect(summary.ledger.accepted == 10 && summary.ledger.duplicates == 5)
      #expect(summary.profiles == 5)
    }
    let read = fixture.options(names, to: "").read
    let counted = try CountJob(read, control: JobControl()).run().read.facts.total
    #expect(counted.accepted == 10 && counted.duplicates == 5)
  }
}
