import TestSupport
import Testing

@testable import Pipeline

@Suite struct ByteBufferJSONTests {
  private func string(_ text: String) -> String {
    var buffer = ByteBuffer()
    buffer.appendJSONString(text)
    return buffer.view.text
  }

  @Test(arguments: [
    ("", "\"\""),
    ("plain", "\"plain\""),
    ("a\"b\\c", #""a\"b\\c""#),
    ("\u{8}\u{9}\u{A}\u{C}\u{D}", #""\b\t\n\f\r""#),
    ("\0\u{1}\u{B}\u{1F}", #""\u0000\u0001\u000b\u001f""#),
    ("a/b\u{7F}\u{80}\u{2028}é😀", "\"a/b\u{7F}\u{80}\u{2028}é😀\""),
  ])
  func theShortestEscaping(_ text: String, _ expected: String) { #expect(string(text) == expected) }

  @Test func aStopAtEveryPlaceOfEveryLength() {
    for length in 0...40 {
      for position in 0..<length {
        for (byte, escaped) in [
          ("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\n"), ("\u{1}", "\\u0001"),
        ] {
          let before = String(repeating: "x", count: position)
          let after = String(repeating: "y", count: length - position - 1)
          #expect(string(before + byte + after) == "\"\(before)\(escaped)\(after)\"")
        }
      }
    }
  }

  @Test func bytesThatAreNoTextStandAsTheyAre() {
    withByteView(of: [0xFF, 0x0A, 0xC0]) { view in
      var buffer = ByteBuffer()
      buffer.appendJSONString(view)
      #expect(buffer.view.array == [0x22, 0xFF, 0x5C, 0x6E, 0xC0, 0x22])
    }
  }

  @Test(arguments: [
    (0.0, "0.0"), (-0.0, "-0.0"), (1.5, "1.5"), (0.1, "0.1"), (1e16, "1e+16"), (1e-7, "1e-07"),
    (1.0 / 3, "0.3333333333333333"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    (.leastNonzeroMagnitude, "5e-324"), (.infinity, "null"), (.nan, "null"),
  ])
  func doubles(_ value: Double, _ expected: String) {
    var buffer = ByteBuffer()
    value.appendJSON(to: &buffer)
    #expect(buffer.view.text == expected)
  }

  @Test func aViewOfTheBufferItselfTraps() async {
    await #expect(processExitsWith: .failure) {
      var buffer = ByteBuffer()
      buffer.append("text")
      buffer.appendJSONString(buffer.view)
    }
  }
}
