import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct KeyNameTests {
  /// What the key turns out to be, and its stored text.
  private func classify(_ key: String) -> (KeyKind, stored: String, written: String) {
    var quoted = ByteBuffer()
    quoted.appendJSONString(key)
    return withTape(of: "{\(quoted.view.text):1}") { tape, root in
      KeyName.classify(root + 1, in: tape)
      var written = ByteBuffer()
      KeyName.append(tape[root + 1], of: tape, to: &written)
      return (tape[root + 1].keyKind, tape.bytes(at: root + 1).text, written.view.text)
    }
  }

  static let thirty = String(repeating: "k", count: 30)

  @Test(
    arguments: [
      ("a", .plain, "a"), ("A_9", .plain, "a_9"), ("123", .plain, "123"), ("_", .plain, "_"),
      (thirty, .plain, thirty), (thirty + "k", .bad, thirty + "k"), ("", .bad, ""),
      ("é", .bad, "é"), ("a b", .bad, "a b"), ("a\n", .bad, "a\n"), ("\u{212A}", .bad, "\u{212A}"),
      ("date(a)", .date, "a"), ("date(A)", .date, "a"), ("date(\(thirty))", .date, thirty),
      ("date(\(thirty)k)", .bad, "date(\(thirty)k)"), ("date()", .bad, "date()"),
      ("date(a", .bad, "date(a"), ("date(a))", .bad, "date(a))"), ("Date(a)", .bad, "Date(a)"),
      ("date( a)", .bad, "date( a)"), ("date(url(a))", .bad, "date(url(a))"),
      ("date", .plain, "date"), ("url", .plain, "url"), ("url(A)", .url, "a"),
      ("url()", .bad, "url()"),
      ("url(", .bad, "url("), ("date)", .bad, "date)"), (")", .bad, ")"), ("(a)", .bad, "(a)"),
      ("$label", .reserved, "$label"), ("$", .reserved, "$"), ("$date(a)", .reserved, "$date(a)"),
      ("date($a)", .bad, "date($a)"),
    ] as [(String, KeyKind, String)])
  func kinds(key: String, kind: KeyKind, stored: String) {
    let found = classify(key)
    #expect(found.0 == kind && found.stored == stored)
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

  @Test func keysAreWrittenInTheirCanonicalForm() {
    #expect(classify("Date_1").written == "date_1")
    #expect(classify("date(A)").written == "date(a)")
    #expect(classify("url(A)").written == "url(a)")
    #expect(classify("$a").written == "$a")
    #expect(classify("A-b").written == "A-b")
  }

  @Test func formsTypeTheValue() {
    for (key, form) in [("a", KeyForm.plain), ("date(a)", .date), ("url(a)", .url), ("-", .plain)] {
      withTape(of: "{\"\(key)\":1}") { tape, root in
        KeyName.classify(root + 1, in: tape)
        #expect(tape[root + 1].keyForm == form)
        #expect(tape[root + 1].isValidKey == (key != "-"))
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
