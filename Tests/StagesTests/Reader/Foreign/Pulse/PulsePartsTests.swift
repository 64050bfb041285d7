import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Which parts of an event are there; `Vectors/pulse.jsonl` has what becomes of them.
@Suite struct PulsePartsTests {
  private struct Found: Equatable {
    /// The source texts of the parts that are there.
    var there: [PulsePart: String] = [:]
    var refused: Set<PulsePart> = []
  }

  private func find(_ data: String) -> Found {
    withTape(of: data) { tape, root in
      let parts = PulseParts(of: root, in: tape, ForeignNames(.default))
      var found = Found(refused: Set(PulsePart.allCases.filter(parts.isRefused)))
      for part in PulsePart.allCases {
        if let node = parts[part] { found.there[part] = canonical(node, of: tape) }
      }
      return found
    }
  }

  @Test func membersAndMembersOfMembers() {
    let found = find(
      #"{"metadata":{},"element":{"type":"t"},"scroll_info":{"speed":1.5,"x":2},"items_count":3}"#)
    #expect(
      found.there == [
        .metadata: "{}", .element: #"{"type":"t"}"#, .elementType: #""t""#, .itemsCount: "3",
        .scrollInfo: #"{"speed":1.5,"x":2}"#, .speed: "1.5",
      ])
    #expect(found.refused.isEmpty)
  }

  @Test func theLastOfRepeatedMembersCounts() {
    #expect(find(#"{"params":1,"params":[]}"#).there == [.params: "[]"])
    #expect(find(#"{"params":[],"params":1}"#) == Found(refused: [.params]))
    #expect(find(#"{"params":1,"params":null}"#) == Found())
    #expect(find(#"{"element":{"type":"a","type":5}}"#).refused == [.elementType])
    #expect(find(#"{"element":{"type":5},"element":{"type":"a"}}"#).there[.elementType] == #""a""#)
    #expect(find(#"{"element":{"type":"a"},"element":7}"#) == Found(refused: [.element]))
  }

  @Test func nullIsNothingAndSoIsABlankText() {
    #expect(
      find(#"{"metadata":null,"element":{"type":" "}}"#).there == [.element: #"{"type":" "}"#])
    #expect(find(#"{"metadata":" "}"#).refused == [.metadata], "a text where an object belongs")
    #expect(find(#"{"scroll_info":{"direction":"","speed":""}}"#).refused == [.speed])
  }

  @Test func membersOfWhatIsNoObjectAreNotThere() {
    #expect(
      find(#"{"element":[{"type":"a"}],"scroll_info":"x"}"#)
        == Found(refused: [.element, .scrollInfo]))
  }
}
