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

  @Test(arguments: [
    (#"{"latitude":1,"longitude":2}"#, true, false, false),
    (#"{"latitude":1,"longitude":null}"#, false, false, false),
    (#"{"latitude":91,"longitude":2}"#, true, true, false), ("{}", false, false, false),
    ("true", false, false, true), ("false", false, false, true), ("1", false, false, false),
    ("null", false, false, false), (#""true""#, false, false, false),
  ])
  func formsOfValues(value: String, isPoint: Bool, isFaulty: Bool, isFlag: Bool) {
    withTape(of: #"{"a":\#(value)}"#) { tape, root in
      let (point, flag) = (RegisterKind.Form.point, RegisterKind.Form.flag)
      #expect(point.fits(root + 2, of: tape) == isPoint)
      #expect(!isPoint || (point.fault(root + 2, of: tape) == .locationInvalid) == isFaulty)
      #expect(flag.fits(root + 2, of: tape) == isFlag)
      guard isPoint || isFlag else { return }
      let form = isPoint ? point : flag
      var kept = ByteBuffer()
      form.append(root + 2, of: tape, to: &kept)
      #expect(kept.view.text == value)
      #expect(form.isKept(kept.view))
    }
  }

  /// The latest wins, then the greater bytes: in whatever order they come.
  @Test func oneOfTwoValuesWins() {
    let values = [(1, "true"), (1, "false"), (2, "false"), (2, "true"), (0, "true")]
    func record(_ flag: (time: Int, value: String)) -> Mutation {
      Mutation(.consent, time: flag.time, value: flag.value == "true" ? "true" : "false")
    }
    let sorted = values.sorted { record($1).wins(over: record($0)) }
    #expect(sorted.map(\.0) == [0, 1, 1, 2, 2])
    #expect(sorted.map(\.1) == ["true", "false", "true", "false", "true"])
    for value in values { #expect(!record(value).wins(over: record(value))) }
    // Consent is compared by the same rule.
    let consents = values.map { ConsentStatement(time: $0.0, isOptedOut: $0.1 == "true") }
      .sorted { $1.wins(over: $0) }
    #expect(consents.map(\.time) == sorted.map(\.0))
    #expect(consents.map(\.isOptedOut) == sorted.map { $0.1 == "true" })
    for consent in consents { #expect(!consent.wins(over: consent)) }
  }
}
