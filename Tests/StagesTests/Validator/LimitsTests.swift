import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Every limit of data-model 7, 9 and 4.5: a value at the limit is accepted, one above it is not.
@Suite struct LimitsTests {
  struct Case: CustomStringConvertible {
    let name: String
    let limit: Int
    let code: ReasonCode
    /// A line with that many of the thing.
    let line: @Sendable (Int) -> String

    init(
      _ name: String, _ limit: Int, _ code: ReasonCode, _ line: @escaping @Sendable (Int) -> String
    ) {
      self.name = name
      self.limit = limit
      self.code = code
      self.line = line
    }

    /// A part of a v2 event.
    static func v2(
      _ name: String, _ limit: Int, _ code: ReasonCode,
      _ attributes: @escaping @Sendable (Int) -> String
    ) -> Case {
      Case("v2 \(name)", limit, code) { count in
        #"{"identifiers":{},"events":[{"name":"n","time":\#(Sample.time),"#
          + #""attributes":{\#(attributes(count))}}]}"#
      }
    }

    /// A part of a v1 event.
    static func v1(
      _ name: String, _ limit: Int, _ code: ReasonCode,
      _ members: @escaping @Sendable (Int) -> String
    ) -> Case {
      Case("v1 \(name)", limit, code) { count in
        #"{"name":"n","time":\#(Sample.time),\#(members(count))}"#
      }
    }

    /// A field of a profile update.
    static func operation(
      _ name: String, _ limit: Int, _ code: ReasonCode,
      _ member: @escaping @Sendable (Int) -> String
    ) -> Case {
      Case("operation \(name)", limit, code) { count in
        #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"attributes":{\#(member(count))}}"#
      }
    }

    var description: String { "\(name), \(limit)" }
  }

  private static func text(_ count: Int) -> String { Sample.text(count) }
  private static func members(_ count: Int) -> String {
    String(Sample.members(count).dropFirst().dropLast())
  }
  private static func strings(_ count: Int) -> String { Sample.strings(count) }

