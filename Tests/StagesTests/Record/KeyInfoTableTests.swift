import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct KeyInfoTableTests {
  /// The table gives the same meaning to a name as the rules do.
  @Test func meaningsFollowTheRules() {
    let names = [
      "a", "A", "date(a)", "url(A)", "date(date(a))", "date()", "$label", "$tags", "$Label", "x-y",
      "é", "custom_id", "name", "thirty_one_characters_are_many_", "url(b", "date(a) ", "_", "$",
    ]
    let members = names.map { "\"\($0)\":1" }.joined(separator: ",")
    withBatch(of: "{\(members)}") { batch, root in
      for name in names {
        let number = withByteView(of: name) { batch.tape.names.number(of: $0) }
        let info = batch.keys[number]
        let (kind, range) = withByteView(of: name) { KeyName.kind(of: $0) }
        #expect(info.kind.rawValue == kind.rawValue, "\(name)")
        #expect(Int(info.start) == range.lowerBound && Int(info.length) == range.count)
        let stored = Array(name.utf8)[range]
        #expect(!kind.isValid || info.isLowercase == stored.allSatisfy { $0 < 0x41 || $0 > 0x5A })
        #expect(info.field == withByteView(of: name) { RootField($0) }, "\(name)")
        let isLabel = name == "$label"
        #expect(
          (info.rootKind == .label) == isLabel
            && (info.rootKind == .tags) == (name == "$tags"))
      }
      // Keys fall together exactly when both are valid and their stored forms are the same.
      func identity(_ name: String) -> UInt16 {
        batch.keys[withByteView(of: name) { batch.tape.names.number(of: $0) }].identity
      }
      for name in ["A", "date(a)", "url(A)"] { #expect(identity(name) == identity("a")) }
      #expect(Set(names.map(identity)).count == names.count - 3)
      #expect(!names.map(identity).contains(0))
    }
  }

  /// Objects fold equally with and without numbers for their keys. Names with escapes never get a
  /// number, nor do those that are added when the table is full.
  @Test func keysWithoutANumberFallTogetherWithOthers() throws {
    let harness = StageHarness()
    for (attributes, canonical) in [
      (#"{"a":1,"\u0061":2}"#, #"{"a":2}"#), (#"{"\u0061":1,"A":2}"#, #"{"a":2}"#),
      (
        #"{"b":0,"a":1,"date(\u0061)":0,"c":3}"#,
        #"{"b":0,"date(a)":"1970-01-01T00:00:00.000Z","c":3}"#
      ),
      (#"{"date(a)":0,"b":1,"\u0041":2,"a":3}"#, #"{"b":1,"a":3}"#),
    ] {
      let line =
        #"{"identifiers":{},"events":[{"name":"n","time":"2024-06-01T00:00:00Z","attributes":"#
        + attributes + "}]}"
      let explained = try harness.explain(line)
      #expect(explained.outcome == "accepted", "\(attributes)")
      let text = String(decoding: explained.canonical ?? [], as: UTF8.self)
      #expect(text.contains("\"attributes\":" + canonical), "\(text)")
    }
  }

  @Test func aLogWithMoreNamesThanAreRememberedIsReadTheSame() throws {
    let harness = StageHarness()
    for round in 0..<3 {
      for index in stride(from: 0, to: InternTable.most + 40, by: 20) {
        let keys = (index..<index + 20).map { "\"K\(round)_\($0)\":\($0)" }.joined(separator: ",")
        let line =
          #"{"identifiers":{},"events":[{"name":"n\#(index)","time":"2024-06-01T00:00:00Z","attributes":{"#
          + keys + "}}]}"
        let explained = try harness.explain(line)
        let text = String(decoding: explained.canonical ?? [], as: UTF8.self)
        #expect(text.contains(keys.lowercased()), "\(text)")
      }
    }
  }
}
