import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct StateLineKeyTests {
  private static func key(_ line: String) -> String? {
    withByteView(of: line) { line in
      var keys = StateLineKey()
      return keys.key(of: line)?.text
    }
  }

  @Test func keysWithAndWithoutEscapes() {
    let ids = RandomHistory.oddIDs + ["u", "é\"\\", "\n\r\t\u{8}\u{C}\u{1F}", "\\u0041", "\\\"},"]
    for id in ids {
      for rest in ["}\n", ",\"touched\":true}\n", ",\"attributes\":{\"k\":{}}}\n"] {
        let line = "{\"key\":\(quoted("custom:" + id))\(rest)"
        #expect(Self.key(line) == "custom:\(id)", "\(line)")
      }
    }
  }

  @Test(arguments: [
    "", "\n", "{}\n", "{\"key\":5}\n", "{\"eventmill_state\":3}\n", "{\"key\":\"custom:u",
    "{\"key\":\"custom:u\n", "{\"key\":\"custom:u\"}", "{\"key\":\"custom:\\u\"}\n",
    "{\"key\":\"custom:\\\"}\n", "{\"key\":\"\\x\"}\n", "{\"key\":\"", "{\"key\":\"a\\\"\"",
  ])
  func whatIsNoLineHasNoKey(line: String) {
    #expect(Self.key(line) == nil)
  }

  /// Keys with escapes stay until they are forgotten, however many there are.
  @Test func keysStayWhereTheyAre() {
    var keys = StateLineKey()
    var text = ByteBuffer()
    var places: [Range<Int>] = []
    for number in 0..<2000 {
      let start = text.count
      text.append(text: "{\"key\":\"custom:\\\"\(number)\",\"touched\":true}\n")
      places.append(start..<text.count)
    }
    let found = places.map { keys.key(of: text[$0]) }
    for (number, key) in found.enumerated() { #expect(key?.text == "custom:\"\(number)") }
    keys.removeAll()
    #expect(keys.key(of: text[places[7]])?.text == "custom:\"7")
  }
}
