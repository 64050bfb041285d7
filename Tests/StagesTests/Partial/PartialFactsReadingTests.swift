@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Forged or damaged facts are refused with a reason. No number in them overflows a sum.
@Suite struct PartialFactsReadingTests {
  private static let input =
    #"{"path":"a","ledger":{"lines":{"total":0,"blank":0,"records":0,"rejected_lines":0},"#
    + #""events":{"total":0,"accepted":0,"rejected":0,"duplicates":0,"suppressed":0},"#
    + #""operations":{"total":0,"applied":0,"refused":0}},"dialects":{}}"#

  private static let skipped =
    #"{"path":"b","bytes":1,"xxh64":"0000000000000000","#
    + #""content":{"bytes":1,"xxh64":"0000000000000000","first_line":"0000000000000000"},"as":"a"}"#

  /// Facts with these fields instead of the usual ones.
  private static func text(_ members: [String: String]) -> [UInt8] {
    let usual = [
      "eventmill_facts": "\(PartialFile.formatVersion)", "inputs": "[\(input)]",
      "lines_with_rejects": "0", "reasons": "[]", "losses": "[]", "unknown_fields": "{}",
      "other_unknown_fields": "0", "attributes": #"["age"]"#, "events": "[]", "duplicates": "[]",
      "read_days": "[]", "hours": "[]",
    ]
    let all = usual.merging(members) { _, new in new }.sorted { $0.key < $1.key }
    return Array(("{" + all.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}").utf8)
  }

  private static func why(_ members: [String: String]) throws -> String? {
    do {
      _ = try PartialFacts(text: text(members))
      return nil
    } catch let error as DocumentDamage {
      return error.why
    }
  }

  @Test func usualFactsAreRead() throws { #expect(try Self.why([:]) == nil) }

  /// Suppressed events have a day and no hour.
  @Test(arguments: 0...3)
  func daysMayCountTheSuppressedEventsToo(events: Int) throws {
    let input = Self.input.replacing("\"suppressed\":0", with: "\"suppressed\":2")
    let why = try Self.why([
      "inputs": "[\(input)]",
      "read_days": events == 0 ? "[]" : "[[10957,\(events),946684800000]]",
    ])
    #expect((why == nil) == (events <= 2))
  }

  private static let event = #""name":"a","count":1,"duplicates":0,"dialects":{}"#

  /// What no single row can check. A reason begins with "it", or behind the field.
  @Test(arguments: [
    ("inputs", "\(input),\(input)", " is not in order"),
    ("skipped", "\(skipped),\(skipped)", " is not in order"),
    (
      "inputs", input.replacing("{}", with: #"{"V9":1}"#),
      ".dialects has the dialect V9, which is unknown"
    ),
    ("reasons", #"{"code":"no_such_code"}"#, ".code is not the code of a reason"),
    ("reasons", #"{"code":"bad_name","count":1,"samples":[]}"#, " has no sample of bad_name"),
    (
      "losses", #"{"code":"bad_name","count":1,"samples":[{"input":1,"line":1,"path":""}]}"#,
      "it has a sample of an input that does not exist"
    ),
    ("attributes", #""e\u0301""#, " has an invalid key"),
    ("attributes", #""b","a""#, " is not in order"),
    ("attributes", #""a","a""#, " is not in order"),
    ("events", #"{"name":"A"}"#, ".name is not the name of an event"),
    ("events", #"{"name":""}"#, ".name is not the name of an event"),
    ("events", "{\(event),\"first\":5,\"last\":4}", " has times that are not possible"),
    ("events", "{\(event),\"last\":1714521600000}", " has times that are not possible"),
    (
      "events", "{\(event),\"source_names\":[\"b\",\"A\"]}",
      ".source_names is not a short sorted list of names"
    ),
    ("duplicates", "[-1,2,true,1]", " is not a list of pairs of inputs with counts"),
    ("hours", "[1,1]", " is not counts by number, in order"),
    ("read_days", "[10957,1,946598400000]", " is not counts per day, each with a time of that day"),
    (
      "read_days", "[10957,1,946684800000],[10957,1,946684800000]",
      " is not counts per day, each with a time of that day"
    ),
    ("read_days", "[10957,1,946684800000]", "it counts other events per day than per hour"),
  ])
  func whatNobodyHasWrittenIsRefused(_ field: String, _ value: String, _ why: String) throws {
    let expected = why.hasPrefix("it ") ? why : "\(field)\(why)"
    #expect(try Self.why([field: "[\(value)]"]) == expected)
  }

  @Test func changedFactsAreRefusedOrReadAndAddUp() throws {
    let fixture = try FactsFixture()
    try fixture.runs.fixture.log(FactsFixture.log("a", lines: 3), "a.ndjson")
    let facts = try fixture.facts(["a.ndjson"])
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = RepeatableRandom(seed: seed)
    let text = Array(facts.text.utf8)
    var read = 0
    for _ in 0..<1500 {
      guard let other = try? PartialFacts(text: Mutations.change(text, &random)) else { continue }
      read += 1
      let merged = PartialFacts(merging: [other, facts])
      #expect(try PartialFacts(text: Array(other.text.utf8)).text == other.text, "seed \(seed)")
      _ = (merged.tally.total, merged.counts.totals.accepted, merged.counts.hours.events)
    }
    #expect(read > 0, "seed \(seed)")
  }
}
