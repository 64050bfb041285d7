import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What a mapped line says becomes a part of a record, a loss or a reason; nothing vanishes
/// (docs/guides/mapping.md).
@Suite struct MappedLossTests {
  private let harness = StageHarness()

  /// A mapping with this kind of lines.
  private func rules(_ kind: String) throws -> Rules {
    try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"shop","match":"/u","custom_id":"/u","installation_id":"/d",
         "time":"/t","drop":"/what","lines":[{\#(kind)}]}
        """#)
  }

  private func explain(_ kind: String, _ fields: String) throws -> StageHarness.Explained {
    try harness.explain(line(fields), rules(kind))
  }

  private func line(_ fields: String) -> String { #"{"u":"u","t":1714641300000\#(fields)}"# }

  private func canonical(_ found: StageHarness.Explained) throws -> String {
    String(decoding: try #require(found.canonical, "\(found.source)"), as: UTF8.self)
  }

  private static let named = #""name":{"constant":"a"},"#

  // MARK: - Attributes

  @Test func sameKeyInTwoAttributeObjects() throws {
    let found = try explain(
      Self.named + #""attributes":["/a","/b/c"]"#, #","b":{"c":{"k":2,"y":0}},"a":{"k":1,"k":3}"#)
    #expect(try canonical(found).hasSuffix(#""attributes":{"k":3,"y":0,"k_2":2}}]}"#) == false)
    #expect(try canonical(found).contains(#""k":3"#))
    #expect(try canonical(found).contains(#""k_2":2"#))
    #expect(found.losses == ["b.c.k key_collision", "a.k value_overwritten"])
  }

  @Test func sameKeyInAnObjectAndAFurtherField() throws {
    let found = try explain(
      Self.named + #""attributes":"/a","fields":{"k":"/c/x"}"#, #","a":{"k":1},"c":{"x":2}"#)
    #expect(try canonical(found).contains(#"{"k":1,"k_2":2}"#))
    #expect(found.losses == ["c.x key_collision"])
  }

  @Test func repeatedUnknownFieldsOfWhichTheLastIsNull() throws {
    let found = try explain(Self.named + #""attributes":"/a""#, #","x":1,"y":2,"x":null,"z":3"#)
    #expect(found.losses == ["x value_overwritten", "y unknown_field", "z unknown_field"])
  }

  @Test func whatFurtherItemsHaveOfListsOfPairsAndFieldsIsLost() throws {
    let pairs = try explain(
      Self.named + #""attributes":{"path":"/l/*/p","key":"/k","value":"/v"}"#,
      #","l":[{"p":[{"k":"a","v":1}]},{"p":[{"k":"b","v":2}]}]"#)
    #expect(try canonical(pairs).contains(#""attributes":{"a":1}"#))
    #expect(pairs.losses == ["l[1].p unknown_field"])
    let fields = try explain(
      Self.named + #""fields":{"f":"/l/*/f"}"#, #","l":[{"g":0},{"f":1},{"f":2}]"#)
    #expect(try canonical(fields).contains(#""attributes":{"f":1}"#))
    #expect(fields.losses == ["l[0].g unknown_field", "l[2].f unknown_field"])
  }

  @Test func whatAConditionOfAnotherKindReadsIsKnownWithinAnyObject() throws {
    let kinds =
      #""when":{"path":"/meta/type","in":["a"]},"name":{"constant":"special"}},{"name":"/n""#
    #expect(try explain(kinds, #","n":"x","meta":{"type":"b"}"#).losses == [])
    #expect(
      try explain(kinds, #","n":"x","meta":{"type":"b","more":1}"#).losses
        == ["meta.more unknown_field"])
  }

  @Test func itemsThatPathsCannotGoInto() throws {
    let found = try explain(
      Self.named + #""attributes":"/objects/*","fields":{"first":"/list/*/name"}"#,
      #","list":["x",{"name":"rope"},null,[1]],"objects":[{"k":1},7]"#)
    #expect(try canonical(found).contains(#"{"k":1,"first":"rope"}"#))
    #expect(
      found.losses == [
        "list[0] unknown_field", "list[3] unknown_field", "objects[1] unknown_field",
      ])
  }

  @Test(
    arguments: [
      (#"{"os":"x","deep":{"a":1}}"#, ["o unknown_field", "x unknown_field"]),
      (#"[1]"#, ["o unknown_field", "x unknown_field"]),
      ("{}", ["x unknown_field"]), ("[]", ["x unknown_field"]), ("7", ["x unknown_field"]),
    ])
  func whatIsInsideOfAnObjectThatOnlyAConditionNames(value: String, losses: [String]) throws {
    let found = try explain(
      #""when":"/o","# + Self.named + #""attributes":"/a""#, #","o":\#(value),"x":{"q":1}"#)
    #expect(found.losses == losses)
  }

  // MARK: - Known fields

  @Test func anObjectThatAPathNamesIsReadAsAWhole() throws {
    let found = try explain(
      Self.named + #""fields":{"ctx":"/who","os":"/who/os","first":"/list/*/n","all":"/list"}"#,
      #","who":{"os":"ios","ver":"4.1"},"list":[{"n":1,"m":2},7]"#)
    #expect(try canonical(found).contains(#""ctx":{"os":"ios","ver":"4.1"},"os":"ios","first":1"#))
    #expect(found.losses == [])
  }

  /// Nor does a condition of another kind of lines keep a field from being an attribute.
  @Test func aFieldThatOnlyAConditionOfAnotherKindReads() throws {
    let kinds =
      #""when":{"path":"/type","in":"page"},"name":{"constant":"p"}},"#
      + #"{"when":{"path":"/a/type","in":"q"},"name":{"constant":"q"}},{"#
    let known = try harness.explain(
      line(#","type":"x","c":{"type":1}"#),
      rules(kinds + #""name":{"constant":"a"},"attributes":"/a""#))
    #expect(known.losses == ["c unknown_field"])
    let attribute = try harness.explain(
      line(#","type":"x","a":{"type":"y"}"#),
      rules(kinds + #""name":{"constant":"a"},"attributes":["","/a"]"#))
    #expect(try canonical(attribute).contains(#""attributes":{"type":"x","type_2":"y"}"#))
  }

  @Test func anObjectInAttributesThatOnlyAConditionReads() throws {
    let found = try explain(
      #""when":["/props","/kind"],"# + Self.named + #""attributes":"""#,
      #","props":{"k":1},"kind":"b","x":2"#)
    #expect(try canonical(found).contains(#""attributes":{"props":{"k":1},"x":2}"#))
    #expect(found.losses == [])
  }

  /// The last of repeated fields counts: if only a condition reads it, or if it is null, no earlier
  /// one becomes an attribute.
  @Test(
    arguments: [
      (#""kind":{"k":1},"kind":"b","x":2"#, #"{"x":2}"#),
      (#""kind":{"k":1},"x":2,"kind":{"k":3},"kind":null"#, #"{"x":2}"#),
      (#""kind":"b","x":2,"kind":{"k":1}"#, #"{"x":2,"kind":{"k":1}}"#),
      (#""kind":{"k":1},"kind":"b","kind":{"k":3},"x":2"#, #"{"kind":{"k":3},"x":2}"#),
    ])
  func aConditionReadsTheLastOfRepeatedFields(fields: String, attributes: String) throws {
    let isPresent = !fields.hasSuffix("null")
    let found = try explain(
      #""when":{"path":"/a/kind","present":\#(isPresent)},"# + Self.named
        + #""attributes":"/a""#, #","a":{\#(fields)}"#)
    #expect(try canonical(found).contains(#""attributes":\#(attributes)}"#))
    #expect(Set(found.losses) == ["a.kind value_overwritten"])
  }

  /// As in other paths.
  @Test func theFirstItemGivesTheAttributes() throws {
    let found = try explain(
      Self.named + #""attributes":"/l/*/x","fields":{"d":"/l/*/x/d"}"#,
      #","l":[{"y":0},{"x":{"a":1}},{"x":{"b":2,"d":3}}]"#)
    #expect(try canonical(found).contains(#""attributes":{"a":1,"d":3}"#))
    #expect(found.losses == ["l[0].y unknown_field", "l[2].x.b unknown_field"])
    let alone = try explain(
      Self.named + #""attributes":"/l/*/x""#, #","l":[{"x":{"a":1}},{"x":{"b":2}}]"#)
    #expect(alone.losses == ["l[1].x unknown_field"])
  }

  /// Also those that paths cannot go into.
  @Test func keptFieldsAreInSourceOrder() throws {
    var rules = try rules(Self.named + #""fields":{"f":"/o/os","g":"/p/q"}"#)
    rules.unknownFields = .keep
    let found = try harness.explain(line(#","x":1,"p":2,"y":3,"o":4,"z":5"#), rules)
    #expect(try canonical(found).contains(#""attributes":{"x":1,"p":2,"y":3,"o":4,"z":5}"#))
  }

  // MARK: - Pairs

  private static let pairs =
    #""attributes":{"path":"/p","key":"/k","value":["/v/text","/v/number"]}"#

  @Test func pairsThatAreNone() throws {
    let found = try explain(
      Self.named + Self.pairs,
      #","p":[5,{"k":7,"v":{"text":"a"}},{"k":"///","v":{"text":"b"}},{"k":"c","v":"text"},null,{},"#
        + #"{"k":"d","v":{"text":"t","number":1,"more":2}},{"v":{"number":3}},{"k":"e"},"#
        + #"{"k":"d","v":{"number":4}}]"#)
    #expect(try canonical(found).contains(#""attributes":{"d":"t","d_2":4}}"#))
    #expect(
      found.losses == [
        "p[0] bad_key", "p[1] bad_key", "p[2] bad_key", "p[7] bad_key", "p[9] key_collision",
        "p[3].v unknown_field", "p[6].v.more unknown_field",
      ])
  }

  @Test(arguments: [#"{"k":"a","v":{"text":"b"}}"#, "7"])
  func pairsThatAreNoList(value: String) throws {
    #expect(try explain(Self.named + Self.pairs, ",\"p\":\(value)").codes == ["bad_attributes"])
    let traits = try explain(#""as":"identify","# + Self.pairs, ",\"p\":\(value)")
    #expect(traits.codes == ["bad_attributes"])
  }

  @Test func pairsOfAPerson() throws {
    let found = try explain(
      #""as":"identify","# + Self.pairs,
      #","p":[{"k":"First Name","v":{"text":"Ann"}},{"k":"age","v":{"number":7}},8]"#)
    #expect(try canonical(found).hasSuffix(#""attributes":{"first_name":"Ann","age":7}}"#))
    #expect(found.losses == ["p[2] bad_key"])
  }

  // MARK: - Changes

  private static let identify = #""as":"identify","attributes":"/a""#

  @Test(arguments: [#","a":{}"#, ""])
  func identifyWithoutAttributesIsALink(fields: String) throws {
    let linked = try explain(Self.identify, #","d":"d""# + fields)
    #expect(
      try canonical(linked)
        == #"{"identifiers":{"custom_id":"u","installation_id":"d"},"time":"2024-05-02T09:15:00.000Z"}"#
    )
    let alone = try explain(Self.identify, fields)
    #expect(alone.outcome == "accepted" && alone.canonical == nil)
    // An unknown field decides nothing, and is not lost silently.
    let unknown = try explain(Self.identify, #","x":1"# + fields)
    #expect(unknown.outcome == "accepted" && unknown.losses == ["x unknown_field"])
    var strict = try rules(Self.identify)
    strict.unknownFields = .reject
    #expect(try harness.explain(line(#","x":1"# + fields), strict).codes == ["unknown_field"])
    let untimed = try harness.explain(#"{"u":"u","d":"d"}"#, rules(Self.identify))
    #expect(untimed.codes == ["missing_time"])
  }

  @Test(arguments: [identify, #""as":"alias""#])
  func aDefaultTimeMakesNoLink(kind: String) throws {
    var rules = try rules(kind)
    rules.defaultTime = 1_714_641_300_000
    let found = try harness.explain(#"{"u":"u","d":"d"}"#, rules)
    #expect(found.reasons == ["line:0 time missing_time"] && found.canonical == nil)
  }

  @Test func keysOfAPersonThatFallTogetherOrHaveNoName() throws {
    var rules = try rules(Self.identify)
    let line = line(#","a":{"///":1,"First Name":"Ann","x":null,"first_name":[],"?":null}"#)
    let found = try harness.explain(line, rules)
    #expect(found.losses == ["a./// bad_key", "a.first_name key_collision"])
    #expect(found.reasons == ["operation:2 attributes.first_name_2 empty_operation"])
    #expect(try canonical(found).hasSuffix(#""attributes":{"first_name":"Ann","x":null}}"#))
    rules.foreign.policy = .strict
    #expect(try harness.explain(line, rules).reasons.first == "line:0 a./// bad_key")
  }

  @Test func aPersonHasAsManyAttributesAsTheLine() throws {
    let many = (0..<40).map { "\"K\($0)\":\($0)" }.joined(separator: ",")
    let found = try explain(Self.identify, #","a":{"k0":7,\#(many)}"#)
    #expect(found.value["operations"]?.items.count == 41)
    #expect(found.losses == ["a.k0 key_collision"] && found.reasons == [])
  }

  @Test func aTimeWithoutAZoneOfAChange() throws {
    let found = try harness.explain(
      #"{"u":"u","t":"2024-05-02T09:15:00","a":{"k":1}}"#, rules(Self.identify))
    #expect(found.losses == ["t time_no_zone"])
  }

  @Test(
    arguments: [
      (#""u":"u""#, #"{"identifiers":{"custom_id":"u"}"#, #""erase":"person""#),
      (#""d":"d""#, #"{"identifiers":{"installation_id":"d"}"#, #""erase":true"#),
      (
        #""u":"u","d":"d""#, #"{"identifiers":{"custom_id":"u","installation_id":"d"}"#,
        #""erase":"person""#
      ),
    ])
  func deleteErasesTheOwner(ids: String, owner: String, erase: String) throws {
    let rules = try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"shop","match":"/bye","custom_id":"/u",
         "installation_id":"/d","time":"/t","lines":{"as":"delete"}}
        """#)
    let found = try harness.explain(#"{"bye":1,"t":1714641300000,\#(ids)}"#, rules)
    let expected = #"\#(owner),"time":"2024-05-02T09:15:00.000Z",\#(erase)}"#
    #expect(try canonical(found) == expected)
    #expect(try canonical(harness.explain(expected)) == expected)
  }

  // MARK: - Ids

  /// Whether the number was taken for an id does not change what it is as an attribute.
  @Test(arguments: [
    #"{"u":7,"x":{"u":7},"t":1714641300000}"#, #"{ "u": 7, "x": {"u": 7}, "t": 1714641300000 }"#,
  ])
  func anIntegerThatIsAnIDAndAnAttribute(line: String) throws {
    let rules = try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"shop","match":"/x","custom_id":"/u_id","installation_id":"/x/u",
         "time":"/t","lines":{"name":{"constant":"a"},"fields":{"x":"/x","same":"/x/u"}}}
        """#.replacing("/u_id", with: "/user").replacing("/x/u", with: "/x/uid"))
    let found = try harness.explain(line.replacing("\"u\":", with: "\"uid\":"), rules)
    #expect(
      try canonical(found)
        == #"{"identifiers":{"installation_id":"7"},"events":[{"name":"a","time":"#
        + #""2024-05-02T09:15:00.000Z","attributes":{"x":{"uid":7},"same":7}}]}"#)
  }

  // MARK: - Lists of events

  private static let list =
    #""unroll":"/l","name":"/l/*/n","attributes":["/a","/l/*/a"],"fields":{"f":"/f"}"#

  /// What is lost of the line is lost once, also where its first event is rejected.
  @Test func lossesOfALineOfSeveralEvents() throws {
    let rules = try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"shop","match":"/l","custom_id":["/u","/v"],"time":"/t",
         "lines":{\#(Self.list)}}
        """#)
    let line =
      #"{"u":7.5,"v":"v","t":1714641300000,"a":{"A b":1,"///":2},"f":"x","l":["#
      + #"{"n":7},{"n":"one","a":{"a_b":3}},{"n":"two"}]}"#
    let found = try harness.explain(line, rules)
    #expect(
      found.losses == ["events[1].a.a_b key_collision", "u bad_id_ignored", "a./// bad_key"])
    #expect(found.reasons == ["event:0 name bad_name"])
    #expect(try canonical(found).contains(#""attributes":{"a_b":1,"a_b_2":3,"f":"x"}"#))
    #expect(try canonical(found).contains(#""attributes":{"a_b":1,"f":"x"}"#))
    var strict = rules
    strict.foreign.policy = .strict
    #expect(try harness.explain(line, strict).reasons == ["line:0 a./// bad_key"])
  }

  @Test func sameKeyInALineAndItsItem() throws {
    let found = try explain(
      #""unroll":"/l","name":"/l/*/n","attributes":["","/l/*"]"#,
      #","x":1,"y":2,"l":[{"n":"a","x":5,"z":1},{"n":"b","z":3}]"#)
    #expect(try canonical(found).contains(#""attributes":{"x":1,"y":2,"x_2":5,"z":1}"#))
    #expect(try canonical(found).contains(#""attributes":{"x":1,"y":2,"z":3}"#))
    #expect(found.losses == ["events[0].x key_collision"])
  }

  /// What is lost by the time and the id of a line is lost once, and only if an event has them.
  @Test(
    arguments: [
      (#"{"n":"a"},{"n":"b"}"#, ["i bad_id_ignored", "t time_no_zone"]),
      (#"{"n":"a","t":1714641300000,"i":"1"},{"n":"b"}"#, ["i bad_id_ignored", "t time_no_zone"]),
      (#"{"n":"a","t":1714641300000,"i":"1"}"#, []),
      (#"{"n":"a","t":"2024-05-02T09:15:00","i":"1"}"#, ["events[0].t time_no_zone"]),
    ])
  func timeAndIDOfALineOfSeveralEvents(items: String, losses: [String]) throws {
    let rules = try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"shop","match":"/l","custom_id":"/u",
         "lines":{"unroll":"/l","name":"/l/*/n","time":["/l/*/t","/t"],"id":["/l/*/i","/i"]}}
        """#)
    let line = #"{"u":"u","t":"2024-05-02T09:15:00","i":[7],"l":[\#(items)]}"#
    let found = try harness.explain(line, rules)
    #expect(found.losses.sorted() == losses && found.reasons == [])
    let events = found.value["canonical"]?["events"]?.items ?? []
    #expect(events.allSatisfy { $0["time"]?.text == "2024-05-02T09:15:00.000Z" })
  }

  /// As of the ids of people and installations, the first valid one counts.
  @Test(
    arguments: [
      (#","i":"a b","j":1"#, "1", ["i bad_id_ignored"]),
      (#","i":[1],"j":2"#, "2", ["i bad_id_ignored"]),
      (#","i":"x","j":{}"#, "x 9", []), (#","j":{}"#, "9", ["j bad_id_ignored"]),
    ])
  func anInvalidIDDoesNotHideTheNext(fields: String, id: String, losses: [String]) throws {
    let ids = #""id":[{"join":["/i","/k"]},"/j","/k"]"#
    let found = try explain(Self.named + ids, fields + #","k":9"#)
    #expect(found.value["canonical"]?["events"]?[0]?["id"]?.text == id)
    #expect(found.losses == losses)
  }

  /// Of the alternatives of a line those that an item does not come to are not lost.
  @Test func anInvalidIDOfAnItemDoesNotHideThatOfItsLine() throws {
    let kind = #""unroll":"/l","name":"/l/*/n","id":["/l/*/i","/i","/j"]"#
    let found = try explain(
      kind, #","i":[],"j":"j","l":[{"n":"a","i":"x"},{"n":"b","i":{}},{"n":"c"}]"#)
    let ids = found.value["canonical"]?["events"]?.items.map { $0["id"]?.text }
    #expect(ids == ["x", "j", "j"])
    #expect(found.losses.sorted() == ["events[1].i bad_id_ignored", "i bad_id_ignored"])
    let own = try explain(kind, #","i":[],"l":[{"n":"a","i":"x"}]"#)
    #expect(own.losses == [])
  }

  /// An id of a line and an item is that of the item, also in what is lost.
  @Test func anIDOfALineAndItsItemWithASpace() throws {
    let rules = try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"shop","match":"/l","custom_id":"/u",
         "lines":{"unroll":"/l","name":"/l/*/n","id":{"join":["/i","/l/*/i"]}}}
        """#)
    let found = try harness.explain(#"{"u":"u","i":"a b","l":[{"n":"a","i":1}]}"#, rules)
    #expect(found.losses.contains("events[0].i bad_id_ignored"))
  }

  /// A line with long attributes and many items does not cost the product of both.
  @Test func attributesThatEventsShareAreBounded() throws {
    let text = (0..<25).map { _ in "\"\(String(repeating: "x", count: 300))\"" }
      .joined(separator: ",")
    let shared = (0..<15).map { "\"k\($0)\":[\(text)]" }.joined(separator: ",")
    let items = (0..<60).map { "{\"n\":\"e\($0)\"}" }.joined(separator: ",")
    let found = try explain(Self.list, #","f":"x","a":{\#(shared)},"l":[\#(items)]"#)
    let with = found.value["canonical"]?["events"]?.items.count { $0["attributes"] != nil } ?? 0
    #expect(found.outcome == "accepted" && 10..<60 ~= with)
    #expect(found.losses == (with..<60).map { "events[\($0)].attributes attributes_truncated" })
  }
}
