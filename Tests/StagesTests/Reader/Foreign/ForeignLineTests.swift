import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Lines of the further dialects that vectors cannot hold: large ones, and what is noted beside the
/// record.
@Suite struct ForeignLineTests {
  private let harness = StageHarness()

  // MARK: - Large lines

  /// A list of a million items, or an object of a million fields, takes linear time.
  @Test func longListsAreCutAtOnce() throws {
    let items = Array(repeating: #"{"timestamp":1714641300000}"#, count: 20_000)
      .joined(separator: ",")
    let keys = (0..<20_000).map { "\"k\($0)\":\"s\"" }.joined(separator: ",")
    let found = try harness.explain(
      #"{"event_type":"e","timestamp":1714641300000,"sub_sids":{\#(keys)},"data":{"metadata":{\#(keys)},"#
        + #""previous_events":[\#(items)],"params":[\#(items)]}}"#)
    #expect(
      found.lossCodes == ["array_truncated", "attributes_truncated", "too_many:previous_events"])
  }

  /// So do equal keys, of attributes and of fields that become them: sixteen times as many may
  /// take sixteen times as long, not 256 times.
  @Test(arguments: [
    (#"{"user_id":"u","name":"n","time":1714641300000,"attributes":"#, ""),
    (#"{"timestamp":1714641300000,"userInfo":{"event_name":"n","event_args":"#, "}"),
  ])
  func equalKeysTakeLinearTime(beginning: String, end: String) throws {
    let rules = try Rules(options: ["--unknown-fields", "keep"])
    func seconds(_ count: Int) throws -> Double {
      func equal(_ key: String) -> String {
        Array(repeating: "\"\(key)\":1", count: count).joined(separator: ",")
      }
      let line = "\(beginning){\(equal("k"))}\(end),\(equal("x"))}"
      let start = ThreadClock.seconds
      let found = try harness.explain(line, rules)
      let seconds = ThreadClock.seconds - start
      let attributes = found.value["canonical"]?["events"]?[0]?["attributes"]
      #expect(attributes?.compact() == #"{"k":1,"x":1}"#)
      return seconds
    }
    let (few, many) = (try seconds(4000), try seconds(64_000))
    #expect(many < 80 * few, "\(few) s, then \(many) s")
  }

  /// The attributes and losses of a line of `realm` with `payload` as a text in `data`.
  private func realm(_ event: String, _ payload: String) throws -> (NaiveJSON?, [String]) {
    var text = ByteBuffer()
    text.appendJSONString(payload)
    let found = try harness.explain(
      #"{"_id":"e","timestamp":"2024-05-02T09:15:00.000Z","activity":"a","event":"\#(event)","#
        + #""data":\#(text.view.text)}"#)
    return (found.value["canonical"]?["events"]?[0]?["attributes"]?["data"], found.losses)
  }

  @Test func aRecordOfSeventeenMebibytes() throws {
    let text = String(repeating: "0123456789abcdef", count: 17 << 16)
    let (data, losses) = try realm("read", #"{"type":"P","value":[{"b":"\#(text)","a":1}]}"#)
    #expect(data?["count"]?.integer == 1)
    #expect(data?["value"]?[0]?["a"]?.integer == 1)
    #expect(data?["value"]?[0]?["b"]?.text?.utf8.count == 300)
    #expect(losses == ["data.value[0].b string_truncated"])
  }

  /// Payloads that would take quadratic time if names were compared as whole texts, or fields
  /// pairwise.
  @Test func awkwardPayloads() throws {
    func modified(_ name: String, _ fields: some Sequence<String>) -> String {
      #""\#(name)":{"modifications":[{"oldValue":{},"newValue":{\#(fields.joined(separator: ","))}}]}"#
    }
    let (data, _) = try realm(
      "write", "{\(modified("P", (0..<40_000).map { #""k\#(40_000 - $0)":\#($0)"# }))}")
    #expect(data?["changed"]?.items.prefix(3).map(\.text) == ["P.k1", "P.k10", "P.k100"])
    let name = String(repeating: "n", count: 1 << 18)
    let classes = (0..<8).map { modified("\(name)\($0)", (0..<5_000).map { #""p\#($0)":1"# }) }
    let (named, losses) = try realm("write", "{\(classes.joined(separator: ","))}")
    #expect(named != nil)
    #expect(
      StageHarness.Explained.codes(of: losses)
        == ["array_truncated", "attributes_truncated", "string_truncated"])
    let deep = String(repeating: #"{\"x\":["#, count: 100_000)
    #expect(try realm("write", deep).1.contains("data payload_not_json"))
  }

  /// A line with long attributes and many items does not cost the product of both.
  @Test func attributesThatEventsShareAreBounded() throws {
    let text = Array(repeating: "\"\(Sample.text(300))\"", count: 25).joined(separator: ",")
    let shared = (0..<15).map { "\"k\($0)\":[\(text)]" }.joined(separator: ",")
    let items = (0..<60).map { "{\"n\":\"e\($0)\"}" }.joined(separator: ",")
    let found = try harness.explain(
      #"{"u":"u","t":1714641300000,"f":"x","a":{\#(shared)},"l":[\#(items)]}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"shop","match":"/u","custom_id":"/u","time":"/t","lines":{
           "unroll":"/l","name":"/l/*/n","attributes":["/a","/l/*/a"],"fields":{"f":"/f"}}}
          """#))
    let with = found.value["canonical"]?["events"]?.items.count { $0["attributes"] != nil } ?? 0
    #expect(found.outcome == "accepted" && 10..<60 ~= with)
    #expect(found.losses == (with..<60).map { "events[\($0)].attributes attributes_truncated" })
  }
}
