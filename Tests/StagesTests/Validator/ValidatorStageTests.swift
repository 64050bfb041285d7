import TestSupport
import Testing

@testable import Stages

/// How faults of lines, events and operations stand beside each other (data-model 3.1, 16, 7).
@Suite struct ValidatorStageTests {
  static let time = Sample.time

  @Test func allFaultsOfAnEventAreTold() throws {
    let line = try StageHarness().explain(
      #"{"identifiers":{},"events":[{"name":"","time":"x","id":{},"attributes":{"-":1,"a":"","b":[1,"x",{}],"#
        + #""$label":1,"$tags":["",2]}}]}"#)
    #expect(
      line.reasons.map { $0.replacing("event:0 ", with: "") } == [
        "name bad_name", "time invalid_time", "id bad_event_id", "attributes.- bad_key",
        "attributes.a string_empty", "attributes.b[0] wrong_type", "attributes.b array_mixed",
        "attributes.$label wrong_type", "attributes.$tags[0] tag_blank",
        "attributes.$tags[1] wrong_type",
      ])
  }

  @Test func countsAreToldBesideTheItems() throws {
    let items = (0..<26).map { _ in "\"\"" }.joined(separator: ",")
    let line = try StageHarness().explain(
      #"{"identifiers":{},"events":[{"name":"n","time":\#(Self.time),"attributes":{"a":[\#(items)]}}]}"#
    )
    #expect(line.codes == ["array_too_long", "string_empty"] && line.reasons.count == 27)
  }

