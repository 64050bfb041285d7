@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Nights in any order, partials, a migration and `count` give what one run over all logs gives
/// (data-model 13).
@Suite struct WaysOfRunningConcurrencyTests {
  struct Logs: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let logs: [[String]]
    var change: @Sendable (inout RunOptions) -> Void = { _ in }
  }

  /// Two or three logs that share people, installations and deliveries of events.
  private static func random(_ what: String, since: Int? = nil, until: Int? = nil) -> Logs {
    let seed = UInt64.random(in: 0...UInt64.max)
    var log = RandomLog(seed: seed)
    let logs = (0..<3).map { _ in log.lines(130) }
    return Logs(testDescription: "\(what), seed \(seed)", logs: logs) {
      ($0.read.rules.since, $0.read.rules.until) = (since, until)
    }
  }

  /// A measurement line, whose event may have no time and has a name of its source.
  private static func bolts(_ name: String, _ fields: String...) -> String {
    let fields = ["\"userInfo\":{\"event_name\":\"\(name)\",\"event_args\":{\"a\":1}}"] + fields
    return "{\"name\":\"com.parse.bolts.measurement_event\",\(fields.joined(separator: ","))}"
  }

  private static let sourceNames: Logs = {
    let (person, id) = (
      "\"custom_id\":\"u\"", "\"event_id\":\"0f8fad5b-d9cb-469f-a165-70867728950e\""
    )
    return Logs(
      testDescription: "names of sources",
      logs: [
        [
          bolts("Nav/In", person), bolts("Nav/In", person, "\"timestamp\":1714641300000"),
          bolts("nav in", person), bolts("nav_in"), bolts("Open", person, id),
        ],
        [
          bolts("NAV-IN", person), bolts("Nav.In"), bolts("nav!in"), bolts("nav+in", person),
          bolts("Open", person, id), bolts("al_nav", "\"install_id\":\"i\""),
        ],
      ])
  }()

  /// Two telephones with wrong clocks, and events that are repeated after theirs.
  private static func wrongClocks(withDays: Bool) -> Logs {
    func event(_ id: Int, _ time: String) -> String {
      #"{"id":"e\#(id)","custom_id":"u\#(id % 7)","name":"a","time":"\#(time):00:00Z"}"#
    }
    let day = (0..<10).map { event($0, "2024-05-01T0\($0)") }
    let wrong = [event(99, "2062-01-01T00"), event(98, "2010-01-01T00")]
    let next = (10..<15).map { event($0, "2024-05-02T01") }
    return Logs(
      testDescription: "wrong clocks, days \(withDays)",
      logs: [Array(day[..<5]), day[5...] + wrong, day[5...] + next]
    ) { $0.snapshot.withDays = withDays }
  }

  private static let all = [
    random("random"), random("filtered", since: 1_714_694_400_000, until: 1_715_040_000_000),
    Logs(
      testDescription: "several blocks",
      logs: [Sample.log(seed: 5, count: 900), Sample.log(seed: 6, count: 300)]),
    sourceNames, wrongClocks(withDays: true), wrongClocks(withDays: false),
  ]

  @Test(arguments: all)
  func everyWayGivesTheSame(_ logs: Logs) throws {
    let runs = try PartialRuns()
    let fixture = runs.fixture
    let names = logs.logs.indices.map { "\($0).ndjson" }
    for (name, lines) in zip(names, logs.logs) { try fixture.log(lines, name) }
    func set(_ options: inout RunOptions) {
      options.snapshot.partitions = 2
      options.snapshot.dedupeDays = 9
      logs.change(&options)
    }
    let whole = try fixture.run(names, to: "whole", set)
    #expect(whole.bytes == logs.logs.joined().reduce(0) { $0 + $1.utf8.count + 1 })
    // What is filtered is not nothing.
    #expect((whole.ledger.outside > 0) == logs.testDescription.hasPrefix("filtered"))
    let expected = try fixture.snapshot(of: "whole")

    let orders: [[String]] = [names, names.reversed(), Array(names.dropFirst() + names.prefix(1))]
    for (number, order) in orders.enumerated() {
      var ledger = Ledger()
      var last: String?
      for name in order {
        let summary = try fixture.run([name], to: "\(number)-\(name)", after: last) {
          set(&$0)
          // What another level has compressed is read, not copied.
          if number == 1, last == nil { $0.publish.level = 2 }
        }
        ledger.add(summary.ledger)
        last = "\(number)-\(name)"
      }
      #expect(ledger == whole.ledger, "\(order)")
      let found = try fixture.snapshot(of: try #require(last))
      let different = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
      #expect(different.sorted() == [], "\(order)")
    }

    for name in names { try runs.partial([name], to: "of-\(name)", set) }
    try runs.mergeAll(names.reversed().map { "of-\($0)" }, partitions: 2, to: "merged", set)
    try runs.expectSame("merged", "whole", "partials")

    try fixture.migrate(names, to: "archive", verifies: true, set)
    try fixture.run(["archive"], to: "migrated") { $0.snapshot.partitions = 2 }
    for path in expected.keys where path.hasPrefix("profiles/") || path == RunFiles.countsCSV {
      #expect(try fixture.text("migrated/\(path)") == fixture.text("whole/\(path)"), "\(path)")
    }

    for jobs in [1, 4] {
      var options = fixture.options(names.reversed(), to: "")
      set(&options)
      options.read.jobs = jobs
      let counted = try CountJob(options.read, control: JobControl()).run()
      #expect(counted.read.facts.total == whole.ledger && counted.read.bytes == whole.bytes)
      var text = ByteBuffer()
      counted.lines.appendJSON(to: &text)
      try fixture.scratch.write(text.view.array, to: "counted.ndjson")
      let (found, lines) = (
        try fixture.lines("counted.ndjson"), try fixture.lines("whole/event_counts.ndjson")
      )
      #expect(found.map { $0["name"] } == lines.map { $0["name"] })
      for (found, line) in zip(found, lines) {
        #expect(found.names == line.names.filter { $0 != "profiles" })
        for key in line.names where key != "profiles" { #expect(found[key] == line[key], "\(key)") }
      }
    }
  }

  @Test func countsHaveTheNamesOfSources() throws {
    let fixture = try RunFixture()
    try fixture.log(Array(Self.sourceNames.logs.joined()), "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    #expect(
      try fixture.scratch.text("out/event_counts.ndjson") == #"""
        {"name":"al_nav","count":1,"profiles":1,"duplicates":0,"dialects":{"bolts":1}}
        {"name":"nav_in","count":8,"first_seen":"2024-05-02T09:15:00.000Z",\#
        "last_seen":"2024-05-02T09:15:00.000Z","profiles":1,"duplicates":0,"dialects":{"bolts":8},\#
        "source_names":["NAV-IN","Nav.In","Nav/In","nav in","nav!in"]}
        {"name":"open","count":1,"profiles":1,"duplicates":1,"dialects":{"bolts":2},"source_names":["Open"]}

        """#)
  }
}
