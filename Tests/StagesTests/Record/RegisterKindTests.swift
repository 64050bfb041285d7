import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The rows of registers that keep one value.
@Suite struct RegisterKindTests {
  /// A field that another part of a record or of a profile has would be read or written twice.
  @Test func fieldsAreTheirOwn() {
    let others = [
      "id", "kind", "identifiers", "attributes", "events", "first_seen", "last_seen", "erase",
      "installation_attributes", "redriven", "untimed", "source_name",
    ]
    let fields = RegisterKind.allCases.map { "\($0.field)" }
    #expect(Set(fields + others).count == fields.count + others.count)
    for field in fields {
      withByteView(of: field) { field in #expect(RootField(field) == nil) }
    }
  }

  /// Lines of a state are sorted, those of registers too.
  @Test func linesOfAStateStaySorted() {
    let others = [
      "attributes", "clear", "erase", "erased", "events", "first", "key", "last", "latest_link",
      "link", "touched", "unlinked",
    ]
    let fields = RegisterKind.allCases.map { "\($0.row.state.field)" }
    #expect(Set(fields + others).count == fields.count + others.count)
    for register in RegisterKind.allCases { #expect("\(register.row.state.value)" < "time") }
  }
}
