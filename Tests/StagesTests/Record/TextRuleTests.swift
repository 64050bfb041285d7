import Pipeline
import TestSupport
import Testing

@testable import Stages

/// One fault per text, the first of empty, blank, too long, newline (data-model 7).
@Suite struct TextRuleTests {
  private func fault(_ rule: TextRule, _ json: String) -> ReasonCode? {
    withTape(of: json) { tape, root in rule.fault(tape[root], of: tape)?.code }
  }

  @Test func theFirstFaultCounts() {
    let blank = String(repeating: " ", count: 400)
    let long = String(repeating: "x", count: 400)
    #expect(fault(.v2String, #""""#) == .stringEmpty)
    #expect(fault(.v2String, "\"\(blank)\"") == .stringBlank, "blank before too long")
    #expect(fault(.v2String, "\"\(long)\\n\"") == .stringTooLong, "too long before newline")
    #expect(fault(.v2String, #""x\n""#) == .stringNewline)
    #expect(fault(.v2String, #""\n""#) == .stringBlank, "blank before newline")
    #expect(fault(.v2String, #""x\r\u2028""#) == nil)
  }

  @Test func v1TakesBlankAndNewline() {
    #expect(fault(.v1String, #"" ""#) == nil)
    #expect(fault(.v1String, #""x\ny""#) == nil)
    #expect(fault(.v1String, #""""#) == .stringEmpty)
    #expect(fault(.v1Label, #""""#) == nil)
    #expect(fault(.v1Tag, #""""#) == .tagBlank)
    #expect(fault(.v1Tag, #"" ""#) == nil)
  }

  @Test func eachRuleHasItsCodes() {
    #expect(fault(.v2Label, #""""#) == .labelBlank)
    #expect(fault(.v2Label, #""a\nb""#) == .labelNewline)
    #expect(fault(.v2Tag, #""\u00a0""#) == .tagBlank)
    #expect(fault(.v2Tag, #""a\nb""#) == .tagNewline)
    #expect(fault(.v2Operation, #""a\nb""#) == nil)
    #expect(fault(.v1Operation, #"" ""#) == .stringBlank)
    #expect(fault(.customID, #""a\nb""#) == .badCustomID)
    #expect(fault(.customID, #"" ""#) == .badCustomID)
    #expect(fault(.eventID, #""a\nb""#) == nil)
    #expect(fault(.eventID, #"" ""#) == nil)
    #expect(fault(.installationID, #""""#) == .badInstallationID)
    #expect(fault(.timezone, #"" ""#) == nil)
  }

  @Test func figures() {
    let text = "\"" + String(repeating: "é", count: 70) + "\""
    withTape(of: text) { tape, root in
      let fault = TextRule.v1Tag.fault(tape[root], of: tape)
      #expect(fault?.limit == 64 && fault?.actual == 70)
    }
  }
}
