@testable import Jobs
import TestSupport
import Testing

/// The sentences of all problems; other tests compare codes and figures.
@Suite struct ProblemCodeTests {
  @Test func theSentences() throws {
    let lines = ProblemCode.allCases.map { "\($0): \($0.rawValue)\n" }
    #expect(try Golden.difference(lines.joined(), from: "problems.txt") == nil)
  }

  /// A noun outside of the braces has the same form for one thing.
  @Test func countedThingsAgreeWithTheirNumber() {
    let nouns = #/\} ([a-z]+ )?(event|operation|line|losse|example|duplicate|part|time)s\b/#
    for code in ProblemCode.allCases {
      #expect(code.rawValue.firstMatch(of: nouns) == nil, "\(code)")
    }
  }

  /// Figures stand where their names are, whatever they hold.
  @Test func figuresTakeThePlacesOfTheirNames() {
    let problem = VerifyProblem(
      file: "a", frame: 1, line: 2, finding: Finding(.otherRejectsOfInput, ["{x}", 3, "", ""]))
    #expect(problem.message == "a (frame 1, line 2): {x} has 3 ; rejects.ndjson.zst has  of them")
    #expect(Finding(.unreadableDocument, ["why"]).sentence == "why")
    #expect(Finding(.otherLines, [1, 2]).sentence == "it has 1 line; the manifest says 2")
    #expect(Finding(.otherLines, [2, 1]).sentence == "it has 2 lines; the manifest says 1")
    #expect(Finding(.noStates).sentence == "it does not contain states of keys")
  }
}

extension VerifyProblem {
  /// Location, code and figures, for tests to compare.
  var coded: String {
    let figures = finding.figures.isEmpty ? "" : " " + finding.figures.joined(separator: ", ")
    return "\(location): \(finding.code)\(figures)"
  }
}
