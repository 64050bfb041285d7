import TestSupport
import Testing

@testable import Stages

/// Accepted dates outside of 1900 to 2100 get a remark, and nothing else changes (data-model 19).
struct RemarkTests {
  private func remarks(_ line: String, _ rules: Rules = Rules()) throws -> [String] {
    let explained = try StageHarness().explain(line, rules)
    return (explained.value["remarks"]?.items ?? []).map {
      "\($0["path"]?.text ?? "?") \($0["code"]?.text ?? "?")"
    }
  }

  private static func event(_ attributes: String) -> String {
    #"""
    {"identifiers":{"custom_id":"u"},"events":[{"name":"a","time":"2024-05-02T09:15:00Z"},{"name":\#
    "b","time":"2024-05-02T09:15:00Z","attributes":{\#(attributes)}}]}
    """#
  }

  private static func update(_ attributes: String) -> String {
    #"{"identifiers":{"custom_id":"u"},"time":"2024-05-02T09:15:00Z","attributes":{\#(attributes)}}"#
  }

  @Test(arguments: [
    (#""1899-12-31T23:59:59.999Z""#, true), (#""1900-01-01T00:00:00.000Z""#, false),
    (#""2100-12-31T23:59:59.999Z""#, false), (#""2101-01-01T00:00:00.000Z""#, true),
    (#""2100-12-31T23:30:00-01:00""#, true), (#""0001-01-01T00:00""#, true),
    ("-2208988801", true), ("-2208988800", false), ("4133980799.9", false), ("4133980800", true),
    (#""2567-05-02T09:15:00.000Z""#, true), ("null", false),
  ]) func theYearDecides(value: String, isRemarkable: Bool) throws {
    let path = "attributes.date(joined) implausible_date"
    #expect(try remarks(Self.update(#""date(Joined)":\#(value)"#)) == (isRemarkable ? [path] : []))
    guard value != "null" else { return }
    let event = try remarks(Self.event(#""date(Joined)":\#(value)"#))
    #expect(event == (isRemarkable ? ["events[1].\(path)"] : []))
  }

  private static let far = #""2567-05-02T09:15:00.000Z""#

  @Test func datesAtEveryDepthAreFound() throws {
    let line = Self.event(
      #""a":{"date(b)":\#(Self.far)},"c":[{"date(d)":1},{"date(d)":\#(Self.far)}]"#)
    #expect(
      try remarks(line) == [
        "events[1].attributes.a.date(b) implausible_date",
        "events[1].attributes.c[1].date(d) implausible_date",
      ])
  }

  @Test func everyFormOfARecordHasThem() throws {
    let path = "date(joined) implausible_date"
    let time = #""time":"2024-05-02T09:15:00Z""#
    #expect(
      try remarks(#"{"id":"u",\#(time),"update":{"values":{"date(u.joined)":\#(Self.far)}}}"#)
        == ["attributes.\(path)"])
    #expect(
      try remarks(#"{"custom_id":"u","name":"n",\#(time),"attributes":{"date(joined)":-9e9}}"#)
        == ["attributes.\(path)"])
    let sdk = #"""
      {"id":"e-1","sDate":"2024-05-02T09:15:00.000Z","name":"E.A","ids":{"di":"i","cus":"u"},\#
      "params":{"attributes":{"joined.t":-9000000000000,"o.o":{"deep.t":-9000000000000}}}}
      """#
    #expect(
      try remarks(sdk) == [
        "attributes.\(path)", "attributes.o.date(deep) implausible_date",
      ])
  }

  /// A remark is about what is kept.
  @Test func whatIsNotAcceptedHasNone() throws {
    #expect(try remarks(Self.event(#""date(a)":\#(Self.far),"b":null"#)) == [])
    #expect(try remarks(Self.update(#""date(a)":"99999-05-02T09:15:00Z""#)) == [])
    var rules = Rules()
    rules.until = 0
    #expect(try remarks(Self.event(#""date(a)":\#(Self.far)"#), rules) == [])
    // The sixteenth attribute by key is dropped, and an overwritten value is not read.
    rules = Rules()
    rules.v1 = .lenient
    let others = (10..<25).map { #""a\#($0)":1,"# }.joined()
    let line = #"""
      {"custom_id":"u","name":"n","time":"2024-05-02T09:15:00Z","attributes":{\#(others)\#
      "date(z)":\#(Self.far)}}
      """#
    #expect(try remarks(line, rules) == [])
    #expect(try remarks(Self.update(#""date(a)":\#(Self.far),"A":1"#)) == [])
  }
}
