import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Values that stand on the tape as text must be those that the rules for foreign values leave as
/// they stand.
@Suite struct ForeignDraftPlainTests {
  private struct Found {
    /// The text of a value that stays as it stands, if it is seen to be one.
    var text: String?
    /// What the rules make of the value; nil when nothing is kept.
    var drafted: String?
    var lost: [String] = []
  }

  private func find(_ json: String, readsDates: Bool = false) -> Found {
    withBatch(of: json) { batch, root in
      let tape = batch.tape
      let draft = ForeignDraft(into: batch, ForeignScratch(Rules().foreign.identityKeys))
      draft.readsDates = readsDates
      var found = Found()
      draft.appendEvent { _ in
        draft.copiesText = true
        found.text = draft.textAsIs(root, names: 1).map { tape.bytes($0).text }
        draft.copiesText = false
        #expect(draft.textAsIs(root, names: 1) == nil)
        let first = tape.count
        var path = FieldPath(root: "x")
        draft.append(root, names: 1, at: &path)
        guard tape.count > first else { return }
        #expect(Int(tape[first].next) == tape.count, "\(json)")
        found.drafted = canonical(first, of: tape)
      }
      found.lost = (0..<batch.findings.count).map { index in
        let loss = batch.findings[index]
        return "\(loss.code.text) \(batch.findings.path(loss).text)"
      }
      return found
    }
  }

  @Test func usualValuesStayAsTheyStand() {
    for json in [
      #"{"a":1}"#, #"{"a":{"b":{"c":"x"}}}"#, #"["x","y"]"#, #"{"a_b":"xé"}"#,
      #"[{"a":1},{"a":2,"b":[{"c":"d"}]}]"#,
    ] {
      let found = find(json)
      #expect(found.text == String(json.dropFirst().dropLast()), "\(json)")
      #expect(found.drafted == json && found.lost.isEmpty, "\(json)")
    }
  }

  @Test func whatTheRulesWouldChangeDoesNot() {
    let long = String(repeating: "y", count: 301)
    let many = (0..<21).map { "\"k\($0)\":1" }.joined(separator: ",")
    let items = Array(repeating: "\"x\"", count: 26).joined(separator: ",")
    for json in [
      "1", "\"x\"", "null", "{}", "[]", "{\"a\":\"\(long)\"}", #"{"a":"x\ny"}"#, #"{"a":"x\"y"}"#,
      #"{"A":1,"a":2}"#, #"{"a":1,"a":2}"#, #"{"a":1,"a":null}"#, #"{"a":null}"#, #"{"/":1}"#,
      "{\(many)}", "[\(items)]", "[1,2.5]", "[true]", "[null]", #"["x",{"a":1}]"#, #"[["x"]]"#,
      #"{"aB":1}"#, #"{"a":1,"b":{}}"#, #"{"a":12345678901234567890}"#,
      #"{"a":{"b":{"c":{"d":1}}}}"#, #"{"a":[{"b":[{"c":["x"]}]}]}"#,
    ] {
      #expect(find(json).text == nil, "\(json)")
    }
  }

  @Test func aDateHasAKeyThatSaysSo() {
    let json = #"{"Since":"2024-05-02T09:15:00.000Z","x":"2024-05-02"}"#
    let found = find(json, readsDates: true)
    #expect(found.drafted == #"{"date(since)":"2024-05-02T09:15:00.000Z","x":"2024-05-02"}"#)
    #expect(find(#"{"since":"2024-05-02T09:15:00.000Z"}"#, readsDates: true).text == nil)
    #expect(find(#"{"since":"2024-05-02T09:15:00.000Z"}"#).text != nil)
    // A key that another one falls together with stays one of a date.
    #expect(
      find(#"{"A":1,"a":"2024-05-02T09:15:00.000Z"}"#, readsDates: true).drafted
        == #"{"a":1,"date(a_2)":"2024-05-02T09:15:00.000Z"}"#)
  }

  /// Losses of the object itself come before those inside of its values, and none is told of what
  /// was left out.
  @Test func lossesHaveTheOrderOfTheirObjects() {
    let long = String(repeating: "y", count: 301)
    let found = find(#"{"b":{"c":"\#(long)"},"b c":"\#(long)","/":1,"B C":"x","b":"\#(long)"}"#)
    #expect(
      found.lost == [
        "bad_key x./", "key_collision x.b c", "string_truncated x.b c", "string_truncated x.b",
      ])
  }

  /// What is lost in an array inside an array has the numbers of both.
  @Test func pathsNameTheItemsOfAllArrays() {
    let found = find(#"["x",[{"/":1}],[[{"/":1}]]]"#)
    #expect(found.lost == ["bad_key x[1][0]./", "bad_key x[2][0][0]./"])
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func whatStaysIsWhatTheRulesMake(seed: UInt64) {
    var values = ForeignValues(seed: seed)
    var whole = 0
    for round in 0..<800 {
      let json = values.value(depth: 0)
      for readsDates in [false, true] {
        let found = find(json, readsDates: readsDates)
        guard let text = found.text else { continue }
        whole += 1
        let comment: Comment = "seed \(seed), round \(round): \(json)"
        #expect(text == json.dropFirst().dropLast(), comment)
        #expect(found.drafted == json && found.lost.isEmpty, comment)
      }
    }
    #expect(whole > 50 && whole < 1400, "seed \(seed)")
  }
}

/// Values that are mostly usual.
private struct ForeignValues: RandomChoices {
  var random: RepeatableRandom

  init(seed: UInt64) { random = RepeatableRandom(seed: seed) }

  mutating func value(depth: Int) -> String {
    let count = Int.random(in: 1..<5, using: &random)
    switch Int.random(in: 0..<(depth < 5 ? 8 : 5), using: &random) {
    case 0: return pick(["1", "-20", "3.5", "true", "false"])
    case 1...3:
      return pick(["\"x\"", "\"some text\"", "\"é\"", #""a\"b""#, "\"2024-05-02T09:15:00.000Z\""])
    case 4:
      return chance(80)
        ? "\"y\""
        : pick(["null", "\"\"", "\" \"", "{}", "[]", #""a\nb""#, "1e400", "99999999999999999999"])
    case 5: return "[" + (0..<count).map { _ in value(depth: 5) }.joined(separator: ",") + "]"
    case 6:
      let items = (0..<(chance(5) ? 30 : count)).map { _ in object(depth: depth + 1) }
      return "[" + items.joined(separator: ",") + "]"
    default: return object(depth: depth + 1)
    }
  }

  private mutating func object(depth: Int) -> String {
    let names =
      chance(70) ? ["a", "b", "c_d", "e1", "f", "g"] : ["a", "A", "a b", "aB", "é", "/", "url"]
    let members = (0..<Int.random(in: 1..<4, using: &random)).map { _ in
      "\"\(pick(names))\":\(value(depth: depth + 1))"
    }
    return "{" + members.joined(separator: ",") + "}"
  }
}
