import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The shape of a `write` payload, and the order of what it tells (dialects 6).
@Suite struct RealmWriteTests {
  /// How much of each, or nil for another shape.
  private func counts(_ json: String) -> [Int]? {
    withBatch(of: json) { batch, root in
      var write = RealmWrite()
      guard write.read(root, of: batch.tape) else { return nil }
      return [write.classes.count, write.insertions, write.modifications, write.deletions]
    }
  }

  @Test func countsOfAllClasses() {
    #expect(counts(#"{"A":{}}"#) == [1, 0, 0, 0])
    #expect(
      counts(#"{"A":{"insertions":[{},{"x":[1]}],"deletions":null},"B":{"deletions":[{}]}}"#) == [
        2, 2, 0, 1,
      ])
    #expect(counts(#"{"A":{"modifications":[{"oldValue":{},"newValue":{}}]}}"#) == [1, 0, 1, 0])
  }

  @Test func ofRepeatedMembersTheLastOneCounts() {
    #expect(counts(#"{"A":5,"A":{"insertions":[{}]}}"#) == [1, 1, 0, 0])
    #expect(counts(#"{"A":{"insertions":5,"insertions":[{}]}}"#) == [1, 1, 0, 0])
    #expect(counts(#"{"A":{"insertions":[{}],"insertions":null}}"#) == [1, 0, 0, 0])
    #expect(
      counts(#"{"A":{"modifications":[{"oldValue":5,"oldValue":{},"newValue":{}}]}}"#) == [
        1, 0, 1, 0,
      ])
  }

  @Test(arguments: [
    "{}", #"{"A":5}"#, #"{"A":null}"#, #"{"A":[]}"#, #"{"A":{"insertions":{}}}"#,
    #"{"A":{"insertions":5}}"#,
    #"{"A":{"insertions":[5]}}"#, #"{"A":{"deletions":[null]}}"#, #"{"A":{"deletions":[[]]}}"#,
    #"{"A":{"modifications":[{}]}}"#, #"{"A":{"modifications":[5]}}"#,
    #"{"A":{"modifications":[{"oldValue":{}}]}}"#, #"{"A":{"modifications":[{"newValue":{}}]}}"#,
    #"{"A":{"modifications":[{"oldValue":{},"newValue":null}]}}"#,
    #"{"A":{"modifications":[{"oldValue":{},"newValue":{},"x":1}]}}"#, #"{"A":{"updates":[]}}"#,
    #"{"A":{"insertions":[{}]},"B":5}"#,
  ])
  func otherShapes(_ json: String) { #expect(counts(json) == nil) }

  @Test func membersThatAreNullAreNone() {
    #expect(counts(#"{"A":{"updates":null}}"#) == [1, 0, 0, 0])
    #expect(
      counts(#"{"A":{"modifications":[{"oldValue":{},"newValue":{},"x":null}]}}"#) == [1, 0, 1, 0])
  }

  @Test func changesStandByClassAndKind() {
    let json =
      #"{"B":{"deletions":[{"i":4}],"insertions":[{"i":3}]},"#
      + #""A":{"modifications":[{"oldValue":{},"newValue":{"i":1}}],"insertions":[{"i":0}],"deletions":[{"i":2}]}}"#
    withBatch(of: json) { batch, root in
      var write = RealmWrite()
      let isRead = write.read(root, of: batch.tape)
      #expect(isRead)
      var found: [String] = []
      write.forEachChange(of: batch.tape) { change in
        found.append(
          "\(batch.tape.bytes(at: write.classes[change.classIndex].key).text) "
            + "\(change.operation) \(change.position) "
            + batch.tape.bytes(at: change.item).text)
        return true
      }
      #expect(
        found == [
          #"A insert 0 {"i":0}"#, #"A modify 0 {"oldValue":{},"newValue":{"i":1}}"#,
          #"A delete 0 {"i":2}"#, #"B insert 0 {"i":3}"#, #"B delete 0 {"i":4}"#,
        ])
      var count = 0
      write.forEachChange(of: batch.tape) { _ in
        count += 1
        return count < 2
      }
      #expect(count == 2, "nothing is handed out to those who have enough")
    }
  }
}
