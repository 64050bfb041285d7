import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Attributes of foreign events, whatever their objects are like (dialects 4). Values of every form
/// are in the vectors of the dialects.
@Suite struct ForeignDraftTests {
  /// The object `json` as attributes, and the losses on the way.
  private func draft(_ json: String) -> (attributes: String, losses: [String]) {
    withBatch(of: json) { batch, root in
      let draft = ForeignDraft(into: batch, ForeignScratch(Rules().foreign.identityKeys))
      var losses: [String] = []
      var attributes = ""
      draft.appendEvent { event in
        let path = FieldPath(root: "x")
        event.attributes = draft.appendObject(at: path) {
          draft.addMembers(of: root, names: 1, at: path)
        }
        attributes = canonical(event.attributes.index, of: batch.tape)
      }
      for index in 0..<batch.findings.count {
        let finding = batch.findings[index]
        losses.append("\(batch.findings.path(finding).text) \(finding.code.text)")
      }
      let left = draft.scratch.members.count
      #expect(left == 0)
      return (attributes, losses)
    }
  }

  @Test func lossesHaveThePathInTheLine() {
    let long = String(repeating: "y", count: 301)
    let found = draft(
      #"{"A B":{"c":[{"d":"\#(long)"}]},"e":["x","\#(long)"],"f":{"g":{"h":{"i":["\#(long)"]}}}}"#)
    #expect(
      found.losses == [
        "x.A B.c[0].d string_truncated", "x.e[1] string_truncated", "x.f.g.h.i string_truncated",
      ])
  }

  @Test func theDeepestPath() {
    let long = String(repeating: "y", count: 301)
    let found = draft(#"{"a":[{"b":[{"c":[{"d":"\#(long)"}]}]}]}"#)
    #expect(found.losses == ["x.a[0].b[0].c[0].d string_truncated"])
  }

  @Test func namesThatBeginAlikeShareTheirNumbers() {
    let base = String(repeating: "a", count: 28)
    let found = draft(#"{"\#(base)zz":1,"\#(base)ZZ":2,"\#(base)zy":3,"\#(base)ZY":4}"#)
    #expect(found.attributes == #"{"\#(base)_3":1,"\#(base)zz":2,"\#(base)_2":3,"\#(base)zy":4}"#)
    #expect(found.losses.count == 2 && found.losses.allSatisfy { $0.hasSuffix("key_collision") })
  }

  @Test func manyKeysThatFallTogether() throws {
    let keys = (0..<40).map { "a\(String(repeating: " ", count: $0))" }
    let found = draft("{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}")
    let object = try NaiveJSON(parsing: Array(found.attributes.utf8), maxDepth: 5)
    #expect(object.names.count == 20 && Set(object.names).count == 20)
    // By key bytes: a, a_10, a_11, …, a_19, a_2, a_20, …
    #expect(object.names.contains("a_19") && !object.names.contains("a_4"))
    // Each of those that go is a loss.
    #expect(found.losses.filter { $0.hasSuffix(" attributes_truncated") }.count == 20)
  }

  @Test func aLossIsToldNoMoreThanAThousandTimes() {
    let items = Array(repeating: #"{"/":1,"b":2}"#, count: 24).joined(separator: ",")
    let members = (0..<20).map { "\"k\($0)\":[\(items)]" }.joined(separator: ",")
    #expect(draft("{\(members)}").losses.count == 480)
    let bad = (0..<5000).map { _ in #""/":1"# }.joined(separator: ",")
    #expect(draft("{\(bad)}").losses.count == ReasonList.mostPerPart)
  }

  @Test func objectsOfAnySize() throws {
    var random = RepeatableRandom(seed: 5)
    let letters = Array("aA-_ b")
    for round in 0..<600 {
      let count = Int.random(in: 0..<60, using: &random)
      let members = (0..<count).map { _ in
        let length = Int.random(in: 0..<4, using: &random)
        let key = String(
          (0..<length).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
        return "\"\(key)\":\(Bool.random(using: &random) ? "1" : "null")"
      }
      let found = draft("{" + members.joined(separator: ",") + "}")
      let object = try NaiveJSON(parsing: Array(found.attributes.utf8), maxDepth: 5)
      #expect(object.names.count <= 20 && Set(object.names).count == object.names.count)
      for name in object.names {
        withByteView(of: name) { #expect(ForeignName.isCanonical($0), "seed 5, round \(round)") }
      }
    }
  }
}
