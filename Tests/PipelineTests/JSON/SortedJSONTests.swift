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

  private func isSourceText(_ json: String) -> Bool {
    withTape(of: json) { tape, root in SortedJSON.isSourceText(root, of: tape) }
  }

  @Test func textThatIsWrittenSoAlready() {
    for json in [
      "{}", "[]", #"{"a":1}"#, #"[1,-2.50,1e3,true,false,null,"","é"]"#,
      #"{"":[{},[]],"a":{"b":[1,{"c":"d e"}]},"ab":"x"}"#,
    ] {
      #expect(isSourceText(json) && sorted(json) == json, "\(json)")
    }
    for json in [
      "{ }", "[ ]", "[1, 2]", #"{"a": 1}"#, #"{"a":[1 ]}"#, #"{"b":1,"a":2}"#, #"{"a":1,"a":1}"#,
      #"{"ab":1,"a":2}"#, #"["\n"]"#, #"["\u0041"]"#, #"{"\u0061":1}"#, #"[{"b":1,"a":2}]"#,
      #"{"a":{"b":"\/"}}"#,
    ] {
      #expect(!isSourceText(json), "\(json)")
    }
    // Only objects and arrays are checked. The result for other values is `false`.
    #expect(!isSourceText("1") && !isSourceText("\"x\""))
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func sourceTextIsWhatWouldBeWritten(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let parts = ["a", "b", "é", "\\n", "\\u0041", " "]
    func value(_ depth: Int) -> String {
      func text() -> String {
        "\""
          + (0..<Int.random(in: 0..<3, using: &random)).map { _ in
            parts[Int.random(in: 0..<(random.next() % 4 == 0 ? 6 : 3), using: &random)]
          }.joined() + "\""
      }
      let space = random.next() % 16 == 0 ? " " : ""
      let count = Int.random(in: 0..<4, using: &random)
      switch Int.random(in: 0..<(depth < 3 ? 5 : 3), using: &random) {
      case 0: return "\(Int.random(in: -9..<99, using: &random))"
      case 1: return text()
      case 2: return "null"
      case 3:
        return "[" + (0..<count).map { _ in value(depth + 1) }.joined(separator: ",\(space)") + "]"
      default:
        var members = (0..<count).map { _ in "\(text()):\(value(depth + 1))" }
        if random.next() % 2 == 0 { members.sort() }
        return "{\(space)" + members.joined(separator: ",") + "}"
      }
    }
    var found = 0
    for round in 0..<400 {
      let json = "[\(value(0)),\(value(0))]"
      let isSource = isSourceText(json)
      // Text with an escape is never source text, even if the escape is the shortest form.
      let isSame = sorted(json) == json && !json.contains("\\")
      #expect(isSource == isSame, "seed \(seed), round \(round): \(json)")
      if isSource { found += 1 }
    }
    #expect(40...360 ~= found)
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
