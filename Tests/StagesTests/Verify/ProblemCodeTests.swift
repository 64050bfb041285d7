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

  /// A problem has as many figures as its sentence has names, wherever its code is written.
  @Test func everyProblemHasItsFigures() throws {
    let codes = Dictionary(
      uniqueKeysWithValues: ProblemCode.allCases.map { ("\($0)", $0.rawValue) })
    var sites = 0
    for (path, text) in try ["Verify", "Migrate"].flatMap({
      try SourceFiles.below("Sources/Jobs/\($0)")
    }) where path != "VerifyProblem.swift" {
      for match in text.matches(of: #/(= )?\.(\w+)(,\s*\[|(?=[,)]))/#) where match.1 == nil {
        // `ReportCheck.compare` adds those of two codes.
        guard let sentence = codes[String(match.2)],
          !["otherNames", "otherProfiles"].contains(match.2)
        else { continue }
        var (depth, figures) = (0, match.3.isEmpty ? 0 : 1)
        for character in text[match.range.upperBound...] where depth >= 0 {
          if "([{".contains(character) { depth += 1 }
          if ")]}".contains(character) { depth -= 1 }
          if character == ",", depth == 0 { figures += 1 }
        }
        #expect(figures == sentence.count { $0 == "{" }, "\(path): \(match.2)")
        sites += 1
      }
    }
    #expect(sites > 80)
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
