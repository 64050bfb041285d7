import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct RootFieldsTests {
  @Test func everyFieldIsKnownByItsName() {
    let names = RootField.allCases.map { "\($0.text)" }
    #expect(Set(names).count == names.count && names.count <= FieldSet.bitWidth)
    for (field, name) in zip(RootField.allCases, names) {
      withByteView(of: name) { #expect(RootField($0) == field, "\(name)") }
      // A name that differs in one byte is another one.
      for position in name.utf8.indices {
        var bytes = Array(name.utf8)
        bytes[name.utf8.distance(from: name.startIndex, to: position)] ^= 0x20
        withByteView(of: bytes) { #expect(RootField($0) == nil, "\(name)") }
      }
      for other in [name + "s", String(name.dropLast()), " " + name] where !names.contains(other) {
        withByteView(of: other) { #expect(RootField($0) == nil, "\(other)") }
      }
    }
  }

  /// A line may have a million unknown root fields. A count that compares each with all others is
  /// quadratic. Sixteen times as many fields may take sixteen times as long, not 256 times.
  @Test func manyUnknownMembersTakeLinearTime() {
    let few = Self.secondsToCountUnknown(4000)
    let many = Self.secondsToCountUnknown(64_000)
    #expect(many < 80 * few, "\(few) s, then \(many) s")
  }

  /// The time this thread takes to count `count` unknown fields, in seconds.
  private static func secondsToCountUnknown(_ count: Int) -> Double {
    let members = (0..<count).map { "\"x\($0)\":1" }.joined(separator: ",")
    return withBatch(of: "{\(members)}") { batch, root in
      var counted = 0
      let members = RootFields()
      members.read(root, of: batch)
      let start = ThreadClock.seconds
      members.forEachOther(than: 0, of: batch.tape) { _ in counted += 1 }
      let seconds = ThreadClock.seconds - start
      #expect(counted == count)
      return seconds
    }
  }
}
