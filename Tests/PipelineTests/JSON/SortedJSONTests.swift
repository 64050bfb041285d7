import TestSupport
import Testing

@testable import Pipeline

/// JSON text in a form of its own.
@Suite struct SortedJSONTests {
  private func sorted(_ json: String, atMost limit: Int = .max) -> String {
    withTape(of: json) { tape, root in
      var writer = SortedJSON()
      var written = ByteBuffer()
      writer.append(root, of: tape, atMost: limit, to: &written)
      return written.view.text
    }
  }

  @Test func membersStandInTheOrderOfTheirKeys() {
    #expect(sorted(#" { "b" : 1 , "a" : [ true , null ] } "#) == #"{"a":[true,null],"b":1}"#)
    #expect(sorted(#"{"é":1,"z":2,"Z":3,"":4}"#) == #"{"":4,"Z":3,"z":2,"é":1}"#)
    #expect(
      sorted(#"{"b":{"d":1,"c":2},"a":[{"f":1,"e":2}]}"#)
        == #"{"a":[{"e":2,"f":1}],"b":{"c":2,"d":1}}"#)
  }

  @Test func theLastOfRepeatedMembersCounts() {
    #expect(sorted(#"{"a":1,"b":2,"a":3,"a":4}"#) == #"{"a":4,"b":2}"#)
    #expect(sorted(#"{"a":{"x":1},"a":null}"#) == #"{"a":null}"#)
  }

  @Test func scalarsAreAsTheyAre() {
    #expect(sorted("[1.50,1e2,-0,12345678901234567890]") == "[1.50,1e2,-0,12345678901234567890]")
    #expect(sorted(#"["\u00e9\n\"\\\/"]"#) == #"["é\n\"\\/"]"#)
    #expect(sorted("[[],{},[{}]]") == "[[],{},[{}]]")
  }

  @Test func itEndsBehindTheLimit() {
    let long = "[" + Array(repeating: "\"0123456789\"", count: 1000).joined(separator: ",") + "]"
    let cut = sorted(long, atMost: 100)
    #expect(cut.utf8.count > 100 && cut.utf8.count < 130)
    #expect(long.hasPrefix(cut.dropLast()))
    let members = "{" + (0..<1000).map { "\"\(1000 + $0)\":1" }.joined(separator: ",") + "}"
    #expect(sorted(members, atMost: 100).utf8.count < 130)
  }

  @Test func oneKeyAMillionTimesTakesTimeInItsLength() {
    let members = "{" + Array(repeating: "\"k\":1", count: 100_000).joined(separator: ",") + "}"
    #expect(sorted(members) == #"{"k":1}"#)
  }
}
