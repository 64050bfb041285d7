import Pipeline
import TestSupport
import Testing

@testable import Stages

/// The fast way for usual tags; vectors have what is stored.
@Suite struct TagSetTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func usualTagsAreStoredTheSame(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let pieces = ["a", "A", "b", "Squash", "in_promo", "0123456789ABCDEF", "ÉTÉ", "z\\n", "Z"]
    var taken = 0
    for _ in 0..<2000 {
      let tags = (0..<Int.random(in: 0...11, using: &random)).map { _ in
        "\""
          + (0..<Int.random(in: 1...2, using: &random)).map { _ in
            pieces[Int.random(in: 0..<pieces.count, using: &random)]
          }.joined() + "\""
      }
      let text = "[" + tags.joined(separator: ",") + "]"
      let usual: String? = withTape(of: text) { tape, root in
        TagSet.storeUsual(Node(root), in: tape) ? canonical(root, of: tape) : nil
      }
      guard let usual else { continue }
      taken += 1
      let stored = withTape(of: text) { tape, root in
        TagSet.store(Node(root), in: tape, with: KeyFold())
        return canonical(root, of: tape)
      }
      #expect(usual == stored, "\(text), seed \(seed)")
    }
    #expect(taken > 100, "seed \(seed)")
  }

  @Test(arguments: [
    #"[""]"#, #"[" a"]"#, "[\"\u{7F}a\u{E9}\"]", "[1]", #"["a","A"]"#, #"["12345678901234567"]"#,
    #"["\u0061"]"#, #"[["a"]]"#, #"["a",null]"#,
    "[" + (0...10).map { "\"t\($0)\"" }.joined(separator: ",") + "]",
  ]) func whatIsNotUsualIsLeftAlone(_ text: String) {
    withTape(of: text) { tape, root in
      #expect(!TagSet.storeUsual(Node(root), in: tape))
      #expect(!(root..<tape.count).contains { tape[$0].isDropped })
    }
  }
}
