import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct KeyNameTests {
  /// What the key is, how it is stored, and how it is written.
  private func classify(
    _ key: String
  ) -> (kind: KeyKind, form: KeyForm, stored: String, written: String) {
    var quoted = ByteBuffer()
    quoted.appendJSONString(key)
    return withTape(of: "{\(quoted.view.text):1}") { tape, root in
      KeyName.classify(root + 1, in: tape)
      let entry = tape[root + 1]
      var written = ByteBuffer()
      KeyName.append(entry, of: tape, to: &written)
      #expect(entry.isValidKey == entry.keyKind.isValid)
      return (entry.keyKind, entry.keyForm, tape.bytes(at: root + 1).text, written.view.text)
    }
  }

  static let thirty = String(repeating: "k", count: 30)

  @Test(
    arguments: [
      (.plain, ["a", "A_9", "123", "_", "date", "url", "Date_1", thirty]),
      (.date, ["date(a)", "date(A)", "date(\(thirty))"]), (.url, ["url(A)", "url(a)"]),
      (.reserved, ["$label", "$", "$a", "$date(a)"]),
      (
        .bad,
        [
          "", thirty + "k", "é", "a b", "A-b", "a\n", "\u{212A}", "date(\(thirty)k)", "date()",
          "date(a", "date(a))", "Date(a)", "date( a)", "date(url(a))", "url()", "url(", "date)",
          ")", "(a)", "date($a)",
        ]
      ),
    ] as [(KeyKind, [String])])
  func kinds(kind: KeyKind, keys: [String]) {
    for key in keys {
      let found = classify(key)
      let isTyped = kind == .date || kind == .url
      let inner = isTyped ? String(key.dropLast().split(separator: "(")[1]) : key
      let stored = isTyped || kind == .plain ? inner.lowercased() : key
      #expect(found.kind == kind && found.stored == stored, "\(key)")
      #expect(found.written == (isTyped ? "\(kind)(\(stored))" : stored), "\(key)")
      #expect(found.form == (kind == .date ? .date : kind == .url ? .url : .plain), "\(key)")
    }
  }

  /// Invalid keys are equal as written: with one hash for all cases of their letters, the time for
  /// a line grew with the square of their number.
  @Test(
    arguments: [
      ("a", "A", true), ("date(a)", "A", true), ("a!", "a!", true), ("a!", "A!", false),
      ("date(a!)", "date(A!)", false), ("$a", "$A", false),
    ] as [(String, String, Bool)])
  func keysWithOneHashAreEqual(_ one: String, _ other: String, _ areEqual: Bool) {
    withByteView(of: one) { one in
      withByteView(of: other) { other in
        #expect(KeyName.isSameKey(one, other) == areEqual)
        #expect((KeyName.tag(one) == KeyName.tag(other)) == areEqual)
      }
    }
  }

  @Test func longKeysAreCutAtWholeCharacters() {
    withTape(of: #"{"ééééé":1}"#) { tape, root in
      KeyName.classify(root + 1, in: tape)
      for (limit, text) in [(10, "ééééé"), (9, "éééé…"), (3, "é…"), (1, "…")] {
        var written = ByteBuffer()
        KeyName.append(tape[root + 1], of: tape, atMost: limit, to: &written)
        #expect(written.view.text == text)
      }
    }
  }
}

/// The meanings of keys that a block remembers by the numbers of their names.
@Suite struct KeyInfoTableTests {
  @Test func aLogWithMoreNamesThanAreRememberedIsReadTheSame() throws {
    let harness = StageHarness()
    for round in 0..<3 {
      for index in stride(from: 0, to: InternTable.most + 40, by: 20) {
        let keys = (index..<index + 20).map { "\"K\(round)_\($0)\":\($0)" }.joined(separator: ",")
        let line =
          #"{"identifiers":{},"events":[{"name":"n\#(index)","time":"2024-06-01T00:00:00Z","attributes":{"#
          + keys + "}}]}"
        let text = try harness.explain(line).canonicalText
        #expect(text.contains(keys.lowercased()), "\(text)")
      }
    }
  }
}
