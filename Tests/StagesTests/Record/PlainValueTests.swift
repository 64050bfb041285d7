import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct PlainValueTests {
  private let values = [
    "\"\"", "\" \"", "\"a\"", "\"a \"", "\" a\"", "\"\\n\"", "\"a\\nb\"", "\"\\u0061\"", "\"é\"",
    "\"\u{A0}\"", "\"\(Sample.text(64))\"", "\"\(Sample.text(65))\"", "\"\(Sample.text(300))\"",
    "\"\(Sample.text(301))\"", "0", "-1", "999999999999999999", "-99999999999999999",
    "9223372036854775807", "9223372036854775808", "1.5", "1e5", "1e999", "0.1e-7",
    "\(String(repeating: "9", count: 400)).5", "\(String(repeating: "9", count: 298)).5", "true",
    "false", "null", "[]", "{}", "[\"a\"]",
  ]

  @Test func whatIsSeenIsValidUnderEveryRule() {
    var seen: [String] = []
    for value in values {
      withTape(of: value) { tape, root in
        let isSeen = PlainValue.isTriviallyValid(tape[root], of: tape)
        if isSeen { seen.append(value) }
        for rule in [TextRule.v1String, .v2String, .v1Operation, .v2Operation] {
          let isPlain = rule.isPlain(tape[root], of: tape)
          #expect(isPlain || !isSeen, "\(value)")
          #expect(!isPlain || rule.fault(tape[root], of: tape) == nil, "\(value)")
        }
      }
    }
    #expect(
      seen == [
        "\"a\"", "\"a \"", "\"\(Sample.text(64))\"", "0", "-1", "999999999999999999",
        "-99999999999999999", "1.5", "\(String(repeating: "9", count: 298)).5", "true", "false",
      ], "the usual values are seen")
  }
}
