import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Jobs
@testable import Stages

/// Texts that are not ids (data-model 5).
@Suite struct PlaceholdersTests {
  private func holds(
    _ text: String, _ placeholders: Placeholders = .standard, as kind: IDKind = .person
  ) -> Bool {
    withByteView(of: text) { placeholders.contain($0, as: kind) }
  }

  private static let persons = [
    "undefined", "null", "nil", "(null)", "[object object]", "true", "false", "nan", "infinity",
    "-infinity",
  ]
  private static let others = [
    "none", "n/a", "(not set)", "not_authenticated", "anonymous", "guest", "distinct_id", "0", "-1",
    "optional(nil)", "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff", "${user}", "${}", "{{}}", "{{ id }}",
  ]

  @Test func wordsAndForms() {
    for word in Self.persons + Self.others {
      for text in [word, word.uppercased(), word.capitalized, " \(word)", "\(word)\u{3000}\n"] {
        for kind in [IDKind.person, .installation, .event] {
          #expect(holds(text, as: kind), "\(text)")
        }
        #expect(holds(text, .fewest) == Self.persons.contains(word), "\(text)")
        #expect(!holds(text, .fewest, as: .installation), "\(text)")
      }
      for text in ["x" + word, word + "\u{AD}", String(word.dropFirst(2))] where text != "1" {
        #expect(!holds(text), "\(text)")
      }
    }
    for text in [
      "", " ", "00", "-0", "nobody", "unknown", "[object  object]", "${", "{{}", "{x}}", "é",
      "00000000-0000-0000-0000-00000000000f", "0000000000000000-0000-0000-000000000000",
      "Optional(\"u\")",
    ] {
      #expect(!holds(text), "\(text)")
    }
  }

  @Test func addedWords() {
    let long = String(repeating: "ab", count: 200)
    let placeholders = Placeholders(added: ["Gast", " ÄRGER ", "none", "", long, "gast"])
    for text in ["gast", "GAST", "ärger", " Ärger", long.uppercased(), "guest", "0"] {
      #expect(holds(text, placeholders), "\(text)")
      #expect(holds(text, placeholders, as: .installation), "\(text)")
    }
    for text in ["gas", "gasts", "arger", long + "a", String(long.dropLast())] {
      #expect(!holds(text, placeholders), "\(text)")
    }
  }

  /// The same words in another order and case are recorded in the same way.
  @Test func recordedForm() {
    let placeholders = Placeholders(added: ["b", "A", "NULL"])
    #expect(placeholders.text == "a\nb")
    #expect(placeholders == Placeholders(added: ["a", "B", "b"]))
    for each in [placeholders, .standard, .fewest] {
      #expect(Placeholders.recorded(each.text) == each)
    }
    #expect(Placeholders(added: ["none"]) == .standard)
    #expect(Placeholders.standard.text.isEmpty)
  }

  @Test func files() throws {
    let directory = try ScratchDirectory()
    let path = try directory.write("\u{FEFF}b\r\n\n  A \nnull", to: "words")
    #expect(try PlaceholderFile.load(path) == Placeholders(added: ["a", "b"]))
    let long = Array("a\n\(String(repeating: "x", count: 4097))".utf8)
    let other = try directory.write(long, to: "long")
    #expect { try PlaceholderFile.load(other) } throws: { error in (error as? Failure)?.line == 2 }
  }
}
