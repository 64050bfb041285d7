import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct TagSetTests {
  private func stored(_ tags: String, dropping dropped: [Int] = []) -> String {
    withTape(of: tags) { tape, root in
      for item in dropped { tape[root + 1 + item].flags |= TapeEntry.dropped }
      let fold = KeyFold()
      TagSet.store(Int32(root), in: tape, with: fold)
      return canonical(root, of: tape)
    }
  }

  @Test func lowercasesAndKeepsTheFirst() {
    #expect(stored(#"["B","a","b","A","c"]"#) == #"["b","a","c"]"#)
    #expect(stored("[]") == "[]")
    #expect(stored(#"["É","é","e\u0301"]"#) == "[\"é\",\"e\u{301}\"]", "no normalisation")
  }

  @Test func mapsScalarByScalar() {
    #expect(stored("[\"ΑΣ\",\"İ\",\"\u{212A}\"]") == "[\"α\u{3C3}\",\"i\u{307}\",\"k\"]")
  }

  @Test func passesOverWhatIsDropped() {
    #expect(stored(#"["a","A","b"]"#, dropping: [0]) == #"["a","b"]"#)
    #expect(stored(#"["X",1,"x"]"#, dropping: [1]) == #"["x"]"#)
  }

  @Test func manyTags() {
    let tags = (0..<200).map { "\"\($0 % 2 == 0 ? "T" : "t")\($0 % 70)\"" }.joined(separator: ",")
    let kept = (0..<70).map { "\"t\($0)\"" }.joined(separator: ",")
    #expect(stored("[\(tags)]") == "[\(kept)]")
  }
}
