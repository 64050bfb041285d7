import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What becomes of lines that a mapping describes (docs/guides/mapping.md).
@Suite struct MappedReadingTests {
  private let harness = StageHarness()

  private func explain(_ line: String) throws -> StageHarness.Explained {
    try harness.explain(line, Rules(mappings: MappingFixture.game))
  }

  private func canonical(_ line: String) throws -> String {
    let found = try explain(line)
    return String(decoding: try #require(found.canonical, "\(found.source)"), as: UTF8.self)
  }

  @Test func anEventWithEverything() throws {
    let line =
      #"{"session":{"player":{"id":7},"device":"d-1","bag":[{"weight":2},{"name":"rope"}]},"#
      + #""kind":"move","n":12,"what":"Hit!","at":1714641300.5,"trace":{"x":1},"#
      + #""with":{"Points":12,"kind":"axe","none":null},"#
      + #""pairs":[{"k":"A b","v":{"number":3}},{"k":"c","v":{"text":"t","number":4}},{"k":"d"},5]}"#
    #expect(
      try canonical(line)
        == #"{"identifiers":{"custom_id":"7","installation_id":"d-1"},"events":[{"id":"12","#
        + #""name":"hit","time":"2024-05-02T09:15:00.500Z","attributes":{"score":12,"kind":"axe","#
        + #""a_b":3,"c":"t","bag":"rope","weight":2,"source":"game","beta":true,"version":2,"#
        + #""factor":1.5}}]}"#)
    let found = try explain(line)
    #expect(found.value["dialect"]?.text == "game")
    #expect(found.value["detected_by"]?.items.map(\.text) == ["/session", "/kind"])
    #expect(found.losses == ["pairs[3] bad_key"])
  }

  @Test func aNameThatIsNotThereIsTheConstant() throws {
    let line = #"{"session":{"guest":"g","bag":[]},"kind":7,"local":"2024-05-02 11:15:00"}"#
    #expect(
      try canonical(line).hasPrefix(
        #"{"identifiers":{"custom_id":"g"},"events":[{"name":"unnamed","#
          + #""time":"2024-05-02T09:15:00.000Z","#))
  }

  @Test func eachItemOfAListIsAnEvent() throws {
    let line =
      #"{"session":{"guest":"g","bag":[{"name":"rope"}]},"kind":true,"what":"x","moves":["#
      + #"{"n":1,"what":"run","at":1714641300000,"with":{"a":1},"odd":1},"no object","#
      + #"{"n":2,"what":7,"at":1714641300000},{"n":3,"what":"run","at":1714641301000,"with":5}]}"#
    let found = try explain(line)
    #expect(found.outcome == "partial")
    #expect(found.losses.contains("events[0].odd unknown_field"))
    #expect(
      found.reasons == [
        "event:1  wrong_type", "event:2 name bad_name", "event:3 attributes bad_attributes",
      ])
    #expect(
      try canonical(line)
        == #"{"identifiers":{"custom_id":"g"},"events":[{"id":"1","name":"run","#
        + #""time":"2024-05-02T09:15:00.000Z","attributes":{"a":1,"first":"rope"}}]}"#)
  }

  @Test func attributesOfAPerson() throws {
    #expect(
      try canonical(
        #"{"session":{"guest":"g","bag":[{"name":"rope"}]},"kind":"move","what":"level","#
          + #""at":1714641300,"with":{"Points":12,"First Name":"Ann"}}"#)
        == #"{"identifiers":{"custom_id":"g"},"time":"2024-05-02T09:15:00.000Z","#
        + #""attributes":{"score":12,"first_name":"Ann","bag":"rope"}}"#)
  }

  @Test func aLinkAndAnEraseMark() throws {
    let line =
      #"{"session":{"guest":"g","device":"d","bag":[]},"kind":"move","at":1714641300,"what":"#
    #expect(
      try canonical(line + #""join"}"#)
        == #"{"identifiers":{"custom_id":"g","installation_id":"d"},"time":"2024-05-02T09:15:00.000Z"}"#
    )
    #expect(try canonical(line + #""forget"}"#).hasSuffix(#""erase":"person"}"#))
  }

  @Test func anIgnoredLineIsCounted() throws {
    let found = try explain(#"{"session":{"guest":"g"},"kind":"move","what":"ping"}"#)
    #expect(found.outcome == "accepted" && found.canonical == nil)
    let count = harness.unit.batch.notes.ignoredActions.count
    #expect(count == 1)
  }

  @Test func whatIsNoIDIsALoss() throws {
    let found = try explain(
      #"{"session":{"player":{"id":1.5},"guest":"g","bag":[]},"kind":"move","what":"a","at":1714641300}"#
    )
    #expect(found.losses == ["session.player.id bad_id_ignored"])
    #expect(found.value["canonical"]?["identifiers"]?["custom_id"]?.text == "g")
  }

  @Test func aPathThatMeetsAnotherTypeIsUnread() throws {
    let found = try explain(
      #"{"session":{"player":"me","guest":"g","bag":"full"},"kind":"move","what":"a","at":1714641300}"#
    )
    #expect(found.losses == ["session.player unknown_field", "session.bag unknown_field"])
  }

  @Test func unknownFieldsFollowTheirOption() throws {
    var rules = try Rules(mappings: MappingFixture.game)
    let line =
      #"{"session":{"guest":"g","bag":[],"x":1},"kind":"move","what":"a","at":1714641300,"y":0,"y":2}"#
    #expect(
      try harness.explain(line, rules).losses == [
        "session.x unknown_field", "y value_overwritten", "y unknown_field",
      ])
    rules.unknownFields = .keep
    let kept = try harness.explain(line, rules)
    #expect(kept.value["canonical"]?["events"]?[0]?["attributes"]?["y"] == .number("2"))
    #expect(kept.losses == ["session.x unknown_field", "y value_overwritten"])
    rules.unknownFields = .reject
    #expect(try harness.explain(line, rules).codes == ["unknown_field"])
  }

  /// Of repeated fields the last one counts, with everything in it.
  @Test func repeatedFields() throws {
    let found = try explain(
      #"{"session":{"player":{"id":"old"},"x":1,"bag":[]},"session":{"guest":"new","bag":[]},"#
        + #""kind":"move","what":"a","at":1714641300}"#)
    #expect(found.value["canonical"]?["identifiers"]?["custom_id"]?.text == "new")
    #expect(found.losses == ["session value_overwritten"])
  }

  @Test func lineOfNoKind() throws {
    let only = MappingFixture.game.replacing(
      #""name": ["/what""#, with: #""when": {"path": "/never"}, "name": ["/what""#)
    let found = try harness.explain(
      #"{"session":{"guest":"g","bag":[]},"kind":"move","what":"a"}"#, Rules(mappings: only))
    #expect(found.codes == ["unmapped_line"])
  }

  @Test(
    arguments: [
      ("s", "1714641300", 1_714_641_300_000), ("s", "1714641300.1239", 1_714_641_300_123),
      ("s", "\"1714641300\"", 1_714_641_300_000), ("us", "1714641300123456", 1_714_641_300_123),
      ("us", "\"1714641300123999\"", 1_714_641_300_123),
      ("ns", "1714641300123456789", 1_714_641_300_123),
      ("ms", "1714641300123.9", 1_714_641_300_123), ("auto", "1714641300123", 1_714_641_300_123),
      ("auto", "\"1714641300123\"", 1_714_641_300_123),
      ("auto", "\"2024-05-02 09:15:00.123 UTC\"", 1_714_641_300_123),
      ("s", "1.7146413e9", 1_714_641_300_000), ("s", "\"17146413E+2\"", 1_714_641_300_000),
      ("ms", "1.7146413001239e12", 1_714_641_300_123), ("us", "1.7146413e15", 1_714_641_300_000),
      ("s", "-1", nil), ("s", "1e999", nil), ("s", "\"\"", nil), ("s", "[]", nil),
      ("s", "99999999999999999999", nil), ("auto", "true", nil),
    ] as [(String, String, Int?)])
  func times(unit: String, value: String, expected: Int?) throws {
    let rules = try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"clock","match":"/t","custom_id":"/u","lines":[
          {"name":{"constant":"tick"},"time":{"path":"/t","unit":"\#(unit)"}}]}
        """#)
    let found = try harness.explain(#"{"t":\#(value),"u":"u"}"#, rules)
    let time = found.value["canonical"]?["events"]?[0]?["time"]?.text
    #expect(time == expected.map { Timestamp.text($0) })
    if expected == nil { #expect(!found.codes.isEmpty) }
  }

  /// With a unit only numbers of that unit are times, whatever else the value could be.
  @Test(
    arguments: [
      ("s", "1714641300000", "time_out_of_range", "the number looks like milliseconds"),
      ("s", "1.7146413e12", "time_out_of_range", "the number looks like milliseconds"),
      ("auto", "1714641300", "time_out_of_range", #"the mapping needs \"unit\":\"s\""#),
      ("auto", "\"1714641300\"", "invalid_time", #"the mapping needs \"unit\":\"s\""#),
      ("auto", "1714641300000000", "time_out_of_range", #"the mapping needs \"unit\":\"us\""#),
      ("ms", "1714641300", "time_out_of_range", "the number looks like seconds"),
      ("ms", "\"1714641300\"", "time_out_of_range", "the number looks like seconds"),
      ("us", "1714641300000", "time_out_of_range", "the number looks like milliseconds"),
      ("ns", "1714641300000000", "time_out_of_range", "the number looks like microseconds"),
      ("ms", "1714641300000000000", "time_out_of_range", "the number looks like nanoseconds"),
      ("s", "1e300", "time_out_of_range", "outside 2000 to 2099"),
      ("s", "\"2024-05-02T09:15:00+02:00\"", "invalid_time", "a time is a number"),
      ("ms", "\"2024-05-02 09:15:00\"", "invalid_time", "a time is a number"),
      ("s", "\" 1714641300\"", "invalid_time", "a time is a number"),
      ("s", "true", "invalid_time", "a time is a number"),
    ])
  func timesOfAnotherUnit(unit: String, value: String, code: String, detail: String) throws {
    let rules = try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"clock","match":"/t","custom_id":"/u","lines":[
          {"name":{"constant":"tick"},"time":{"path":"/t","unit":"\#(unit)"}}]}
        """#)
    let found = try harness.explain(#"{"t":\#(value),"u":"u"}"#, rules)
    #expect(found.codes == [code])
    let text = String(decoding: found.source.bytes, as: UTF8.self)
    #expect(text.contains(detail), "\(text)")
  }

  /// Ids of two sources are the same only if both parts are.
  @Test(
    arguments: [
      (#""/a","id":"1""#, "/a 1"), (#""/a","id":2"#, "/a 2"), (#""/a","id":"b c""#, "/a b c"),
      (#""/a b","id":"c""#, nil), (#"true,"id":"c""#, nil), (#""/a""#, nil),
      (#""\#(String(repeating: "a", count: 255))","id":"1""#, nil),
    ] as [(String, String?)])
  func idsOfTwoFields(fields: String, id: String?) throws {
    let rules = try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"cloud","match":"/source","custom_id":"/u",
         "id":{"join":["/source","/id"]},"lines":{"name":{"constant":"Put Object"}}}
        """#)
    let found = try harness.explain(#"{"u":"u","source":\#(fields)}"#, rules)
    let event = found.value["canonical"]?["events"]?[0]
    #expect(event?["name"]?.text == "put_object")
    #expect(event?["id"]?.text == id)
    #expect(found.lossCodes.contains("bad_id_ignored") == (id == nil && fields.contains("id")))
  }

  @Test func attributesAndConditionsWithSeveralPathsAndPrefixes() throws {
    let rules = try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"page","match":{"path":"/id","prefix":"p:"},"custom_id":"/id",
         "lines":{"name":{"constant":"page"},"attributes":"/with",
           "fields":{"title":["/title","/with/title"]}}}
        """#)
    func attributes(_ fields: String) throws -> String {
      let found = try harness.explain(#"{"id":"p:1",\#(fields)}"#, rules)
      #expect(found.losses == ["time missing_time"])
      let event = found.source["canonical"]?["events"]?.items.first
      return String(decoding: try #require(event?["attributes"]).bytes, as: UTF8.self)
    }
    #expect(
      try attributes(#""title":"a","with":{"title":"b","c":1}"#) == #"{"c":1,"title":"a"}"#)
    #expect(try attributes(#""title":null,"with":{"title":"b"}"#) == #"{"title":"b"}"#)
    for id in ["\"q:1\"", "\"p\"", "7", "null", "[\"p:1\"]"] {
      #expect(try harness.explain(#"{"id":\#(id)}"#, rules).codes == ["unknown_dialect"])
    }
  }

  @Test func mappingsComeBeforeTheBuiltInDialects() throws {
    let rules = try Rules(
      mappings: #"""
        {"eventmill_mapping":1,"dialect":"mine","match":"/name","custom_id":"/custom_id","time":"/time",
         "lines":{"name":{"constant":"mapped"}}}
        """#)
    let line = #"{"custom_id":"u","name":"n","time":"2024-05-02T09:15:00Z"}"#
    let found = try harness.explain(line, rules)
    #expect(found.value["dialect"]?.text == "mine")
    #expect(found.value["canonical"]?["events"]?[0]?["name"]?.text == "mapped")
    // What no mapping claims is read as ever.
    let other = try harness.explain(
      #"{"identifiers":{"custom_id":"u"},"events":[{"name":"a","time":"2024-05-02T09:15:00Z"}]}"#,
      rules)
    #expect(other.value["dialect"]?.text == "v2" && other.outcome == "accepted")
  }

  @Test func twoMappingsThatMatch() throws {
    let first =
      #"{"eventmill_mapping":1,"dialect":"one","match":"/a","custom_id":"/a","lines":{"name":"/a"}}"#
    let second = first.replacing("\"one\"", with: "\"two\"")
    var rules = try Rules(mappings: first, second)
    let line = #"{"a":"x"}"#
    let found = try harness.explain(line, rules)
    #expect(found.codes == ["ambiguous_dialect"])
    #expect(found.value["claimed_by"]?.items.map(\.text) == ["one", "two"])
    rules.dialect = Dialect(mapped: "two")
    #expect(try harness.explain(line, rules).value["dialect"]?.text == "two")
    rules.dialect = .v1
    #expect(try harness.explain(line, rules).codes == ["ambiguous_dialect"])
  }

  /// `--dialect` decides among all that claim a line, in whatever order they come.
  @Test func fixedDialectIsTestedFirst() throws {
    let texts = ["one", "two", "three"].map {
      #"{"eventmill_mapping":1,"dialect":"\#($0)","match":"/a","custom_id":"/a","lines":{"name":"/a"}}"#
    }
    var rules = try Rules(mappings: texts[0], texts[1], texts[2])
    for name in ["one", "two", "three"] {
      rules.dialect = Dialect(mapped: name)
      #expect(try harness.explain(#"{"a":"x"}"#, rules).value["dialect"]?.text == name)
    }
    let line = #"{"a":"x","identifiers":{"custom_id":"u"},"events":[{"name":"b","untimed":true}]}"#
    let v2: Dialect = .v2
    rules.dialect = v2
    let found = try harness.explain(line, rules)
    #expect(found.outcome == "accepted" && found.value["dialect"]?.text == "v2")
    rules.dialect = .v1
    #expect(try harness.explain(line, rules).codes == ["ambiguous_dialect"])
  }
}
