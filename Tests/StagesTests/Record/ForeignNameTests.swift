import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Names made from what a source calls its events and attributes (dialects 4). Vectors have
/// examples.
@Suite struct ForeignNameTests {
  private func name(_ source: String) -> String? {
    withByteView(of: source) { bytes in
      var text = ByteBuffer()
      text.append(text: "before")
      let isNamed = ForeignName.append(bytes, for: .event, to: &text)
      #expect(isNamed == ForeignName.isUsable(bytes), "\(source)")
      #expect(isNamed || text.count == 6)
      return isNamed ? text.view.dropFirst(6).text : nil
    }
  }

  @Test func everyNameIsOne() {
    var random = RepeatableRandom(seed: 3)
    let letters = Array("aZ0_-./ é購😀\n")
    for round in 0..<5000 {
      let source = String(
        (0..<Int.random(in: 0..<50, using: &random)).map { _ in
          letters[Int.random(in: 0..<letters.count, using: &random)]
        })
      guard let found = name(source) else {
        #expect(source.utf8.allSatisfy { $0 < 0x80 && !"aZ0_".utf8.contains($0) })
        continue
      }
      withByteView(of: found) { #expect(ForeignName.isCanonical($0), "seed 3, round \(round)") }
      #expect(name(found) == found, "the name of a name is itself")
    }
  }

  @Test func aNameIsItsOwn() {
    for (text, isName) in [
      ("a", true), ("_", true), ("a1_", true), (Sample.text(30), true), (Sample.text(31), false),
      ("A", false), ("", false), ("a b", false), ("é", false),
    ] {
      withByteView(of: text) { #expect(ForeignName.isCanonical($0) == isName, "\(text)") }
    }
  }

  @Test func numbersBehindAName() {
    for (number, length) in [(2, 28), (9, 28), (10, 27), (99, 27), (100, 26)] {
      #expect(ForeignName.cutLength(number: number) == length)
    }
    withByteView(of: Sample.text(30)) { bytes in
      var text = ByteBuffer()
      ForeignName.append(bytes, number: 12, to: &text)
      #expect(text.view.text == Sample.text(27) + "_12")
    }
  }
}
