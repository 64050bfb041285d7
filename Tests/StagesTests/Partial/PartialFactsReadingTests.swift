@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Forged or damaged facts are refused with a reason. No number in them overflows a sum.
@Suite struct PartialFactsReadingTests {
  private static let zeros =
    #"{"lines":{"total":0,"blank":0,"records":0,"rejected_lines":0},"events":{"total":0,"accepted":0,"rejected":0,"duplicates":0,"suppressed":0},"operations":{"total":0,"applied":0,"refused":0}}"#

  /// Facts with these fields instead of the usual ones.
  private static func text(_ members: [String: String]) -> [UInt8] {
    let usual = [
      "eventmill_facts": "\(PartialFile.formatVersion)",
      "inputs": #"[{"path":"a","ledger":\#(zeros)}]"#,
      "lines_with_rejects": "0", "reasons": "[]", "losses": "[]", "unknown_fields": "{}",
      "other_unknown_fields": "0",
      "attributes": #"["age"]"#, "events": "[]", "duplicates": "[]", "hours": "[]",
    ]
    let all = usual.merging(members) { _, new in new }.sorted { $0.key < $1.key }
    return Array(("{" + all.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}").utf8)
  }

  private static func why(_ members: [String: String]) throws -> String? {
    do {
      _ = try PartialFacts(text: text(members))
      return nil
    } catch let error as FactsDamage {
      return error.why
    }
  }

  @Test func usualFactsAreRead() throws { #expect(try Self.why([:]) == nil) }

  /// Suppressed events have a day and no hour.
  @Test(arguments: 0...3)
  func daysMayCountTheSuppressedEventsToo(events: Int) throws {
    let ledger = Self.zeros.replacing("\"suppressed\":0", with: "\"suppressed\":2")
    let why = try Self.why([
      "inputs": #"[{"path":"a","ledger":\#(ledger)}]"#,
      "read_days": events == 0 ? "[]" : "[[10957,\(events),946684800000]]",
    ])
    #expect((why == nil) == (events <= 2))
  }

  @Test(arguments: [
    ("eventmill_facts", "2", "it has a format that this program does not read"),
    ("inputs", "[{}]", "an input has no path"),
    ("inputs", #"[{"path":"a"}]"#, "lines.total of a ledger is not a count"),
    (
      "inputs", #"[{"path":"a","compression":"rot13","ledger":\#(zeros)}]"#,
      "an input has an unknown compression or no hash"
    ),
    (
      "inputs", #"[{"path":"a","lost":{"kind":"?"},"ledger":\#(zeros)}]"#,
      "a lost input has no reason"
    ),
    (
      "inputs", #"[{"path":"b","ledger":\#(zeros)},{"path":"a","ledger":\#(zeros)}]"#,
      "inputs are not in order"
    ),
    (
      "inputs", #"[{"path":"a","ledger":\#(zeros)},{"path":"a","ledger":\#(zeros)}]"#,
      "inputs are not in order"
    ),
    (
      "inputs", #"[{"path":"a","ledger":\#(zeros),"dialects":{"V9":1}}]"#,
      "the dialect V9 is unknown"
    ),
    (
      "inputs", #"[{"path":"a","ledger":\#(zeros),"dialects":{"v1":-1}}]"#,
      "a count of lines is not a count"
    ),
    ("internal_events", #"{"_A":-1}"#, "internal_events is not a count"),
    ("ignored_actions", #"{"x":"1"}"#, "ignored_actions is not a count"),
    ("logouts", "-1", "logouts is not a count"),
    ("lines_with_rejects", "-1", "lines_with_rejects is not a count"),
    ("lines_with_rejects", "9223372036854775807", "lines_with_rejects is not a count"),
    ("unknown_fields", #"{"a":281474976710657}"#, "unknown_fields is not a count"),
    ("reasons", #"[{"code":"no_such_code"}]"#, "a reason code is unknown"),
    ("reasons", #"[{"code":"bad_name","count":1,"samples":[]}]"#, "bad_name has no sample"),
    (
      "losses", #"[{"code":"bad_name","count":1,"samples":[{"input":1,"line":1,"path":""}]}]"#,
      "a sample of bad_name is incomplete"
    ),
    ("attributes", #"["e\u0301"]"#, "an attribute key is invalid"),
    ("attributes", #"["b","a"]"#, "names are not in order"),
    ("attributes", #"["a","a"]"#, "names are not in order"),
    ("events", #"[{"name":"A"}]"#, "the name of an event is invalid"),
    ("events", #"[{"name":""}]"#, "the name of an event is invalid"),
    (
      "events", #"[{"name":"a","count":1,"duplicates":0,"first":5,"last":4}]"#,
      "the times of a are invalid"
    ),
    (
      "events", #"[{"name":"a","count":1,"duplicates":0,"last":1714521600000}]"#,
      "the times of a are invalid"
    ),
    (
      "events", #"[{"name":"a","count":1,"duplicates":0,"source_names":["b","A"]}]"#,
      "the source names of a are not a short sorted list of names"
    ),
    (
      "events",
      #"[{"name":"a","count":1,"duplicates":0,"first":1714521600000,"last":1714521600000,"dialects":{"V 0":1}}]"#,
      "the dialect V 0 is unknown"
    ),
    ("duplicates", "[[1,2,true]]", "duplicates are not a list of pairs"),
    ("duplicates", "[[-1,2,true,1]]", "duplicates are not a list of pairs"),
    ("hours", "[[1,1]]", "hours are not counts per hour"),
    ("hours", "{}", "hours are not counts per hour"),
    ("read_days", "[[10957,1]]", "read_days are not counts per day, each with a time of that day"),
    (
      "read_days", "[[10957,1,946598400000]]",
      "read_days are not counts per day, each with a time of that day"
    ),
    (
      "read_days", "[[10957,1,946684800000],[10957,1,946684800000]]",
      "read_days are not counts per day, each with a time of that day"
    ),
    ("read_days", "[[10957,1,946684800000]]", "days and hours count different events"),
  ])
  func whatNobodyHasWrittenIsRefused(_ member: String, _ value: String, _ why: String) throws {
    #expect(try Self.why([member: value]) == why)
  }

  /// Each count may be believed, but not all of them: their sum would not fit an integer.
  @Test func countsThatDoNotFitTogetherAreRefused() throws {
    let most = FrameLayout.maximumCount
    let count = Int.max / most + 1
    let pairs = Array(repeating: "[1,2,true,\(most)]", count: count).joined(separator: ",")
    #expect(try Self.why(["duplicates": "[\(pairs)]"]) == "its counts exceed what logs can hold")
    let codes = Array(
      repeating:
        #"{"code":"bad_name","count":\#(most),"samples":[{"input":0,"line":1,"path":""}]}"#,
      count: 17)
    #expect(
      try Self.why(["reasons": "[\(codes.joined(separator: ","))]"])
        == "its counts exceed what logs can hold")
    let hours = (0..<17).map { "[\(HourCounts.range.lowerBound + $0),\(most / 17)]" }
    #expect(
      try Self.why([
        "hours": "[\(hours.joined(separator: ","))]",
        "read_days": "[[10957,\(most / 17 * 17),946684800000]]",
      ]) == nil)
  }

  @Test func changedFactsAreRefusedOrReadAndAddUp() throws {
    let fixture = try FactsFixture()
    try fixture.runs.fixture.log(FactsFixture.log("a", lines: 3), "a.ndjson")
    let facts = try fixture.facts(["a.ndjson"])
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    let text = Array(facts.text.utf8)
    let figures = [
      "-1", "9223372036854775807", "-9223372036854775808", "281474976710656", "1e9", "0",
    ]
    var read = 0
    for number in 0..<1500 {
      let changed =
        number % 2 == 0
        ? Mutations.mutate(text, &random) : Mutations.withOtherNumber(text, figures, &random)
      guard let other = try? PartialFacts(text: changed) else { continue }
      read += 1
      let merged = PartialFacts(merging: [other, facts])
      #expect(try PartialFacts(text: Array(other.text.utf8)).text == other.text, "seed \(seed)")
      _ = (merged.tally.total, merged.totals.accepted, merged.hours.events)
    }
    #expect(read > 0, "seed \(seed)")
  }
}
