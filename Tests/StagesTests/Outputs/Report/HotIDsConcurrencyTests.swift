@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The ids with the most data of a run: the same for any way of dividing the work, and without
/// those that are erased.
@Suite struct HotIDsConcurrencyTests {
  private let runs: PartialRuns
  private var fixture: RunFixture { runs.fixture }

  init() throws { runs = try PartialRuns() }

  /// User `u` has `u` + 1 events with ids, the first of them delivered twice, on one of four
  /// devices. An installation alone has 30.
  private static func lines(day: Int, users: Int = 25) -> [String] {
    func line(_ ids: String, _ event: Int, _ id: String = "") -> String {
      #"{"identifiers":{\#(ids)},"events":"#
        + #"[{\#(id)"name":"a","time":"2024-05-0\#(day)T00:00:\#(10 + event)Z"}]}"#
    }
    let ofUsers = (0..<users).flatMap { user in
      ([0] + Array(0...user)).map { event in
        let ids = #""custom_id":"u\#(user)","installation_id":"d\#(user % 4)""#
        return line(ids, event, #""id":"\#(event)","#)
      }
    }
    return ofUsers + (0..<30).map { line(#""installation_id":"solo""#, $0) }
  }

  private func hot(_ output: String) throws -> (keys: [String], installations: [String]) {
    let hot = try #require(try fixture.json("\(output)/report.json")["hot_ids"])
    func texts(_ list: String, _ count: String) -> [String] {
      (hot[list]?.items ?? []).map { "\($0["id"]?.text ?? "?") \($0[count]?.integer ?? -1)" }
    }
    return (texts("keys", "events"), texts("installations", "people"))
  }

  private func expect(
    _ output: String, users: Int = 25, location: SourceLocation = #_sourceLocation
  ) throws {
    let found = try hot(output)
    let keys = ["solo 30"] + (0..<users).reversed().prefix(19).map { "u\($0) \($0 + 1)" }
    #expect(found.keys == keys, sourceLocation: location)
    let devices = (0..<4).map { device in (0..<users).count { $0 % 4 == device } }
    let order = (0..<4).sorted { (-devices[$0], $0) < (-devices[$1], $1) }
    #expect(found.installations == order.map { "d\($0) \(devices[$0])" }, sourceLocation: location)
  }

  /// Where there are few profiles or events, an id with a tenth of them is usual.
  @Test(arguments: [
    (999, 150, nil), (1000, 0, nil), (1000, 150, "one id has 13.1 % of the events"),
  ])
  func aVerdictNamesTheShareOfAnID(people: Int, more: Int, sentence: String?) throws {
    let lines = (0..<people).map { user in
      user > 0 && more == 0
        ? #"{"identifiers":{"custom_id":"u\#(user)"},"attributes":{"a":1},"time":"2024-05-01T00:00:00Z"}"#
        : Sample.event("u\(user)", "a")
    }
    try fixture.log(lines + (0..<more).map { _ in Sample.event("u0", "a") }, "a.ndjson")
    #expect(try fixture.run(["a.ndjson"], to: "out").hotIDs == sentence)
  }

  @Test func aCountIsOfSomething() throws {
    for events in 0...1 {
      let text = #"{"keys":[{"kind":"person","id":"a","events":\#(events)}],"installations":[]}"#
      let path = try fixture.scratch.write(text, to: "hot.json")
      let root = try JSONDocument(reading: path, doing: "testing").root
      #expect((HotIDs(orNil: root) != nil) == (events > 0))
    }
  }

  @Test func anyDivisionOfTheWorkGivesTheSame() throws {
    let lines = Self.lines(day: 1)
    try fixture.log(lines, "one.ndjson")
    try fixture.log(stride(from: 0, to: lines.count, by: 2).map { lines[$0] }, "a.ndjson")
    try fixture.log(
      stride(from: 1, to: lines.count, by: 2).reversed().map { lines[$0] }, "b.ndjson")
    try fixture.run(["one.ndjson"], to: "whole")
    try expect("whole")
    try fixture.run(["b.ndjson", "a.ndjson"], to: "halves") {
      ($0.read.jobs, $0.read.memory, $0.snapshot.partitions) = (3, 1, 3)
    }
    try expect("halves")
    for name in ["a", "b"] {
      try runs.partial(["\(name).ndjson"], to: name) { $0.snapshot.partitions = 2 }
    }
    try runs.mergeAll(["a", "b"], partitions: 2, to: "merged")
    try expect("merged")
  }

  /// Only what a run itself accepts counts, whether the state before is copied or read.
  @Test func aNightCountsItsOwn() throws {
    try fixture.log(Self.lines(day: 1), "one.ndjson")
    try fixture.log(Self.lines(day: 2, users: 22) + Self.lines(day: 1, users: 3), "two.ndjson")
    try fixture.run(["one.ndjson"], to: "first") { $0.snapshot.dedupeDays = 30 }
    for (number, partitions) in [1, 2].enumerated() {
      try fixture.run(["two.ndjson"], to: "second-\(number)", after: "first") {
        ($0.snapshot.partitions, $0.snapshot.dedupeDays) = (partitions, 30)
      }
      let found = try hot("second-\(number)")
      // The events of the installation alone have no ids, so they count again.
      #expect(found.keys.prefix(3) == ["solo 60", "u21 22", "u20 21"])
      #expect(found.installations == ["d0 6", "d1 6", "d2 5", "d3 5"])
    }
  }

  @Test func erasedIDsVanish() throws {
    try fixture.log(Self.lines(day: 1), "one.ndjson")
    let requests = try fixture.log(
      [#"{"custom_id":"u24"}"#, #"{"installation_id":"d0"}"#], "requests.ndjson")
    try fixture.run(["one.ndjson"], to: "whole")
    func absence(_ output: String) throws -> [String] {
      try fixture.problems(of: fixture.scratch(output), absent: requests)
    }
    #expect(try absence("whole").contains { $0.contains("report.json") })
    try fixture.erase(from: "whole", to: "erased")
    try fixture.run(["one.ndjson"], to: "suppressed") { $0.merge.erasureRequests = requests }
    for output in ["erased", "suppressed"] {
      let found = try hot(output)
      #expect(found.keys.prefix(2) == ["solo 30", "u23 24"], "\(output)")
      #expect(!found.installations.contains { $0.hasPrefix("d0") }, "\(output)")
      #expect(try absence(output) == [], "\(output)")
    }
    let page = try fixture.scratch.text("suppressed/report.html")
    #expect(page.contains("<code>u23</code>") && !page.contains("<code>u24</code>"))
    #expect(!page.contains("<code>d0</code>"))
  }

  /// People who are erased are not counted as linked; a copy leaves out figures that would be old.
  @Test func erasedPeopleAreNotCounted() throws {
    try fixture.log(Self.lines(day: 1), "one.ndjson")
    let requests = try fixture.log(
      [#"{"custom_id":"u23"}"#, #"{"custom_id":"u22","time":"2024-05-01T00:00:15Z"}"#],
      "requests.ndjson")
    try fixture.run(["one.ndjson"], to: "whole")
    try fixture.erase(from: "whole", to: "copy")
    try fixture.run(["one.ndjson"], to: "suppressed") { $0.merge.erasureRequests = requests }
    for (output, devices) in [("copy", 3), ("suppressed", 4)] {
      let found = try hot(output)
      #expect(found.keys.prefix(3) == ["solo 30", "u24 25", "u21 22"], "\(output)")
      #expect(found.installations == Array(["d0 7", "d1 6", "d2 6", "d3 5"].prefix(devices)))
    }
  }
}