  static let eventCases: [Case] = [
    .v2("string", 300, .stringTooLong) { #""a":"\#(text($0))""# },
    .v2("string in an array", 300, .stringTooLong) { #""a":["\#(text($0))"]"# },
    .v2("attributes", 20, .tooManyAttributes) { members($0) },
    .v2("attributes beside label and tags", 20, .tooManyAttributes) {
      #""$label":"l","$tags":[],\#(members($0))"#
    },
    .v2("attributes of an object", 20, .tooManyAttributes) { #""a":{\#(members($0))}"# },
    .v2("attributes of an item", 20, .tooManyAttributes) { #""a":[{\#(members($0))}]"# },
    .v2("label", 200, .labelTooLong) { #""$label":"\#(text($0))""# },
    .v2("tags", 10, .tooManyTags) { #""$tags":\#(strings($0))"# },
    .v2("tags before duplicates go", 10, .tooManyTags) {
      #""$tags":[\#((0..<$0).map { _ in "\"t\"" }.joined(separator: ","))]"#
    },
    .v2("tag", 64, .tagTooLong) { #""$tags":["\#(text($0))"]"# },
    .v2("URL", 2048, .urlTooLong) { #""url(a)":"x://\#(text($0 - 4))""# },
    .v2("strings", 25, .arrayTooLong) { #""a":\#(strings($0))"# },
    .v2("objects", 25, .arrayTooLong) {
      #""a":[\#((0..<$0).map { _ in "{}" }.joined(separator: ","))]"#
    },
    .v2("key", 30, .badKey) { #""\#(text($0))":1"# },
    .v2("inner key", 30, .badKey) { #""url(\#(text($0)))":"x://y""# },
    .v2("nesting", 3, .tooNested) { depth in
      "\"a\":" + String(repeating: "{\"a\":", count: depth - 1) + "[]"
        + String(repeating: "}", count: depth - 1)
    },
    .v1("string", 64, .stringTooLong) { #""attributes":{"a":"\#(text($0))"}"# },
    .v1("attributes", 15, .tooManyAttributes) { #""attributes":{\#(members($0))}"# },
    .v1("label", 200, .labelTooLong) { #""label":"\#(text($0))""# },
    .v1("tags", 10, .tooManyTags) { #""tags":\#(strings($0))"# },
    .v1("tag", 64, .tagTooLong) { #""tags":["\#(text($0))"]"# },
    .v1("event id", 256, .badEventID) { #""id":"\#(text($0))""# },
    .v1("custom id", 1024, .badCustomID) { #""custom_id":"\#(text($0))""# },
    .v1("installation id", 128, .badInstallationID) { #""installation_id":"\#(text($0))""# },
    Case("event name", 30, .badName) { #"{"name":"\#(text($0))","time":\#(Sample.time)}"# },
    Case("event name behind a prefix", 30, .badName) {
      #"{"name":"ue.\#(text($0))","time":\#(Sample.time)}"#
    },
  ]

  static let operationCases: [Case] = [
    .operation("string", 300, .stringTooLong) { #""a":"\#(text($0))""# },
    .operation("item", 300, .stringTooLong) { #""a":["\#(text($0))"]"# },
    .operation("added item", 300, .stringTooLong) { #""a":{"$add":["\#(text($0))"]}"# },
    .operation("items", 25, .arrayTooLong) { #""a":\#(strings($0))"# },
    .operation("items added", 25, .arrayTooLong) { #""a":{"$add":\#(strings($0))}"# },
    .operation("items removed", 25, .arrayTooLong) { #""a":{"$remove":\#(strings($0))}"# },
    .operation("URL", 2048, .urlTooLong) { #""url(a)":"x://\#(text($0 - 4))""# },
    .operation("e-mail", 256, .emailInvalid) { #""$email_address":"\#(text($0 - 4))@b.c""# },
    .operation("phone", 15, .phoneInvalid) {
      #""$phone_number":"+\#(String(repeating: "1", count: $0))""#
    },
    .operation("language", 15, .languageInvalid) { #""$language":" \#(text($0)) ""# },
    .operation("region", 15, .regionInvalid) { #""$region":"\#(text($0))""# },
    .operation("time zone", 64, .stringTooLong) { #""$timezone":"\#(text($0))""# },
    .operation("topics", 25, .arrayTooLong) { #""$topic_preferences":\#(strings($0))"# },
    .operation("topic", 300, .topicInvalid) { #""$topic_preferences":["\#(text($0))"]"# },
    Case("v1 data string", 64, .stringTooLong) {
      #"{"id":"u","time":\#(Sample.time),"update":{"values":{"u.a":"\#(text($0))"}}}"#
    },
    Case("v1 data item", 64, .stringTooLong) {
      #"{"id":"u","time":\#(Sample.time),"update":{"values":{"ut.a":["\#(text($0))"]}}}"#
    },
  ]

  @Test(arguments: eventCases + operationCases)
  func asMuchAsAllowedAndOneMore(_ example: Case) throws {
    let harness = StageHarness()
    let most = try harness.explain(example.line(example.limit))
    #expect(most.outcome == "accepted" && most.codes.isEmpty, "\(most.reasons)")
    let more = try harness.explain(example.line(example.limit + 1))
    #expect(more.outcome == "rejected" && more.codes == [example.code.text], "\(more.reasons)")
  }

  @Test func theFloors() throws {
    let harness = StageHarness()
    for (member, code) in [
      (#""$language":"fr""#, nil), (#""$language":"f""#, "language_invalid"),
      (#""$language":"""#, "language_invalid"), (#""$region":"  é  ""#, "region_invalid"),
      (#""$timezone":" ""#, nil), (#""$timezone":"""#, "string_empty"),
      (#""$phone_number":"+""#, "phone_invalid"), (#""$topic_preferences":[""]"#, "topic_invalid"),
    ] as [(String, String?)] {
      let line = try harness.explain(
        #"{"identifiers":{"custom_id":"u"},"time":\#(Sample.time),"attributes":{\#(member)}}"#)
      #expect(line.codes == (code.map { [$0] } ?? []), "\(member)")
    }
  }

  /// Lengths are those in characters as people see them, not in bytes or scalars (data-model 2).
  @Test func lengthsAreInCharacters() throws {
    let harness = StageHarness()
    let character = "👩‍👩‍👧‍👦"
    for (count, code) in [(64, nil), (65, "string_too_long")] as [(Int, String?)] {
      let text = String(repeating: character, count: count)
      let line = try harness.explain(
        #"{"name":"n","time":\#(Sample.time),"attributes":{"a":"\#(text)"}}"#)
      #expect(line.codes == (code.map { [$0] } ?? []))
      if code != nil {
        #expect(line.value["events"]?[0]?["reasons"]?[0]?["actual"]?.integer == 65)
      }
    }
    // CR LF is one character.
    let text = String(repeating: #"\r\n"#, count: 64)
    let line = try harness.explain(
      #"{"name":"n","time":\#(Sample.time),"attributes":{"a":"x\#(text)"}}"#)
    #expect(line.codes == ["string_too_long"])
    let fits = try harness.explain(
      #"{"name":"n","time":\#(Sample.time),"attributes":{"a":"x\#(text.dropLast(4))"}}"#)
    #expect(fits.codes.isEmpty && fits.losses == ["attributes.a string_newline"])
  }
}
