import TestSupport
import Testing

@testable import Stages

/// Where what is wrong with a line of a further dialect is told, and in which words.
@Suite struct DialectReasonsTests {
  private static let time = #""sDate":"2024-05-02T09:15:00.000Z""#
  private static let ids = #""ids":{"di":"i","cus":"u"}"#

  private static func event(_ attributes: String) -> String {
    "{\"name\":\"E.A\",\(time),\(ids),\"params\":{\"attributes\":{\(attributes)}}}"
  }

  private static func installation(_ params: String, _ ids: String = ids) -> String {
    "{\"name\":\"_INSTALL_DATA_CHANGED\",\(time),\(ids),\"params\":{\(params)}}"
  }

  private static func action(_ action: String) -> String {
    "{\"custom_id\":\"u\",\"time\":\"2024-05-02T09:15:00.000Z\",\"action\":\(action)}"
  }

  @Test(arguments: [
    (
      event(#""size.i":"x""#), "event:0 attributes.size wrong_type",
      "attributes.size has a type that is not allowed here; a key with .i has a number "
        + "without fraction and exponent"
    ),
    (
      event(#""until.t":"2024-05-02""#), "event:0 attributes.date(until) wrong_type",
      "attributes.date(until) has a type that is not allowed here; a key with .t has a "
        + "number, milliseconds since 1970"
    ),
    (
      event(#""size":1"#), "event:0 attributes.size bad_key",
      "the key of attributes.size must be 1 to 30 of the characters A-Z, a-z, 0-9 and _; it "
        + "ends with a dot and the letter of the type of the value, one of b, i, f, s, t, u, a and o"
    ),
    (
      event(#""o.o":{"$k":1}"#), "event:0 attributes.o.$k reserved_key",
      "attributes.o.$k is reserved: keys must not begin with $"
    ),
    (
      "{\"name\":\"T\",\(time),\"params\":{\"amount\":\"1\"}}",
      "event:0 attributes.amount wrong_type",
      "attributes.amount has a type that is not allowed here; an amount is a number"
    ),
    (
      installation(#""added":{"a.i":null}"#), "operation:0 installation_attributes.a wrong_type",
      "installation_attributes.a has a type that is not allowed here; an added item has a value "
        + "other than null"
    ),
    (
      installation(#""added":{"t.x":"y"}"#), "operation:0 installation_attributes.x wrong_type",
      "installation_attributes.x has a type that is not allowed here; a key with t. has an "
        + "array of texts"
    ),
    (
      installation(#""added":{"a.i":1}"#, #""cus":"u""#),
      "operation:0 installation_attributes.a needs_installation_id",
      "installation_attributes.a needs a record with an installation_id"
    ),
    (
      "{\"name\":\"_PROFILE_IDENTIFY\",\"ts\":1,"
        + "\"params\":{\"identifiers\":{\"custom_id\":\"u\",\"install_id\":\"i\"}}}",
      "line:0 time missing_time",
      "there is no time, and no --default-time for it; a link needs a time of its own"
    ),
    (
      action(#"["batch.user.event",5]"#), "event:0 action[1] bad_action",
      "action[1] is not a valid action; the arguments of an event are an object"
    ),
    (
      action("[5]"), "line:0 action bad_action",
      "action is not a valid action; an action is an array of a name and an object of "
        + "arguments"
    ),
    (
      action(#"["batch.group",{"actions":[["batch.deeplink"],"x"]}]"#),
      "event:0 action[1].actions[1] bad_action",
      "action[1].actions[1] is not a valid action; an action is an array of a name and an "
        + "object of arguments"
    ),
    (
      action(#"["batch.group",{"actions":[["batch.group",{}]]}]"#),
      "line:0 action[1].actions[0] bad_action",
      "action[1].actions[0] is not a valid action; a group cannot contain a group"
    ),
    (
      action(#"["batch.group",{}]"#), "line:0 action[1] bad_action",
      #"action[1] is not a valid action; a group has "actions", an array of actions"#
    ),
    (
      action(#"["batch.user.tag",{"c":"c"}]"#), "operation:0 action[1] bad_action",
      #"action[1] is not a valid action; a tag takes "c", the collection, and "t", the tag, "#
        + #"both of them texts that are not empty, and "a", which is add or remove"#
    ),
  ])
  func everyReasonTellsWhatWouldBeRight(
    _ line: String, _ reason: String, _ message: String
  ) throws {
    let harness = StageHarness()
    #expect(try harness.explain(line).reasons == [reason], "\(line)")
    let entry = try #require(try harness.rejects().first)
    #expect(entry["reasons"]?.items.first?["message"]?.text == message)
  }

  @Test func aGroupSaysHowManyActionsItMayHave() throws {
    let harness = StageHarness()
    let actions = Array(repeating: "[\"batch.deeplink\"]", count: 11).joined(separator: ",")
    let line = Self.action("[\"batch.group\",{\"actions\":[\(actions)]}]")
    #expect(try harness.explain(line).reasons == ["line:0 action[1].actions bad_action"])
    let reason = try #require(try harness.rejects().first?["reasons"]?.items.first)
    #expect(reason["limit"]?.integer == 10 && reason["actual"]?.integer == 11)
  }

  @Test func aSkippedAttributeIsToldWhereItStands() throws {
    let harness = StageHarness()
    let line = Self.action(
      #"["batch.group",{"actions":[["batch.deeplink"],["batch.user.event",{"e":"e","a":{"k":[]}}]]}]"#
    )
    #expect(
      try harness.explain(line).losses == [
        "action[1].actions[1][1].a.k action_attribute_skipped"
      ])
  }
}
