@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// A page can be read alone, and by every reader.
@Suite struct PagedReportTests {
  /// The page needs nothing from outside, its contents lead to all sections, every table has
  /// headers, and every drawing with a meaning has a title and a text.
  @Test func thePageIsCompleteForEveryReader() throws {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a"), "{"], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    let page = try fixture.scratch.text("out/report.html")
    for (text, isThere) in [
      ("role=\"img\" aria-labelledby=\"chart-title chart-text\"", true),
      ("id=\"chart-title\"", true), ("id=\"chart-text\"", true), ("http:", false),
      ("https:", false), ("src=", false), ("url(", false), ("@import", false),
      ("<script", false), ("<link", false),
    ] { #expect(page.contains(text) == isThere, "\(text)") }
    func count(_ text: String) -> Int { page.split(separator: text).count - 1 }
    #expect(count("href=\"") == count("href=\"#") && count("href=") == count("<section id="))
    for anchor in page.split(separator: "href=\"#").dropFirst().map({ $0.prefix { $0 != "\"" } }) {
      #expect(page.contains("<section id=\"\(anchor)\">"), "\(anchor)")
    }
    #expect(count("<table ") == count("<thead>") && count("<table ") == count("aria-label=\"") - 1)
    #expect(
      count("<svg") == count("aria-hidden=\"true\"><rect") + count("role=\"img\"")
        + count("<svg x=") + count("<svg class=\"stack\" aria-hidden=\"true\"></svg>"))
  }

  @Test(arguments: [(1990, "x</pre>"), (1991, "x…</pre>")])
  func aCommandBeyondTwoThousandCharactersIsCut(_ length: Int, _ end: String) throws {
    let fixture = try RunFixture()
    try fixture.log([Sample.event("u", "a")], "a.ndjson")
    let control = JobControl(command: ["eventmill", String(repeating: "x", count: length)])
    try fixture.run(fixture.options(["a.ndjson"], to: "out"), control: control)
    #expect(try fixture.scratch.text("out/report.html").contains(end))
  }
}
