import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Codes of reasons, losses and remarks (data-model 17 to 19). `Vectors/examples.jsonl` has a line
/// for each of `v1` and `v2`, other vectors for those of foreign dialects.
@Suite struct ReasonTests {
  @Test func everyCodeHasAnExample() throws {
    let vectors = try VectorFiles.vectors("examples.jsonl")
    let reasons = StageHarness.Explained.codes(of: vectors.flatMap(\.reasons))
    let losses = StageHarness.Explained.codes(
      of: vectors.filter { $0.dialect == "v1" || $0.dialect == "v2" }.flatMap(\.losses))
    for code in ReasonCode.allCases
    where code.rawValue < ReasonCode.notMeasurementEvent.rawValue {
      // Losses alone, and a reason that only a redrive has: the transcript redrive-parts.
      let isMissing = [
        .aliasIgnored, .reservedKeyInV1, .rootLabelIgnored, .rootTagsIgnored,
        .actionAttributeSkipped, .actionTagSkipped, .partMissing,
      ].contains(code)
      #expect(reasons.contains(code.text) != isMissing, "\(code.text)")
    }
    for code in [ReasonCode.reservedKeyInV1, .rootLabelIgnored, .rootTagsIgnored] {
      #expect(losses.contains(code.text))
    }
    let all = try VectorFiles.ofLines.flatMap { try VectorFiles.vectors($0.0) }
    let found = StageHarness.Explained.codes(
      of: all.flatMap { $0.reasons + $0.losses + ($0.remarks ?? []) })
    #expect(Set(ReasonCode.allCases.map(\.text)).subtracting(found) == ["part_missing"])
    // What v1 cannot even write down.
    let notInV1: [ReasonCode] = [
      .urlInvalid, .urlTooLong, .arrayTooLong, .arrayMixed, .arrayNested, .tooNested,
    ]
    for code in ReasonCode.allCases
    where (ReasonCode.badKey.rawValue...ReasonCode.tagNewline.rawValue).contains(code.rawValue) {
      #expect(losses.contains(code.text) != notInV1.contains(code), "\(code.text)")
    }
  }

  /// Rows are in the order of the cases: the row of `badKey` is that of `bad_key`.
  @Test func everyRowIsThatOfItsCase() {
    let letters = { (text: String) in text.lowercased().filter { $0.isLetter || $0.isNumber } }
    for code in ReasonCode.allCases {
      #expect(letters("\(code)") == letters(code.text))
      #expect(ReasonCode(code.text) == code)
      // What a part of pulse lacks is not a cut; what is left out of one is.
      if let colon = code.text.firstIndex(of: ":") {
        #expect(code.isCut == ["bad_field", "too_many"].contains(code.text[..<colon]), "\(code)")
      }
      #expect(code.text.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_:.".contains($0) })
    }
    #expect(ReasonCode("no_such_code") == nil)
  }

  /// Every code has a sentence, and every name in braces is a figure.
  @Test func everyCodeHasAMessage() {
    var messages = Set<String>()
    for code in ReasonCode.allCases {
      var list = ReasonList()
      list.add(code, at: "attributes.a", limit: 3, actual: 4)
      let message = list[0].message(at: "attributes.a")
      #expect(message.count > 10 && !message.contains("{") && !message.contains("|"), "\(message)")
      #expect(!message.contains("  ") && !message.hasPrefix("="), "\(message)")
      messages.insert(message)
    }
    #expect(messages.count > 40)
  }

  /// Sections 17 and 18 of data-model have a line for each code, under the scope of its row.
  @Test func theDocumentNamesEveryCode() throws {
    let page = try String(
      contentsOf: SourceFiles.root.appending(path: "docs/reference/data-model.md"), encoding: .utf8)
    let reasons = try #require(page.firstRange(of: "\n## 17. Reason codes\n"))
    let losses = try #require(page.firstRange(of: "\n## 18. Loss codes\n"))
    let headings: [(String, ReasonCode.Scope)] = [
      ("**Lines**", .line), ("**Events**", .event), ("**Values", .value),
      ("**Operations**", .operation),
    ]
    var named: [ReasonCode.Scope: Set<String>] = [:]
    var scope = ReasonCode.Scope.loss
    for line in page[reasons.upperBound..<losses.lowerBound].split(separator: "\n") {
      if let heading = headings.first(where: { line.hasPrefix($0.0) }) { scope = heading.1 }
      named[scope, default: []].formUnion(Self.codes(in: line))
    }
    for (_, scope) in headings {
      #expect(named[scope] == Set(ReasonCode.allCases.filter { $0.scope == scope }.map(\.text)))
    }
    let end = page[losses.upperBound...].firstRange(of: "\n## ")?.lowerBound ?? page.endIndex
    let rows = page[losses.upperBound..<end].split(separator: "\n").map(Self.codes)
    let lost = rows.flatMap(\.self)
    for code in lost where !code.hasSuffix(":PART") { #expect(ReasonCode(code) != nil, "\(code)") }
    for code in ReasonCode.allCases where code.scope == .loss {
      let kind = code.text.prefix { $0 != ":" } + ":PART"
      #expect(lost.contains(code.text) || lost.contains(String(kind)), "\(code.text)")
    }
    // Of foreign dialects: the first four codes, and no other, reject under --foreign strict.
    let foreign = try #require(rows.firstIndex { $0 == ["string_truncated"] })
    for (row, code) in rows[foreign...].prefix(while: { !$0.isEmpty }).joined().enumerated() {
      #expect(ReasonCode(code)?.isCut == (row < 4), "\(code)")
    }
  }

  /// The codes in the first cell of a row of a table.
  private static func codes(in line: Substring) -> [String] {
    guard line.hasPrefix("| `") else { return [] }
    let cell = line.dropFirst().prefix { $0 != "|" }
    return cell.split(separator: "`").map(String.init).filter { $0.first?.isLetter == true }
  }
}
