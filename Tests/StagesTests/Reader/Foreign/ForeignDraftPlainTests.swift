import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Values that are copied as they stand must be those that the rules for foreign values would leave
/// so.
@Suite struct ForeignDraftPlainTests {
  private struct Found {
    var isCanonicalAsIs = false
    /// What was appended by the short way; nil when it gave up.
    var plain: String?
    /// What the rules make of the value; nil when nothing is kept.
    var ruled: String?
    var hasLosses = false
  }

  private func find(_ json: String, readsDates: Bool = false) -> Found {
    withBatch(of: json) { batch, root in
      let tape = batch.tape
      let draft = ForeignDraft(into: batch, ForeignScratch(Rules().foreign.identityKeys))
      draft.readsDates = readsDates
      var found = Found()
      draft.appendEvent { _ in
        found.isCanonicalAsIs = draft.isCanonicalAsIs(root, names: 1)
        let first = tape.count
        if draft.appendPlain(root, names: 1) {
          found.plain = canonical(first, of: tape)
          #expect(Int(tape[first].next) == tape.count)
        } else {
          #expect(tape.count == first, "what is given up leaves nothing: \(json)")
        }
        guard draft.hasContent(root, names: 1) else { return }
        let second = tape.count
        var path = FieldPath(root: "x")
        draft.appendValue(root, names: 1, at: &path)
        // Dates have other keys, and objects inside are drafted before those around them.
        found.ruled = canonical(Self.last(from: second, of: tape), of: tape)
        found.hasLosses = batch.findings.count > 0
      }
      return found
    }
  }

  /// The value that ends with the tape and does not stand in another one.
  private static func last(from first: Int, of tape: Tape) -> Int {
    var node = first
    while Int(tape[node].next) < tape.count { node = Int(tape[node].next) }
    return node
  }

  @Test func usualValuesAreCopied() {
    for json in [
      "1", "-1.5", "true", "\"x\"", #"{"a":1}"#, #"{"a":{"b":{"c":"x"}}}"#, #"["x","y"]"#,
      #"[{"a":1},{"a":2,"b":[{"c":"d"}]}]"#, #"{"a_b":"x\"é"}"#,
    ] {
      let found = find(json)
      #expect(found.plain != nil && found.plain == found.ruled && !found.hasLosses, "\(json)")
      #expect(found.isCanonicalAsIs == (json.hasPrefix("{") || json.hasPrefix("[")), "\(json)")
    }
    // Keys that get another name, members that say nothing and numbers in lists: copied, but not
    // whole.
    for json in [#"{"aB":1,"A c":2}"#, #"{"a":1,"b":null,"c":"","d":{}}"#, "[1,2.5]"] {
      let found = find(json)
      #expect(found.plain != nil && found.plain == found.ruled && !found.isCanonicalAsIs, "\(json)")
    }
  }

  @Test func whatTheRulesWouldChangeIsNot() {
    let long = String(repeating: "y", count: 301)
    let many = (0..<21).map { "\"k\($0)\":1" }.joined(separator: ",")
    let items = Array(repeating: "\"x\"", count: 26).joined(separator: ",")
    for json in [
      "null", "{}", "[]", "\"\"", "\" \"", "\"\(long)\"", "\"a\\nb\"", "1e5",
      "12345678901234567890",
      #"{"A":1,"a":2}"#, #"{"a":1,"a":2}"#, #"{"a":1,"a":null}"#, #"{"a":null}"#, #"{"/":1}"#,
      "{\(many)}", "[\(items)]", "[true]", "[null]", #"["x",{"a":1}]"#, #"[["x"]]"#,
      #"{"a":{"b":{"c":{"d":1}}}}"#, #"{"a":[{"b":[{"c":["x"]}]}]}"#,
    ] {
      let found = find(json)
      #expect(found.plain == nil && !found.isCanonicalAsIs, "\(json)")
    }
  }

  @Test func aDateHasAKeyThatSaysSo() {
    let json = #"{"Since":"2024-05-02T09:15:00.000Z","x":"2024-05-02"}"#
    let found = find(json, readsDates: true)
    #expect(found.plain == #"{"date(since)":"2024-05-02T09:15:00.000Z","x":"2024-05-02"}"#)
    #expect(found.plain == found.ruled && !found.isCanonicalAsIs)
    #expect(!find(#"{"since":"2024-05-02T09:15:00.000Z"}"#, readsDates: true).isCanonicalAsIs)
    #expect(find(#"{"since":"2024-05-02T09:15:00.000Z"}"#).isCanonicalAsIs)
    // Beside one of its own name it is up to the rules.
    #expect(
      find(#"{"a":1,"A":"2024-05-02T09:15:00.000Z"}"#, readsDates: true).plain == nil)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func whatIsCopiedIsWhatTheRulesMake(seed: UInt64) {
    var values = ForeignValues(seed: seed)
    var copied = 0
    var whole = 0
    for round in 0..<800 {
      let json = values.value(depth: 0)
      for readsDates in [false, true] {
        let found = find(json, readsDates: readsDates)
        let comment: Comment = "seed \(seed), round \(round): \(json)"
        if let plain = found.plain {
          copied += 1
          #expect(plain == found.ruled && !found.hasLosses, comment)
        }
        if found.isCanonicalAsIs {
          whole += 1
          #expect(found.plain == found.ruled && found.plain != nil && !found.hasLosses, comment)
        }
      }
    }
    #expect(copied > 200 && copied < 1400 && whole > 50 && whole < copied, "seed \(seed)")
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
