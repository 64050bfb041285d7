@testable import Jobs
import Pipeline
import Testing

@Suite struct HTMLWriterTests {
  private func written(_ body: (inout HTMLWriter) -> Void) -> String {
    var html = HTMLWriter()
    body(&html)
    let buffer = html.finish()
    return buffer.view.text
  }

  @Test(arguments: [
    ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    (#"" onload="x"#, "&quot; onload=&quot;x"), ("' onload='x", "&#39; onload=&#39;x"),
    ("&lt;", "&amp;lt;"), ("</style>", "&lt;/style&gt;"), ("é € 😀", "é € 😀"),
    ("a\u{0}b\nc\u{85}", #"a\u{0}b\u{A}c\u{85}"#), ("gpj.\u{202E}exe", #"gpj.\u{202E}exe"#),
    ("a\u{200B}b\u{2028}", #"a\u{200B}b\u{2028}"#),
  ])
  func textMeansItself(_ text: String, _ escaped: String) {
    #expect(written { $0.text(text) } == escaped)
    #expect(
      written { $0.element("i", ["title": text], text) }
        == "<i title=\"\(escaped)\">\(escaped)</i>")
  }

  @Test func aLongTextKeepsBothEnds() {
    let short = String(repeating: "é", count: HTMLWriter.longestText)
    #expect(HTMLWriter.clipped(short) == short)
    let long = HTMLWriter.clipped("begin" + String(repeating: "x", count: 100_000) + "end")
    #expect(long.hasPrefix("begin") && long.hasSuffix("end"))
    #expect(long.unicodeScalars.count == HTMLWriter.longestText + 1)
  }
}
