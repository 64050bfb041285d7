import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Attributes of foreign events (dialects 4), for what the vectors of the dialects cannot hold:
/// large objects, and values that stay on the tape as text.
@Suite struct ForeignDraftTests {
  /// The object `json` as attributes, and the codes of the losses on the way.
  private func draft(_ json: String) -> (attributes: String, losses: [String]) {
    withBatch(of: json) { batch, root in
      let draft = ForeignDraft(into: batch, ForeignScratch(Rules().foreign.identityKeys))
      var attributes = ""
      draft.appendEvent { event in
        let path = FieldPath(root: "x")
        event.attributes = draft.appendObject(at: path) {
          draft.addMembers(of: root, names: 1, at: path)
        }
        attributes = canonical(event.attributes.index, of: batch.tape)
      }
      let left = draft.scratch.members.count
      #expect(left == 0)
      return (attributes, (0..<batch.findings.count).map { batch.findings[$0].code.text })
    }
  }

  @Test func manyKeysThatFallTogether() throws {
    let keys = (0..<40).map { "a\(String(repeating: " ", count: $0))" }
    let found = draft("{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}")
    // By key bytes: a, a_10, a_11, …, a_19, a_2, a_20, …
    let kept = (["a"] + (2...40).map { "a_\($0)" }).sorted().prefix(20)
    let names = try NaiveJSON(parsing: Array(found.attributes.utf8), maxDepth: 5).names
    #expect(Set(names) == Set(kept) && names.count == 20)
    // Each of those that go is a loss.
    #expect(found.losses.filter { $0 == "attributes_truncated" }.count == 20)
  }

  @Test func aLossIsReportedNoMoreThanAThousandTimes() {
    let items = Array(repeating: #"{"/":1,"b":2}"#, count: 24).joined(separator: ",")
    let members = (0..<20).map { "\"k\($0)\":[\(items)]" }.joined(separator: ",")
    #expect(draft("{\(members)}").losses.count == 480)
    let bad = (0..<5000).map { _ in #""/":1"# }.joined(separator: ",")
    #expect(draft("{\(bad)}").losses.count == ReasonList.mostPerPart)
  }

  /// A log takes no more memory than its largest line.
  @Test func placesAreNumberedAnewInEveryRecord() {
    let scratch = ForeignScratch(Rules().foreign.identityKeys)
    let places = (0..<2).map { _ in
      scratch.begin()
      return scratch.places.field(Node(1), of: SourcePlaces.root)
    }
    #expect(places[0] == places[1])
  }

  /// Values that stay on the tape as text; `DialectFuzzTests` compares the results.
  @Test(arguments: [
    #"{"a":1}"#, #"{"a":{"b":{"c":"x"}}}"#, #"["x","y"]"#, #"{"a_b":"xé"}"#,
    #"[{"a":1},{"a":2,"b":[{"c":"d"}]}]"#, #"{"since":"2024-05-02T09:15:00.000Z"}"#,
  ])
  func usualValuesStay(_ json: String) {
    withBatch(of: json) { batch, root in
      let draft = ForeignDraft(into: batch, ForeignScratch(Rules().foreign.identityKeys))
      #expect(draft.textAsIs(root, names: 1) == nil)
      draft.copiesText = true
      let text = draft.textAsIs(root, names: 1).map { batch.tape.bytes($0).text }
      #expect(text == String(json.dropFirst().dropLast()))
      draft.readsDates = true
      #expect((draft.textAsIs(root, names: 1) == nil) == json.contains("since"))
    }
  }
}
