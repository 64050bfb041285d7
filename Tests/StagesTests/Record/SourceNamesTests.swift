import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The names that sources have for an event: the smallest are kept.
@Suite struct SourceNamesTests {
  private static func names(_ texts: [String]) -> SourceNames {
    var names = SourceNames()
    for text in texts { withByteView(of: text) { _ = names.add($0) } }
    return names
  }

  private static func read(_ json: String) -> SourceNames? {
    withTape(of: json) { tape, root in SourceNames(of: tape, at: root) }
  }

  @Test func theSmallestByBytesAreKept() {
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
  }

  /// A long name is cut where a scalar ends.
  @Test func longNamesAreCut() {
    for (text, length) in [
      (Sample.text(256), 256), (Sample.text(257), 256), (Sample.text(255) + "é", 255),
      (String(repeating: "é", count: 200), 256), (Sample.text(254) + "\u{1F600}", 254), ("", 0),
    ] {
      withByteView(of: text) { bytes in
        let told = SourceNames.truncated(bytes)
        #expect(told.count == length && bytes.starts(with: told))
      }
    }
  }

  @Test func whatIsWrittenIsRead() throws {
    for texts in [["a"], ["\"", "\\", "a\n", "é\u{1F600}"], ["1", "2", "3", "4", "5"]] {
      let names = Self.names(texts)
      let text = JSONWriter.document { json in names.writeField(to: &json) }.text
      let member = "{\"source_names\":"
      #expect(text.hasPrefix(member))
      #expect(Self.read(String(text.dropFirst(member.count).dropLast(2))) == names)
    }
    let empty = JSONWriter.document { json in SourceNames().writeField(to: &json) }.text
    #expect(empty == "{}\n")
  }

  @Test(arguments: [
    "[]", "{}", "\"a\"", "[1]", "[\"\"]", "[\"b\",\"a\"]", "[\"a\",\"a\"]", "[[\"a\"]]",
    "[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\"]", "[\"\(String(repeating: "a", count: 257))\"]",
  ])
  func whatNobodyWritesIsNotRead(json: String) { #expect(Self.read(json) == nil) }

  // MARK: - What lanes send

  private final class Lane {
    private var filter = SourceNameFilter()

    func isNews(_ text: String, of name: UInt32) -> Bool {
      withByteView(of: text) { filter.isNews($0, of: name) }
    }
  }

  /// Whatever lanes send is enough for the names of all, and little.
  @Test(arguments: Array(1...10) as [UInt64])
  func lanesSendAllThatIsKept(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    var all = [SourceNames](repeating: SourceNames(), count: 3)
    var sent = all
    var count = 0
    let lanes = [Lane(), Lane()]
    for _ in 0..<900 {
      let text = "\(Int.random(in: 0..<90, using: &random))"
      let name = Int.random(in: 0..<3, using: &random)
      let isNews = lanes[Int(random.next() % 2)].isNews(text, of: UInt32(name * 3))
      withByteView(of: text) { text in
        all[name].add(text)
        if isNews { sent[name].add(text) }
      }
      count += isNews ? 1 : 0
    }
    #expect(sent == all && count < 200, "seed \(seed): \(count)")
  }
}
