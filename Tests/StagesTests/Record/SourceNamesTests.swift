import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct SourceNamesTests {
  private static func names(_ texts: [String]) -> SourceNames {
    var names = SourceNames()
    for text in texts { withByteView(of: text) { names.add($0) } }
    return names
  }

  private static func read(_ json: String) -> SourceNames? {
    withByteView(of: json + "\n") { bytes in
      let tape = Tape(numbersNames: false)
      tape.bind(to: bytes)
      guard case .value(let root) = Scanner.scan(line: 0..<bytes.count - 1, into: tape) else {
        Issue.record("\(json) is no JSON")
        return nil
      }
      return SourceNames(of: tape, at: root)
    }
  }

  @Test func theSmallestByBytesAreKept() {
    #expect(Self.names(["b", "a", "b"]).names == ["a", "b"])
    #expect(
      Self.names(["é", "z", "Z", "a b", "a", "/", "購入"]).names == ["/", "Z", "a", "a b", "z"])
    #expect(Self.names(["e", "d", "c", "b", "a", "f", ""]).names == ["", "a", "b", "c", "d"])
    // Equal as characters, they are still two names.
    #expect(Self.names(["e\u{301}", "\u{E9}"]).names.count == 2)
  }

  /// A join of a semilattice: any order and grouping, and again.
  @Test(arguments: Array(1...20) as [UInt64])
  func mergingIsAUnion(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let texts = (0..<12).map { _ in
      String(
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
          "abAé/".randomElement(using: &random) ?? "a"
        })
    }
    let expected = Self.names(texts)
    #expect(
      expected.names
        == Array(Set(texts).sorted(by: less).prefix(SourceNames.most)), "seed \(seed)")
    let parts = [texts[0..<4], texts[4..<8], texts[8...]].map { Self.names(Array($0)) }
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2, 1, 1]] {
      var merged = SourceNames()
      for part in order { merged.merge(parts[part]) }
      #expect(merged == expected, "seed \(seed)")
    }
    var grouped = parts[1]
    grouped.merge(parts[2])
    var all = parts[0]
    all.merge(grouped)
    #expect(all == expected, "seed \(seed)")
  }

  /// A long name is cut where a scalar ends.
  @Test func longNamesAreCut() {
    let cases = [
      (String(repeating: "a", count: 256), 256), (String(repeating: "a", count: 257), 256),
      (String(repeating: "a", count: 255) + "é", 255), (String(repeating: "é", count: 200), 256),
      (String(repeating: "a", count: 254) + "\u{1F600}", 254), ("", 0),
    ]
    for (text, length) in cases {
      withByteView(of: text) { bytes in
        let told = SourceNames.truncated(bytes)
        #expect(told.count == length && bytes.starts(with: told))
      }
    }
  }

  private static func written(_ names: SourceNames) -> String {
    JSONWriter.document { json in names.writeField(to: &json) }.text
  }

  @Test func whatIsWrittenIsRead() throws {
    for texts in [["a"], ["\"", "\\", "a\n", "é\u{1F600}"], ["1", "2", "3", "4", "5"]] {
      let names = Self.names(texts)
      let text = Self.written(names)
      let member = "{\"source_names\":"
      #expect(text.hasPrefix(member))
      #expect(Self.read(String(text.dropFirst(member.count).dropLast(2))) == names)
    }
    #expect(Self.written(SourceNames()) == "{}\n")
  }

  @Test(arguments: [
    "[]", "{}", "\"a\"", "[1]", "[\"\"]", "[\"b\",\"a\"]", "[\"a\",\"a\"]", "[[\"a\"]]",
    "[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\"]", "[\"\(String(repeating: "a", count: 257))\"]",
  ])
  func whatNobodyWritesIsNotRead(json: String) { #expect(Self.read(json) == nil) }
}
