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
}
