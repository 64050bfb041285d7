@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Whole runs: the same bytes for the same inputs, and nights that add up (data-model 13,
/// docs/reference/file-formats.md).
@Suite struct NightlyRunConcurrencyTests {
  private func fixture() throws -> (RunFixture, inputs: [String]) {
    let fixture = try RunFixture()
    try fixture.log(Sample.log(seed: 1, count: 2500), "logs/b.ndjson")
    let packed = Sample.log(seed: 2, count: 1500).map { $0 + "\n" }.joined()
    try fixture.compressedLog(Array(packed.utf8), "logs/a.ndjson.zst")
    try fixture.log(Sample.log(seed: 3, count: 200), "other.jsonl")
    return (fixture, ["logs/b.ndjson", "logs/a.ndjson.zst", "other.jsonl"])
  }

  @Test func theSameBytesForAnyOrderAndAnyJobs() throws {
    let (fixture, inputs) = try fixture()
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
          RunFiles.rejects,
          RunFiles.manifest,
        ]
        #expect(Set(bytes.keys) == Set(files + parts))
        if let expected {
          #expect(bytes.keys.sorted() == expected.keys.sorted())
          for (path, content) in bytes {
            #expect(content == expected[path], "\(path), \(partitions) partitions, \(jobs) jobs")
          }
        }
        expected = bytes
      }
    }
  }

  @Test func partitionsAndSpeedOptionsDoNotChangeWhatIsPublished() throws {
    let (fixture, inputs) = try fixture()
    try fixture.run(inputs, to: "one") { $0.snapshot.partitions = 1 }
    try fixture.run(inputs, to: "many") {
      $0.snapshot.partitions = 5
      $0.read.jobs = 3
      $0.publish.level = 3
    }
    #expect(
      try fixture.scratch.bytes("one/event_counts.csv")
        == fixture.scratch.bytes("many/event_counts.csv"))
    #expect(try fixture.text("one/rejects.ndjson.zst") == fixture.text("many/rejects.ndjson.zst"))
    func profiles(_ output: String) throws -> [String] {
      try fixture.scratch.files(below: output).filter { $0.hasPrefix("profiles/") }.flatMap {
        try fixture.text("\(output)/\($0)").split(separator: 0x0A).map {
          String(decoding: $0, as: UTF8.self)
        }
      }.sorted()
    }
    #expect(try profiles("one") == profiles("many"))
    #expect(try profiles("one").count > 40)
  }

  /// Two nights are what both logs give at once, to the byte (data-model 13).
  @Test(arguments: [1, 4])
  func twoNightsAreBothAtOnce(partitions: Int) throws {
    let fixture = try RunFixture()
    try fixture.log(Sample.log(seed: 5, count: 600), "first.ndjson")
    try fixture.log(Sample.log(seed: 6, count: 600), "second.ndjson")
    func set(_ options: inout RunOptions) {
      options.snapshot.partitions = partitions
      options.snapshot.dedupeDays = 30
    }
    let both = try fixture.run(["first.ndjson", "second.ndjson"], to: "both", set)
    for (order, nights) in [["first", "second"], ["second", "first"]].enumerated() {
      let one = try fixture.run(["\(nights[0]).ndjson"], to: "one-\(order)") {
        set(&$0)
        $0.read.jobs = 2
      }
      let two = try fixture.run(["\(nights[1]).ndjson"], to: "two-\(order)", after: "one-\(order)")
      {
        set(&$0)
      }
      var ledger = one.ledger
      ledger.add(two.ledger)
      #expect(ledger == both.ledger, "\(nights)")
      let expected = try fixture.bytes(of: "both")
      for (path, content) in try fixture.bytes(of: "two-\(order)")
      where path.hasPrefix("profiles/") || path.hasPrefix("state/") || path.hasPrefix("event_") {
        #expect(content == expected[path], "\(path), \(nights)")
      }
      let manifest = try fixture.json("two-\(order)/manifest.json")
      #expect(manifest["previous_state"]?.items.count == partitions + 1)
    }
  }

  /// Tables and installations that do not fit are spilled; the result is the same.
  @Test func memoryDoesNotMatter() throws {
    let fixture = try RunFixture()
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
      options.snapshot.dedupeDays = 3
      options.snapshot.partitions = 2
    }
    try fixture.run(["1.ndjson"], to: "night", set)
    try fixture.run(["1.ndjson", "2.ndjson"], to: "expected", set)
    let expected = try fixture.bytes(of: "expected")
    try fixture.run(["1.ndjson", "2.ndjson"], to: "once") {
      set(&$0)
      $0.read.memory = 1
    }
    try fixture.run(["2.ndjson"], to: "next", after: "night") {
      set(&$0)
      $0.read.memory = 1
    }
    for (path, bytes) in try fixture.bytes(of: "once") where !RunFiles.reports.contains(path) {
      #expect(bytes == expected[path], "\(path)")
    }
    for (path, bytes) in try fixture.snapshot(of: "next") {
      #expect(bytes == expected[path], "\(path)")
    }
  }

  @Test func theNightMayReplaceWhatItGoesOnFrom() throws {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a")], "1.ndjson")
    try fixture.log([Sample.event("u", "a", day: 2)], "2.ndjson")
    try fixture.run(["1.ndjson"], to: "out")
    try fixture.run(["2.ndjson"], to: "out", after: "out") { $0.publish.replace = true }
    #expect(try fixture.lines("out/event_counts.ndjson")[0]["count"]?.integer == 2)
    try fixture.expectOnly(["1.ndjson", "2.ndjson", "out"])
  }

  @Test func aSummaryTellsWhatHappened() throws {
    let fixture = try RunFixture()
    let log = [
      Sample.event("u", "a", id: "1"), Sample.event("u", "a", id: "1"), Sample.event("v", "-"), "",
      "{",
      #"{"name":"b","label":" ","time":\#(Sample.time)}"#,
    ]
    try fixture.log(log, "a.ndjson")
    let summary = try fixture.run(["a.ndjson"], to: "out")
    #expect(summary.ledger.lines == 6 && summary.ledger.blank == 1)
    #expect(summary.ledger.records == 4 && summary.ledger.rejectedLines == 1)
    #expect(summary.ledger.events == 4 && summary.ledger.accepted == 2)
    #expect(summary.ledger.rejected == 1 && summary.ledger.duplicates == 1)
    #expect(summary.profiles == 1 && summary.eventNames == 2)
    #expect(
      summary.facts.linesWithRejects == 2 && summary.facts.losses.total == 1 && summary.lost.isEmpty
    )
    #expect(summary.bytes == log.joined(separator: "\n").utf8.count + 1)
  }

  @Test(arguments: ["", "\n", " \n\t\r\n\r\n", "\u{FEFF}", "  "])
  func nothingToDoIsAnOutput(content: String) throws {
    let fixture = try RunFixture()
    try fixture.scratch.write(content, to: "a.ndjson")
    let summary = try fixture.run(["a.ndjson"], to: "out") {
      $0.snapshot.partitions = 2
      $0.read.jobs = 2
    }
    #expect(summary.ledger.lines == summary.ledger.blank && summary.ledger.records == 0)
    #expect(summary.profiles == 0 && summary.eventNames == 0)
    #expect(try fixture.scratch.bytes("out/event_counts.ndjson").isEmpty)
    #expect(try fixture.text("out/rejects.ndjson.zst").isEmpty)
    #expect(try fixture.lines(of: "profiles", in: "out").isEmpty)
    // The next night can continue from it.
    try fixture.log([Sample.event("u", "a")], "b.ndjson")
    let next = try fixture.run(["b.ndjson"], to: "next", after: "out")
    #expect(next.profiles == 1)
  }

  @Test func valuesCanBeLeftOutOfProfilesOnly() throws {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a", attributes: #"{"x":1}"#)], "a.ndjson")
    try fixture.log([Sample.event("v", "a")], "b.ndjson")
    try fixture.run(["a.ndjson"], to: "one") { $0.snapshot.withValues = false }
    let profile = try #require(try fixture.lines(of: "profiles", in: "one").first)
    #expect(profile["events"]?["a"]?.names == ["count", "first_seen", "last_seen"])
    try fixture.run(["b.ndjson"], to: "two", after: "one")
    let later = try #require(try fixture.lines(of: "profiles", in: "two").first)
    #expect(later["events"]?["a"]?["value"] == .object([.init(name: "x", value: .number("1"))]))
  }

  @Test func onlyTheDialectAskedForIsTaken() throws {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a"), #"{"name":"b","time":\#(Sample.time)}"#], "a.ndjson")
    let summary = try fixture.run(["a.ndjson"], to: "out") { $0.read.rules.dialect = .v1 }
    #expect(summary.ledger.rejectedLines == 1 && summary.ledger.accepted == 1)
    let reject = try #require(try fixture.lines("out/rejects.ndjson.zst").first)
    #expect(
      reject["dialect"]?.text == "v2" && reject["reasons"]?[0]?["code"]?.text == "wrong_dialect")
  }
}
