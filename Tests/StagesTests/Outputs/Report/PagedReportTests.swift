@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// What the page of a report shows, and that an input cannot inject anything into it.
@Suite struct PagedReportTests {
  private let fixture: RunFixture

  init() throws { fixture = try RunFixture() }

  private func page(_ output: String = "out") throws -> String {
    try fixture.scratch.text("\(output)/report.html")
  }

  /// The page of a run over a log of `lines`.
  private func page(_ lines: [String], in name: String = "a.ndjson") throws -> String {
    try fixture.log(lines, name)
    try fixture.run([name], to: "out")
    return try page()
  }

  private static func expect(_ page: String, has texts: [String], andNot others: [String] = []) {
    #expect(texts.filter { !page.contains($0) } == [])
    #expect(others.filter(page.contains) == [])
  }

  @Test func whatWasNotPublishedSaysSo() throws {
    try fixture.log(["{", Sample.event("u", "a")], "a.ndjson")
    #expect(fixture.failure(["a.ndjson"], to: "out") { $0.read.maxRejects = .lines(0) } != nil)
    Self.expect(
      try page("out.rejected"),
      has: [
        "nothing was published: 1 of 2 lines", "exit code 3",
        "<p>1 of 2 lines has a rejected part, more than 0.</p>", "Most frequent: invalid_json (1).",
      ], andNot: ["Profiles"])
  }

  @Test func aDamagedInputIsTheFirstThingToBeSaid() throws {
    let whole = Array((Sample.event("u", "a") + "\n").utf8)
    try fixture.compressedLog(whole, "a.ndjson.zst")
    let bytes = try fixture.scratch.bytes("a.ndjson.zst")
    try fixture.scratch.write(bytes + bytes.dropLast(), to: "a.ndjson.zst")
    try fixture.run(["a.ndjson.zst"], to: "out") { $0.read.keepGoing = true }
    Self.expect(
      try page(), has: ["a.ndjson.zst could not be read whole", "Damaged inputs", "from byte "])
  }

  @Test func nothingAtAllIsAPage() throws {
    Self.expect(
      try page([]), has: ["Nothing was rejected."], andNot: ["Events over time", "NaN", "inf"])
  }

  /// Paths and field names come from outside; the page escapes them.
  @Test func anInputCannotBreakOut() throws {
    let name = #"<script>alert('1')<"'&>.ndjson"#
    let field = #"</code><img src=x onerror=\"alert(1)\">"#
    let page = try self.page(
      [
        #"{"custom_id":"u","name":"n","time":\#(Sample.time),"\#(field)":1}"#,
        #"{"identifiers":{"custom_id":"u"},"time":1714600000000,"attributes":{"\#(field)":1}}"#,
        "{",
      ], in: name)
    Self.expect(
      page,
      has: [
        "&lt;script&gt;alert(&#39;1&#39;)&lt;&quot;&#39;&amp;&gt;.ndjson",
        "&lt;/code&gt;&lt;img src=x onerror=&quot;alert(1)&quot;&gt;",
        "<code>attributes.&lt;/code&gt;",
      ], andNot: ["<script", "<img"])
  }

  /// The page needs nothing from outside, its contents lead to all sections, every table has
  /// headers, and every drawing with a meaning has a title and a text.
  @Test func thePageIsCompleteForEveryReader() throws {
    let page = try self.page([Sample.event("u", "a"), "{"])
    Self.expect(
      page,
      has: [
        "role=\"img\" aria-labelledby=\"chart-title chart-text\"", "id=\"chart-title\"",
        "id=\"chart-text\"",
      ], andNot: ["http:", "https:", "src=", "url(", "@import", "<script", "<link"])
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

  /// Every reason has a sentence and its first line, which is truncated if long, without active
  /// markup.
  @Test func everyReasonHasAnExample() throws {
    let long = Sample.text(900)
    let page = try self.page([
      Sample.event("u", "no good"), Sample.event("u", "n", attributes: "{\"a\":\"\(long)\"}"),
      "<script>alert(1)</script>",
    ])
    Self.expect(
      page,
      has: [
        "an event name is 1 to 30 of the characters",
        "attributes.a has 900 characters; the limit is 300",
        "<pre>&lt;script&gt;alert(1)&lt;/script&gt;</pre>", "xxx…</pre>", Sample.text(200),
      ], andNot: [long])
  }

  @Test func manyInputsMakeNoLongPage() throws {
    let count = RunReport.mostInputs + 7
    let names = (0..<count).map { "log-\(1000 + $0)-\(Sample.text(200)).ndjson" }
    for name in names {
      let fields = (0..<3).map { ",\"field_\(name.prefix(8))_\($0)\":1" }.joined()
      try fixture.log([#"{"custom_id":"u","name":"n","time":\#(Sample.time)\#(fields)}"#], name)
    }
    try fixture.run(names, to: "out")
    let page = try self.page()
    Self.expect(
      page,
      has: [
        "and 7 more inputs; all of them are in report.json", "more fields",
        "log-\(1000 + RunReport.mostInputs - 1)-",
      ], andNot: ["log-\(1000 + RunReport.mostInputs)-"])
    #expect(page.utf8.count < 200_000)
  }
}
