import TestSupport
import Testing

@testable import Stages

/// What the migration drops, and how each loss is named (data-model 8, 10).
@Suite struct MigrationStageTests {
  struct Case: CustomStringConvertible {
    let code: ReasonCode
    let position: String
    /// Fields of a v1 event besides name and time; a whole v2 line if it begins with a brace.
    let members: String
    var policies: [V1Policy] = [.lenient]

    var description: String { "\(code.text): \(members.prefix(100))" }

    init(
      _ code: ReasonCode, _ position: String, _ members: String, _ policies: [V1Policy] = [.lenient]
    ) {
      self.code = code
      self.position = position
      self.members = members
      self.policies = policies
    }

    var line: String {
      members.hasPrefix("{")
        ? members : #"{"name":"n","time":"2024-05-01T00:00:00Z",\#(members)}"#
    }
  }

  static let both = V1Policy.allCases

  /// What v1 takes and v2 does not: lost under both policies.
  static let migrationCases: [Case] = [
    Case(.labelBlank, "label", #""label":" ""#, both),
    Case(.labelBlank, "label", #""label":"""#, both),
    Case(.labelNewline, "label", #""label":"x\ny""#, both),
    Case(.tagBlank, "tags[1]", #""tags":["x"," "]"#, both),
    Case(.tagNewline, "tags[0]", #""tags":["x\ny"]"#, both),
    Case(.stringBlank, "attributes.a", #""attributes":{"A":" "}"#, both),
    Case(.stringNewline, "attributes.a", #""attributes":{"a":"\n\u0041"}"#, both),
    Case(
      .rootLabelIgnored, "events[1].label",
      #"{"identifiers":{},"events":[{"name":"n","time":\#(Sample.time)},"#
        + #"{"name":"n","time":\#(Sample.time),"label":1}]}"#, both),
    Case(
      .rootTagsIgnored, "events[0].tags",
      #"{"identifiers":{},"events":[{"name":"n","time":\#(Sample.time),"tags":[]}]}"#, both),
  ]

  /// What `--v1 lenient` repairs.
  static let lenientCases: [Case] = [
    Case(.labelTooLong, "label", #""label":"\#(Sample.text(201))""#),
    Case(.wrongType, "label", #""label":1"#),
    Case(.wrongType, "tags", #""tags":"x""#),
    Case(.wrongType, "tags[0]", #""tags":[1]"#),
    Case(.tagBlank, "tags[0]", #""tags":[""]"#),
    Case(.tagTooLong, "tags[0]", #""tags":["\#(Sample.text(65))"]"#),
    Case(.tooManyTags, "tags[10]", #""tags":\#(Sample.strings(11))"#),
    Case(.badAttributes, "attributes", #""attributes":[]"#),
    Case(.badKey, "attributes.-", #""attributes":{"-":1}"#),
    Case(.reservedKey, "attributes.$a", #""attributes":{"$a":1}"#),
    Case(.reservedKeyInV1, "attributes.$label", #""attributes":{"$label":"x"}"#),
    Case(.reservedKeyInV1, "attributes.$tags", #""attributes":{"$tags":["x"]}"#),
    Case(.wrongType, "attributes.a", #""attributes":{"a":null}"#),
    Case(.wrongType, "attributes.date(a)", #""attributes":{"date(a)":true}"#),
    Case(.typeNotInV1, "attributes.a", #""attributes":{"a":{}}"#),
    Case(.typeNotInV1, "attributes.url(a)", #""attributes":{"url(a)":"x://y"}"#),
    Case(.stringEmpty, "attributes.a", #""attributes":{"a":""}"#),
    Case(.stringTooLong, "attributes.a", #""attributes":{"a":"\#(Sample.text(65))"}"#),
    Case(.integerOutOfRange, "attributes.a", #""attributes":{"a":9223372036854775808}"#),
    Case(.numberOutOfRange, "attributes.a", #""attributes":{"a":-1e999}"#),
    Case(.dateInvalid, "attributes.date(a)", #""attributes":{"date(a)":"x"}"#),
    Case(.tooManyAttributes, "attributes.k9", #""attributes":\#(Sample.members(16))"#),
  ]

  @Test(arguments: migrationCases + lenientCases)
  func smallestLine(_ example: Case) throws {
    for policy in V1Policy.allCases {
      var rules = Rules()
      rules.v1 = policy
      let line = try StageHarness().explain(example.line, rules)
      if example.policies.contains(policy) {
        #expect(line.losses == ["\(example.position) \(example.code.text)"], "\(policy)")
        #expect(line.outcome == "accepted" && line.codes.isEmpty, "\(policy)")
      } else {
        // Strict gives the same code as a reason; only the reserved keys have two names.
        let code = example.code == .reservedKeyInV1 ? .reservedKey : example.code
        #expect(line.codes == [code.text], "\(policy)")
        #expect(line.losses.isEmpty && line.outcome == "rejected", "\(policy)")
      }
    }
  }

  /// The codes that can be a loss at all: those of the cases and no others.
  @Test func everyLossCodeIsAmongTheCases() {
    let codes = Set(
      (MigrationStageTests.migrationCases + MigrationStageTests.lenientCases).map(\.code))
    for code in [ReasonCode.reservedKeyInV1, .rootLabelIgnored, .rootTagsIgnored] {
      #expect(codes.contains(code))
    }
    let values = ReasonCode.allCases.filter {
      (ReasonCode.badKey.rawValue...ReasonCode.tagNewline.rawValue).contains($0.rawValue)
    }
    // What v1 cannot even write down.
    let notInV1: [ReasonCode] = [
      .urlInvalid, .urlTooLong, .arrayTooLong, .arrayMixed, .arrayNested, .tooNested,
    ]
    for code in values { #expect(codes.contains(code) != notInV1.contains(code), "\(code.text)") }
  }

  @Test func lenientDropsBadPartsBeforeItCounts() throws {
    // 17 keys, two of them bad: the other 15 stay.
    let keys = (0..<15).map { "\"k\($0)\":1" } + ["\"-\":1", "\"zz\":null"]
    let line = try StageHarness().explain(
      #"{"name":"n","time":\#(Sample.time),"attributes":{\#(keys.joined(separator: ","))}}"#,
      .lenient)
    #expect(line.losses == ["attributes.- bad_key", "attributes.zz wrong_type"])
    let kept = line.value["canonical"]?["events"]?[0]?["attributes"]?.names
    #expect(kept == (0..<15).map { "k\($0)" })
  }

  @Test func lenientKeepsTheFirstAttributesByKeyInSourceOrder() throws {
    // Written from p to a, in upper and lower case: the last by bytes of the folded key goes.
    let letters = "ponmlkjihgfedcba".map { $0 == "p" ? "P" : String($0) }
    let attributes = letters.map { "\"\($0)\":1" }.joined(separator: ",")
    let line = try StageHarness().explain(
      #"{"name":"n","time":\#(Sample.time),"attributes":{\#(attributes)}}"#, .lenient)
    #expect(line.losses == ["attributes.p too_many_attributes"])
    let kept = line.value["canonical"]?["events"]?[0]?["attributes"]?.names
    #expect(kept == "onmlkjihgfedcba".map { String($0) })
  }

  @Test func lenientDropsBadTagsThenDuplicatesThenTheRest() throws {
    let tags = [#""A""#, "1", #""a""#] + (0..<10).map { "\"t\($0)\"" }
    let line = try StageHarness().explain(
      #"{"name":"n","time":\#(Sample.time),"tags":[\#(tags.joined(separator: ","))]}"#,
      .lenient)
    #expect(line.losses == ["tags[1] wrong_type", "tags[12] too_many_tags"])
    let kept = line.value["canonical"]?["events"]?[0]?["attributes"]?["$tags"]?.items
    #expect(kept == [.string("a")] + (0..<9).map { NaiveJSON.string("t\($0)") })
  }

  @Test func tagsThatMigrationDropsStillCountAmongTheTen() throws {
    // The blank tag is one of the first ten; it goes only afterwards.
    let tags = [#"" ""#] + (0..<10).map { "\"t\($0)\"" }
    let line = try StageHarness().explain(
      #"{"name":"n","time":\#(Sample.time),"tags":[\#(tags.joined(separator: ","))]}"#,
      .lenient)
    #expect(line.losses == ["tags[10] too_many_tags", "tags[0] tag_blank"])
    #expect(line.value["canonical"]?["events"]?[0]?["attributes"]?["$tags"]?.items.count == 9)
  }

  @Test func nothingIsLeftOfTagsThatAreAllDropped() throws {
    let line = try StageHarness().explain(
      #"{"name":"n","time":\#(Sample.time),"tags":[" "],"attributes":{"a":" "}}"#)
    #expect(line.value["canonical"]?["events"]?[0]?.names == ["name", "time"])
    #expect(line.losses == ["tags[0] tag_blank", "attributes.a string_blank"])
  }

  @Test func lossesOfARejectedEventAreNotCounted() throws {
    let line = try StageHarness().explain(
      #"{"name":"-","time":\#(Sample.time),"label":1,"tags":[1],"attributes":{"-":1}}"#,
      .lenient)
    #expect(line.outcome == "rejected" && line.losses.isEmpty && line.codes == ["bad_name"])
  }

  @Test func lossesOfABulkLineSayInWhichEvent() throws {
    let line = try StageHarness().explain(
      #"{"id":"u","events":[{"name":"n","time":\#(Sample.time),"label":" "},{"name":"-"},"#
        + #"{"name":"n","time":\#(Sample.time),"attributes":{"a":1,"b":" "}}]}"#)
    #expect(line.losses == ["events[0].label label_blank", "events[2].attributes.b string_blank"])
    #expect(line.outcome == "partial")
  }

  @Test func theRootLabelWinsOverAReservedKey() throws {
    let line = try StageHarness().explain(
      #"{"name":"n","time":\#(Sample.time),"label":"r","attributes":{"$label":"x","$tags":["y"]}}"#,
      .lenient)
    #expect(
      line.value["canonical"]?["events"]?[0]?["attributes"]
        == .object([
          .init(name: "$label", value: .string("r"))
        ]))
  }
}