  @Test func aBadEventLeavesTheOthers() throws {
    let line = try StageHarness().explain(
      #"{"identifiers":{"custom_id":"u"},"time":\#(Self.time),"attributes":{"a":"","b":2},"#
        + #""events":[{"name":"x"},1,{"name":"-"}]}"#)
    #expect(line.outcome == "partial")
    #expect(
      line.reasons == [
        "event:1  wrong_type", "event:2 name bad_name", "operation:0 attributes.a string_empty",
      ])
    #expect(
      line.value["events"]?.items.map { $0["outcome"]?.text } == [
        "accepted", "rejected", "rejected",
      ])
    #expect(line.value["operations"]?.items.map { $0["key"]?.text } == ["a", "b"])
  }

  @Test func bothIDsAreTold() throws {
    let line = try StageHarness().explain(
      #"{"identifiers":{"custom_id":1.5,"installation_id":"a b"},"events":1}"#)
    #expect(
      line.reasons == [
        "line:0 identifiers.custom_id bad_custom_id",
        "line:0 identifiers.installation_id bad_installation_id",
      ])
    #expect(line.value["events"]?.items.isEmpty == true)
  }

  /// The order of the line-level reasons: each line has this fault and all that follow.
  @Test func theFirstLineFaultCounts() throws {
    let harness = StageHarness()
    for (line, code) in [
      (#"{"identifiers":[],"events":1,"attributes":{"a":1}}"#, "no_identity"),
      (#"{"identifiers":{"custom_id":""},"events":1,"attributes":{"a":1}}"#, "bad_custom_id"),
      (#"{"identifiers":{},"events":1,"attributes":{"a":1}}"#, "bad_events"),
      (#"{"identifiers":{},"attributes":{"a":1}}"#, "no_identity"),
    ] {
      #expect(try harness.explain(line).codes == [code], "\(line)")
    }
  }

  @Test func aBadRecordTimeRefusesEveryOperation() throws {
    let line = try StageHarness().explain(
      #"{"identifiers":{"custom_id":"u"},"time":1,"overwrite":true,"attributes":{"a":"","b":1},"#
        + #""events":[{"name":"n"},{"name":"m","time":\#(Self.time)}]}"#)
    #expect(
      line.reasons == [
        "event:0 time time_out_of_range", "operation:0 time time_out_of_range",
        "operation:1 attributes.a string_empty", "operation:1 time time_out_of_range",
        "operation:2 time time_out_of_range",
      ])
    #expect(line.outcome == "partial")
  }

  @Test func aRecordTimeThatNobodyUsesIsNotLookedAt() throws {
    let line = try StageHarness().explain(
      #"{"identifiers":{},"time":"x","events":[{"name":"n","time":\#(Self.time)}]}"#)
    #expect(line.outcome == "accepted")
  }

  @Test func theDefaultTimeStandsInForMissingTimesOnly() throws {
    var rules = Rules()
    rules.defaultTime = 1_714_521_600_000
    let harness = StageHarness()
    #expect(try harness.explain(#"{"name":"n"}"#, rules).outcome == "accepted")
    #expect(try harness.explain(#"{"name":"n","time":null}"#, rules).outcome == "accepted")
    #expect(try harness.explain(#"{"name":"n","time":""}"#, rules).codes == ["invalid_time"])
    #expect(try harness.explain(#"{"name":"n","time":0}"#, rules).codes == ["time_out_of_range"])
    let link = #"{"identifiers":{"custom_id":"u","installation_id":"i"}}"#
    #expect(try harness.explain(link, rules).codes == ["empty_record"], "it makes no link")
  }

  @Test func theWindowIncludesItsEnds() throws {
    var rules = Rules()
    rules.notBefore = 1_714_521_600_000
    rules.notAfter = 1_714_521_600_010
    let harness = StageHarness()
    for (time, isIn) in [
      (1_714_521_599_999, false), (1_714_521_600_000, true), (1_714_521_600_010, true),
      (1_714_521_600_011, false),
    ] {
      let line = try harness.explain(#"{"name":"n","time":\#(time)}"#, rules)
      #expect(line.codes == (isIn ? [] : ["outside_window"]), "\(time)")
    }
    let update = try harness.explain(
      #"{"identifiers":{"custom_id":"u"},"time":1714521599999,"attributes":{"a":1}}"#, rules)
    #expect(update.outcome == "accepted", "the window is for events")
  }

  @Test func theRangeOfEventTimes() throws {
    let harness = StageHarness()
    for (time, code) in [
      (Rules.earliestTime - 1, "time_out_of_range"), (Rules.earliestTime, nil),
      (Rules.endOfTime - 1, nil), (Rules.endOfTime, "time_out_of_range"),
    ] as [(Int, String?)] {
      let line = try harness.explain(#"{"name":"n","time":\#(time)}"#)
      #expect(line.codes == (code.map { [$0] } ?? []), "\(time)")
    }
  }

  @Test func aValueUnderABadKeyIsNotLookedAt() throws {
    let line = try StageHarness().explain(
      #"{"identifiers":{},"events":[{"name":"n","time":\#(Self.time),"attributes":{"-":"","$x":[[]],"a":{"$label":""}}}]}"#
    )
    #expect(line.codes == ["bad_key", "reserved_key"] && line.reasons.count == 3)
  }

  @Test func theLaterOfTwoKeysThatFoldTogetherWins() throws {
    let line = try StageHarness().explain(
      #"{"identifiers":{},"events":[{"name":"n","time":\#(Self.time),"attributes":{"A":"","b":1,"date(a)":0,"url(a)":"x://y"}}]}"#
    )
    let attributes = line.value["canonical"]?["events"]?[0]?["attributes"]
    #expect(line.outcome == "accepted" && attributes?.names == ["b", "url(a)"])
  }

  @Test func manyKeysThatFoldTogether() throws {
    // More than a small object's worth, through the table; only the last twenty are written.
    let keys = (0..<400).map { "\"\($0 % 2 == 0 ? "K" : "k")\($0 % 20)\":\($0)" }
    let line = try StageHarness().explain(
      #"{"identifiers":{},"events":[{"name":"n","time":\#(Self.time),"attributes":{\#(keys.joined(separator: ","))}}]}"#
    )
    let attributes = line.value["canonical"]?["events"]?[0]?["attributes"]
    #expect(attributes?.names == (0..<20).map { "k\($0)" })
    #expect(attributes?["k19"]?.integer == 399)
  }
}
