import Foundation
import Pipeline
import TestSupport
import Testing

@testable import Jobs
@testable import Stages

/// Which fields identify the owner of a record (dialects 6).
@Suite struct IdentityKeysTests {
  private func match(_ name: String, _ keys: IdentityKeys = .default) -> String? {
    withByteView(of: name) { keys.match($0).map { "\($0.owner) \($0.rank)" } }
  }

  @Test(
    arguments: [
      (
        ["customId", "CUSTOM_ID", "custom-id", "Custom Id", "_customid_", "c u-s_tomid"], "custom 0"
      ),
      (["userId"], "custom 1"), (["login"], "custom 5"), (["device_id"], "installation 0"),
      (["InstallID"], "installation 1"),
      (["", "_", "customIds", "customI", "user.id", "users", "ｕｓｅｒ"], nil),
    ] as [([String], String?)])
  func namesAreComparedFolded(names: [String], owner: String?) {
    for name in names { #expect(match(name) == owner, "\(name)") }
  }

  @Test func listsAsText() throws {
    let keys = try #require(IdentityKeys("installation:box;custom:Member No,uid"))
    #expect(keys.text == "custom:Member No,uid;installation:box")
    #expect(IdentityKeys(keys.text) == keys)
    #expect(match("member_no", keys) == "custom 0" && match("BOX", keys) == "installation 0")
    #expect(match("userId", keys) == nil)
    #expect(IdentityKeys(IdentityKeys.default.text) == .default)
    #expect(IdentityKeys("custom:a")?.installation == IdentityKeys.default.installation)
    #expect(IdentityKeys("custom:;installation:")?.custom.isEmpty == true)
    let many = (1...IdentityKeys.most).map { "k\($0)" }.joined(separator: ",")
    #expect(IdentityKeys("custom:\(many)")?.custom.count == IdentityKeys.most)
    #expect(IdentityKeys("custom:\(Sample.text(IdentityKeys.longest))") != nil)
    for text in [
      "", "custom", "a:b", "custom:a;", "custom:a;custom:b", "custom:a,,b", "custom:-_ ",
      "custom:userId,user_id", "custom:a;installation:A", "custom:\(many),k",
      "custom:\(Sample.text(IdentityKeys.longest + 1))",
    ] { #expect(IdentityKeys(text) == nil, "\(text)") }
  }

  @Test(arguments: [
    ("cus", true), ("di", true), ("uid", true), ("Box", true), ("orderID", true), ("id", true),
    ("d", false), ("ids", false), ("cust", false), ("age", false), ("", false),
  ])
  func numbersThatMayBeIDs(name: String, mayBe: Bool) throws {
    let keys = try #require(IdentityKeys("custom:;installation:box"))
    withByteView(of: name) { #expect(keys.mayHoldNumber($0) == mayBe) }
  }
}

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
    ] { #expect(!holds(text), "\(text)") }
  }

  @Test func addedWords() {
    let long = String(repeating: "ab", count: 200)
    let placeholders = Placeholders(added: ["Gast", " ÄRGER ", "none", "", long, "gast"])
    for text in ["gast", "GAST", "ärger", " Ärger", long.uppercased(), "guest", "0"] {
      #expect(holds(text, placeholders), "\(text)")
      #expect(holds(text, placeholders, as: .installation), "\(text)")
    }
    let others = ["gas", "gasts", "arger", long + "a", String(long.dropLast())]
    for text in others { #expect(!holds(text, placeholders), "\(text)") }
  }

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
    let blank = Array(repeating: UInt8(ascii: "\n"), count: 640_000)
    let full = try directory.write(blank, to: "full")
    #expect(try PlaceholderFile.load(full) == .standard)
    let fuller = try directory.write(blank + [0x0A], to: "fuller")
    #expect(Failure.of(try PlaceholderFile.load(fuller))?.kind == .usage)
  }
}
