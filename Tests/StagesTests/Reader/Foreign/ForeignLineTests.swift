import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Lines of the further dialects that vectors cannot hold: large ones, and what is noted beside the
/// record.
@Suite struct ForeignLineTests {
  private let harness = StageHarness()

  @Test func theNameOfTheSourceIsKeptIfItDiffers() throws {
    for (dialect, fields) in [("event_type", #","data":{}"#), ("event_name", "")] {
      for (name, isKept) in [
        ("al_nav_in", false), ("Al_Nav_In", true), ("a/b", true), ("购入", true),
      ] {
        _ = try harness.explain(#"{"\#(dialect)":"\#(name)","timestamp":1714641300000\#(fields)}"#)
        let (batch, source) = (harness.unit.batch, harness.unit.batch.events[0].sourceName)
        let kept = source.exists ? batch.tape.bytes(at: source).text : nil
        #expect(kept == (isKept ? name : nil), "\(dialect)")
      }
    }
  }

  @Test func theLastOfTheMostNamesOfAnIdentityCounts() throws {
    let names = (1...IdentityKeys.most).map { "k\($0)" }.joined(separator: ",")
    let found = try harness.explain(
      #"{"_id":"1","timestamp":"2024-05-02T09:15:00Z","activity":"a","k\#(IdentityKeys.most)":"u"}"#,
      Rules(options: ["--identity-keys", "custom:\(names)"]))
    #expect(found.value["canonical"]?["identifiers"]?["custom_id"]?.text == "u")
  }

  /// In these dialects a field that no rule reads is unknown, or every field is read.
  @Test(
    arguments: [
      (
        #"{"userInfo":{"event_name":"n"},"object":1,"timestamp":1714641300000,"session":"s"}"#,
        "session"
      ),
      (#"{"event_type":"e","timestamp":1714641300000,"data":{},"userId":"u","os":1}"#, "os"),
      (#"{"activity":"a","timestamp":1714641300000,"name":"n","x":"y","_partition":1}"#, nil),
    ] as [(String, String?)])
  func unknownFieldsAreCounted(line: String, name: String?) throws {
    _ = try harness.explain(line)
    #expect(harness.unit.batch.unknownNames.map(\.name) == [name].compactMap { $0 })
  }

  @Test func anIgnoredLineOfAMappingIsCounted() throws {
    let found = try harness.explain(
      #"{"session":{"guest":"g"},"kind":"move","what":"ping"}"#,
      Rules(mappings: MappingFixture.game))
    #expect(found.outcome == "accepted" && found.canonical == nil)
    #expect(harness.unit.batch.notes.ignoredActions.named.map(\.count) == [1])
  }

  /// Of too many tags and topics the first stay.
  @Test(arguments: [0, 1]) func listsUnderAMappingAreCut(excess: Int) throws {
    func list(_ count: Int) -> String { "\((0..<count + excess).map { "t\($0)" })" }
    let found = try harness.explain(
      #"{"u":"u","t":1714641300000,"f":\#(list(Limits.tags)),"p":\#(list(Limits.array))}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"shop","match":"/u","custom_id":"/u","time":"/t","lines":{
           "name":{"constant":"e"},"fields":{"$tags":"/f"},
           "profile":{"fields":{"$topic_preferences":"/p"}}}}
          """#))
    let canonical = found.value["canonical"]
    let tags = canonical?["events"]?[0]?["attributes"]?["$tags"]
    #expect(tags?.items.count == Limits.tags)
    #expect(canonical?["attributes"]?["$topic_preferences"]?.items.count == Limits.array)
    #expect(found.losses == (excess == 0 ? [] : ["f array_truncated"]))
  }

  /// Of equal keys the last counts.
  @Test(arguments: [("1", []), ("2", ["value_overwritten"])])
  func theSameValueAgainIsNoLoss(last: String, losses: [String]) throws {
    let found = try harness.explain(
      #"{"custom_id":"u","time":"2024-05-02T09:15:00Z","action":["batch.user.event",{"e":"n","#
        + #""a":{"k":1,"k":\#(last)}}]}"#)
    #expect(found.lossCodes == losses)
  }

  /// Also where another path names it as any item of a list.
  @Test func theObjectThatAttributesNamesFirstKeepsItsKeys() throws {
    let found = try harness.explain(
      #"{"u":"u","t":1714641300000,"items":[{"a":{"k":1},"b":{"k":2}}]}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"shop","match":"/u","custom_id":"/u","time":"/t","lines":{
           "name":{"constant":"e"},"attributes":["/items/0/a","/items/0/b"],
           "fields":{"x":"/items/*/a/x"}}}
          """#))
    #expect(found.losses == ["items[0].b.k key_collision"])
  }

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

  /// With `--nobody none`, neither the mapping's words nor the built-in ones are placeholders.
  @Test(arguments: [true, false])
  func wordsOfMappingsAreIDsWithoutPlaceholders(_ areIDs: Bool) throws {
    var rules = try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"mm","match":"/m","custom_id":"/u","installation_id":"/d",
         "nobody":"ghost","lines":{"name":"/m","time":"/t"}}
        """#)
    if areIDs { rules.placeholders = .fewest }
    let line = #"{"m":"e","t":1714641300000,"u":"ghost","d":"guest"}"#
    let found = try harness.explain(line, rules)
    #expect(found.losses == (areIDs ? [] : ["u nobody_id", "d nobody_id"]))
  }

  /// What a line loses beside its list counts if an item survives.
  @Test(arguments: [
    (#"[{"n":""}]"#, false), (#"[{"n":"a"}]"#, true), (#"[{"n":""},{"n":"a"}]"#, true),
    (#"[7]"#, false),
  ])
  func lossesBesideAList(_ items: String, _ areCounted: Bool) throws {
    for (key, kind) in [
      ("custom_id", #""custom_id":"/u","lines":{"unroll":"/l","#),
      ("items", #""custom_id":"/l/*/u","lines":{"unroll":"/l","#),
    ] {
      let found = try harness.explain(
        #"{"u":"u","t":1714641300000,"q":1,"l":\#(items)}"#,
        Rules(
          mappings: #"""
            {"eventmill_mapping":1,"dialect":"mm","match":"/l","drop":"/u","time":"/t",
             \#(kind)"name":"/l/*/n"}}
            """#))
      #expect(found.losses.contains("q unknown_field") == areCounted, "\(key): \(found.losses)")
    }
  }

  /// An empty item beside a rejected one is nothing that survives.
  @Test(arguments: [
    (#"{"type":"identify","userId":"u"}"#, true),
    (#"{"type":"identify","userId":"u"},{"type":"track","userId":"u"}"#, false),
    (#"{"type":"track","userId":"u"},{"type":"identify","userId":"u"}"#, false),
    (#"{"type":"track","userId":"u"},{"type":"track","userId":"u","event":"e"}"#, true),
  ])
  func lossesBesideRecords(_ items: String, _ areCounted: Bool) throws {
    let time = #""timestamp":"2024-05-02T09:15:00Z""#
    let found = try harness.explain(
      #"{\#(time),"zz":1,"batch":[\#(items)]}"#, Rules(options: ["--mapping", "segment"]))
    #expect(found.losses.contains("zz unknown_field") == areCounted, "\(found)")
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
