@testable import Stages
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// `--since` and `--until`: events outside are counted, and nothing else.
@Suite struct TimeFilterTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  /// 2024-05-03 and 2024-05-07.
  private static let (since, until) = (1_714_694_400_000, 1_715_040_000_000)

  private static func filter(_ options: inout RunOptions) {
    options.read.rules.since = since
    options.read.rules.until = until
  }

  /// A random record: the line, and the line without its events outside the filter; nil if that
  /// leaves nothing.
  private static func record(_ random: inout RepeatableRandom) -> (all: String, wanted: String?) {
    func any(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    let who = [
      #""custom_id":"u\#(any(5))""#, #""installation_id":"i\#(any(5))""#,
      #""custom_id":"u\#(any(5))","installation_id":"i\#(any(5))""#, "",
    ][any(4)]
    var events: [(day: Int?, text: String)] = []
    for _ in 0..<any(4) {
      let day = any(9) == 0 ? nil : 1 + any(9)
      let id = any(2) == 0 ? "" : #""id":"\#(any(9))","#
      let time = day.map { #""time":"2024-05-0\#($0)T0\#(any(10)):00:00Z""# } ?? #""untimed":true"#
      events.append((day, #"{\#(id)"name":"n\#(any(3))",\#(time),"attributes":{"a":\#(any(3))}}"#))
    }
    let attributes =
      who.isEmpty || any(3) > 0
      ? "" : #","time":"2024-05-0\#(1 + any(9))T00:00:00Z","attributes":{"k":\#(any(9))}"#
    func line(_ events: [String]) -> String? {
      if events.isEmpty, attributes.isEmpty { return nil }
      let list = events.isEmpty ? "" : #","events":[\#(events.joined(separator: ","))]"#
      return #"{"identifiers":{\#(who)}\#(attributes)\#(list)}"#
    }
    let wanted = events.filter { event in event.day.map { 3..<7 ~= $0 } ?? true }
    return (line(events.map(\.text)) ?? " ", line(wanted.map(\.text)))
  }

  /// The first moment is inside, and the last one is not.
  @Test(arguments: 1...6) func filteringIsRunningOnTheFilteredLog(seed: Int) throws {
    var random = RepeatableRandom(seed: UInt64(seed))
    let records = (0..<300).map { _ in Self.record(&random) }
    try fixture.log(records.map(\.all), "a.ndjson")
    try fixture.log(records.compactMap(\.wanted), "b.ndjson")
    let whole = try fixture.run(["a.ndjson"], to: "a") {
      Self.filter(&$0)
      $0.read.jobs = 2
    }
    let less = try fixture.run(["b.ndjson"], to: "b")
    let (all, wanted) = (whole.ledger, less.ledger)
    #expect(all.outside > 50 && wanted.outside == 0, "seed \(seed)")
    #expect(all.rejected == 0 && whole.facts.linesWithRejects == 0, "seed \(seed)")
    #expect(all.accepted == wanted.accepted && all.applied == wanted.applied, "seed \(seed)")
    #expect(all.duplicates == wanted.duplicates, "seed \(seed)")
    for path in try fixture.bytes(of: "b").keys
    where path.hasPrefix("state/part-") || path.hasPrefix("profiles/") || path.contains("counts") {
      #expect(try fixture.text("a/\(path)") == fixture.text("b/\(path)"), "\(path) \(seed)")
    }
  }
}
