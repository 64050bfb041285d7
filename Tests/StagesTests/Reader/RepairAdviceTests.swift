import Pipeline
import TestSupport
import Testing

@testable import Stages

/// What the reason of a line that is not JSON or not UTF-8 says about several objects in it, and
/// about repairs (data-model 2).
@Suite struct RepairAdviceTests {
  private static let two = "the line has two objects: write each on a line of its own"
  private static let torn = "a whole object follows a torn one: write it on a line of its own"
  private static let whole = #"{"id":"1","values":{"a":[{"b":2}]}}"#

  /// The message of the line's reason after the fault; the bytes `?` are not UTF-8.
  private func advice(_ line: String, repairs: Bool = false) throws -> String {
    var rules = Rules()
    rules.foreign.repairs = repairs
    let bytes = Array(line.utf8).map { $0 == UInt8(ascii: "?") ? 0xC3 : $0 }
    let found = try #require(try StageHarness().explain(bytes, rules).first)
    let message = try #require(found.value["reasons"]?[0]?["message"]?.text, "\(found.source)")
    return message.split(separator: "; ").last.map(String.init) ?? ""
  }

  @Test(
    arguments: [
      whole + whole, "\(whole) \(whole)", "\(whole),\(whole)", "\(whole) , \(whole),",
      " \(whole)\(whole)", "\u{FEFF}\(whole)\(whole)", #"{"a":"?"}"# + whole,
      whole + #"{"a":"?"}"#, #"{"a":"\ud800",}"# + whole, whole + #"{"a":"#,
    ])
  func twoObjects(line: String) throws {
    #expect(try advice(line) == Self.two)
    #expect(try advice(line, repairs: true) == Self.two)
  }

  @Test(
    arguments: [
      #"{"custom_id":"u","na"#, #"{"name":"caf?"#, #"{"name":"a\"#, #"{"name":"\ud83d"#,
      #"{"a":1"#, #"{"a":[1,{"b":2}"#, #"{"a":tr"#, #"{"a":"x","b":"hello {x} {y} {z} {a} {b}"#,
      "{", "{\u{0}\u{0}", #"{"a":1}}"#,
      // Without the beginning.
      #""x":1}"#, #"ue}"#, #"-1","a":{"b":{"c":{"d":[{}]}}}}"#, #"?","a":[1]}"#, "}",
    ])
  func aWholeObjectAfterATornOne(line: String) throws {
    #expect(try advice(line + Self.whole) == Self.torn)
    #expect(try advice("\(line) \(Self.whole) \t", repairs: true) == Self.torn)
  }

  @Test(
    arguments: [
      // In a string without an end, or as values.
      #"{"a":"{}"#, #"{"a":"x {}"#, #"{"a":"x { }"#, #"{"p":"{\"b\":1}"#, #"{"p":"[1]{}"#,
      #"{"a":{"b":1}"#, #"{"a":[{"b":1}"#, #"{"a":[{"b":1},{"b":2}"#, #"{"a":"x?{}"#,
      // Not at the end, not objects, or nothing that was an object before.
      #"{"a"{"b":1}}"#, #"{"msg":"got {"a":1}"}"#, #"[{"a":1}{"b":2}]"#, "[1]\(whole)",
      "GET / \(whole)", "1,\(whole)", "\"a\"\(whole)", "{'a':1}", "\u{0}", "?",
    ])
  func noOtherObject(line: String) throws {
    let advice = try advice(line)
    #expect(advice != Self.two && advice != Self.torn)
  }

  @Test(arguments: [
    "\u{0}" + #"{"a":"?\ud800",}"#, #"{"custom_id":"u","name":"?","attributes":{"id":"?"}}"#,
  ])
  func repairsThatHelp(_ line: String) throws {
    #expect(try advice(line) == "redrive --repair does so later")
  }

  /// With the repair the line would be rejected, as its id may be that of another.
  @Test(arguments: [
    #"{"custom_id":"u?","name":"a"}"#, #"{"installation_id":"\ud800","name":"a",}"#,
    #"{"identifiers":{"custom_id":"?"},"events":[]}"#,
    #"{"identifiers":{"installation":{"installation_id":"?"}},"events":[]}"#,
    #"{"ids":{"cus":"?"},"name":"a"}"#,
  ])
  func noRepairHelpsWhereAnIDIsDamaged(_ line: String) throws {
    let message = "the damage is in an id, which no repair can restore: write the line again"
    #expect(try advice(line) == message)
  }

  @Test func manyBeginningsOfObjects() throws {
    for piece in [#"}{"a":1,"#, #"}{"a":""#, "}{{", #""}{"a":""#] {
      let line = String(repeating: piece, count: 10_000)
      #expect(try advice(line) != Self.two)
      #expect(try advice("{{" + line) != Self.two)
    }
  }
}
