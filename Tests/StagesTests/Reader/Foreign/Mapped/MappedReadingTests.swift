import TestSupport
import Testing

@testable import Stages

/// Lines that a mapping describes, where `Vectors/examples.jsonl` cannot show what becomes of them
/// (docs/guides/mapping.md).
@Suite struct MappedReadingTests {
  private let harness = StageHarness()

  @Test func anIgnoredLineIsCounted() throws {
    let found = try harness.explain(
      #"{"session":{"guest":"g"},"kind":"move","what":"ping"}"#,
      Rules(mappings: MappingFixture.game))
    #expect(found.outcome == "accepted" && found.canonical == nil)
    let count = harness.unit.batch.notes.ignoredActions.count
    #expect(count == 1)
  }

  /// A line with long attributes and many items does not cost the product of both.
  @Test func attributesThatEventsShareAreBounded() throws {
    let text = (0..<25).map { _ in "\"\(String(repeating: "x", count: 300))\"" }
      .joined(separator: ",")
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

  /// A value that several rules read is for each of them what it would be alone.
  @Test(arguments: [
    // A time, and a date: the second once took the first one's converted value, and trapped.
    (
      #""time":"/k","fields":{"date(d)":"/k"}"#, #""k":1714641300000"#,
      #""time":"2024-05-02T09:15:00.000Z","attributes":{"date(d)":"2024-05-02T09:15:00.000Z"}"#,
      "t unknown_field"
    ),
    (#""name":"/k","fields":{"url(u)":"/k"}"#, #""k":"x""#, #""name":"x""#, "k url_invalid"),
    (
      #""id":"/k","fields":{"a":"/k","b":{"path":"/k","type":"number"}}"#, #""k":"7""#,
      #""id":"7","name":"e","time":"2024-05-02T09:15:00.000Z","attributes":{"a":"7","b":7}"#, ""
    ),
    (#""id":"/k","attributes":"/k""#, #""k":"x""#, #""id":"x""#, ""),
    // The first item counts.
    (
      #""attributes":"/l/*/x""#, #""l":[{"x":5},{"x":{"a":2}}]"#, #""attributes":{"x":5}"#,
      "l[1].x unknown_field"
    ),
    (
      #""custom_id":{"path":"/p","key":"/n","is":"id","value":["/v","/w"]}"#,
      #""p":[{"n":"id","v":"","w":"u"}]"#, #"{"custom_id":"u"}"#,
      "p[0].v bad_id_ignored"
    ),
    // JSON that is null is absent.
    (
      #""fields":{"x":[{"path":"/j","type":"json"},"/k"]}"#, #""j":" null ","k":3"#,
      #""attributes":{"x":3}"#, ""
    ),
    // Pairs: the next path after one of another type, and the limits of numbers.
    (
      #""attributes":{"path":"/p","key":"/n","value":[{"path":"/i","type":"number"},"/s"]}"#,
      #""p":[{"n":"a","i":"x","s":"y"}]"#, #""attributes":{"a":"y"}"#, "p[0] wrong_type"
    ),
    (
      #""attributes":{"path":"/p","key":"/n","value":{"path":"/v","type":"number"}}"#,
      #""p":[{"n":"a","v":12345678901234567890}]"#,
      #""attributes":{"a":1.2345678901234567e+19}"#, ""
    ),
    (#""attributes":{"keys":"/n","values":"/v"}"#, #""v":["x"]"#, #""name":"e""#, "v bad_key"),
  ])
  func valuesAreForEachRule(
    _ kind: String, _ line: String, _ expected: String, _ losses: String
  ) throws {
    let name = kind.contains("\"name\"") ? "" : #""name":{"constant":"e"},"#
    let found = try harness.explain(
      #"{"u":"u","t":1714641300000,\#(line)}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"x","match":"/u","custom_id":"/u","time":"/t",
           "lines":{\#(name)\#(kind)}}
          """#))
    let canonical = String(decoding: found.canonical ?? [], as: UTF8.self)
    #expect(canonical.contains(expected), "\(canonical)")
    #expect(found.losses == (losses.isEmpty ? [] : [losses]))
  }

  /// A list of keys around the items that have the values: the form of logs by columns.
  @Test func keysMayBeAroundTheValues() throws {
    let found = try harness.explain(
      #"{"u":"u","t":1714641300000,"cols":["a","b"],"rows":[{"v":[1,2]},{"v":[3]}]}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"x","match":"/u","custom_id":"/u","time":"/t","lines":{
           "unroll":"/rows","name":{"constant":"e"},
           "attributes":{"keys":"/cols","values":"/rows/*/v"}}}
          """#))
    let events = found.value["canonical"]?["events"]?.items ?? []
    #expect(events.map { $0["attributes"]?["a"]?.integer } == [1, 3])
    #expect(events.map { $0["attributes"]?["b"]?.integer } == [2, nil])
  }

  /// A date before 1970 once counted as 4 GiB of what events share.
  @Test func sharedDatesHaveNoText() throws {
    let found = try harness.explain(
      #"{"u":"u","t":1714641300000,"d":"1960-05-02T00:00:00Z","b":1,"l":[{},{}]}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"x","match":"/u","custom_id":"/u","time":"/t","lines":{
           "unroll":"/l","name":{"constant":"e"},"fields":{"date(d)":"/d","b":"/b"}}}
          """#))
    let events = found.value["canonical"]?["events"]?.items ?? []
    #expect(events.map { $0["attributes"]?.names } == [["date(d)", "b"], ["date(d)", "b"]])
    #expect(found.losses == [])
  }

  /// What a change of a profile loses of the line around an item is told once.
  @Test func lossesOfTheLineAreToldOnce() throws {
    let found = try harness.explain(
      #"{"u":"u","t":1714641300000,"o":{"a":""},"m":"no","l":[{"n":1},{"n":2}]}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"x","match":"/u","custom_id":"/u","time":"/t","lines":{
           "unroll":"/l","as":"identify",
           "fields":{"n":"/l/*/n","o":"/o","$email_address":"/m"}}}
          """#))
    #expect(found.losses.sorted() == ["m email_invalid", "o.a string_empty"])
  }

  /// Consent read behind attributes was written among them, and a run of that had none.
  @Test func consentIsWrittenOutsideOfAttributes() throws {
    let found = try harness.explain(
      #"{"d":"i","t":1714641300000,"a":{"x":1},"o":true}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"x","match":"/d","installation_id":"/d","time":"/t",
           "lines":{"as":"identify","attributes":"/a","opted_out":"/o"}}
          """#))
    let record = found.value["canonical"]
    #expect(record?["opted_out"] == .bool(true))
    #expect(record?["attributes"]?.names == ["x"])
  }

  @Test func partsOfANameAreTexts() throws {
    let found = try harness.explain(
      #"{"u":"u","t":1714641300000,"a":"x","b":"y","c":false}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"x","match":"/u","custom_id":"/u","time":"/t",
           "lines":{"name":{"join":["/a","/b","/c"]}}}
          """#))
    #expect(found.value["events"]?[0]?["reasons"]?[0]?["code"]?.text == "bad_name")
  }

  /// A path with an index hid its item from paths by `*`, also from those of other conditions.
  @Test func pathsByIndexAndByStarReadTheSameItem() throws {
    let found = try harness.explain(
      #"{"u":"u","t":1714641300000,"l":[{"n":"a","p":1,"o":{"x":1}},{"n":"b","p":2,"o":{}}]}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"x","match":"/u","custom_id":"/u","time":"/t","lines":[
           {"when":{"path":"/l/0/n","in":"z"},"as":"ignore"},
           {"when":{"path":"/l/*/n","in":"a"},"name":{"constant":"e"},
            "fields":{"n":"/l/0/n","p":"/l/*/p","x":"/l/*/o/y"}}]}
          """#))
    let attributes = found.value["canonical"]?["events"]?[0]?["attributes"]
    #expect(
      attributes
        == .object([
          .init(name: "n", value: .string("a")), .init(name: "p", value: .number("1")),
        ]))
    #expect(found.losses.sorted() == ["l[0].o.x unknown_field", "l[1].p unknown_field"])
  }

  /// What holds for an item by its index holds beside what holds for all items. Dropped and lost
  /// values became attributes, and what JSON held was neither kept nor lost.
  @Test(arguments: [
    (#""attributes":"/l/*","drop":"/l/0/a""#, #"{"b":2}"#, ["l[1]"]),
    (#""attributes":"/l/*","lost":"/l/0/a""#, #"{"b":2}"#, ["l[0].a", "l[1]"]),
    (#""attributes":"/l/*","fields":{"x":"/l/0/a"}"#, #"{"b":2,"x":1}"#, ["l[1]"]),
    (#""attributes":["/l/0","/l/*"]"#, #"{"a":1,"b":2}"#, ["l[1]"]),
    (#""fields":{"x":"/l/*/a"},"lost":["/l/0"]"#, #"{"x":3}"#, ["l[0]"]),
    (#""fields":{"x":"/l/*/a","y":"/l/0/a"}"#, #"{"x":1,"y":1}"#, ["l[0].b", "l[1].a"]),
    (#""attributes":["/l/*/o","/l/0/p"]"#, "{}", ["l[0].a", "l[0].b", "l[1].a"]),
    (
      #""fields":{"x":{"path":"/j/0","type":"json"},"y":"/j/*/a"}"#,
      #"{"x":{"a":1,"z":2},"y":1}"#, []
    ),
    // A number can be the name of a field, too.
    (#""fields":{"x":"/f/*/a","y":"/f/0/b"}"#, #"{"y":2}"#, ["f.0.a"]),
  ])
  func itemsByIndexAreItemsOfTheList(
    _ rules: String, _ attributes: String, _ losses: [String]
  ) throws {
    let values = #""l":[{"a":1,"b":2},{"a":3}],"j":["{\"a\":1,\"z\":2}"]"#
    let found = try harness.explain(
      #"{"u":"u","t":1714641300000,\#(values),"f":{"0":{"a":1,"b":2}}}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"x","match":"/u","custom_id":"/u","time":"/t",
           "lines":{"name":{"constant":"e"},\#(rules)}}
          """#))
    let canonical = String(decoding: found.canonical ?? [], as: UTF8.self)
    let hasThem = canonical.contains("attributes\":\(attributes)")
    #expect(hasThem == (attributes != "{}"), "\(canonical)")
    let others = ["l", "j", "f"].filter { !rules.contains("/\($0)/") }
    let expected = (losses + others).map { $0.contains(" ") ? $0 : "\($0) unknown_field" }
    #expect(found.losses.sorted() == expected.sorted())
  }

  /// A line whose items have no lists was accepted if these would hold changes of profiles.
  @Test(arguments: ["[{}]", #"[{"m":[]},{}]"#])
  func changesInNoListAreNoRecord(list: String) throws {
    let found = try harness.explain(
      #"{"u":"u","t":1714641300000,"l":\#(list)}"#,
      Rules(
        mappings: #"""
          {"eventmill_mapping":1,"dialect":"x","match":"/u","custom_id":"/u","time":"/t","lines":{
           "unroll":"/l/*/m","as":"identify","fields":{"a":"/l/*/m/*/a"}}}
          """#))
    #expect(found.reasons == ["line:0  empty_record"])
  }
}
