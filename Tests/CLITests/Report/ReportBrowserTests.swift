import TestSupport
import Testing

/// The page of a report in a real browser, on a telephone and on a desk.
///
/// Needs Chromium (Debian: `apt-get install chromium`); skipped where there is none.
@Suite(
  .enabled("there is no chromium on this machine: the page was not looked at") { Browser() != nil })
struct ReportBrowserTests {
  /// A page with every defect, which proves that the measurements find them.
  private static let bad = """
    <!doctype html><body style="margin:0"><div style="width:900px;font-size:3px">wide</div>
    <img src="http://missing.invalid/a.png"><script>
    document.body.append(document.createElement("mark")); console.error("a bad page spoke");
    </script>
    """

  /// A night with faults of every kind, a damaged input, and names that try to break out.
  private func report(_ directory: ScratchDirectory) throws -> String {
    let made = try RunProcess.eventmill(
      ["generate", "--lines", "3K", "--users", "40", "--seed", "5", "--bad", "20%"])
    let name = "<script>document.body.append(document.createElement('mark'))<"
    let long = String(repeating: "a-very-long-name", count: 12)
    try directory.write(made.output, to: "logs/\(name)/\(long).ndjson")
    try directory.write([0x28, 0xB5, 0x2F, 0xFD, 0x00], to: "logs/\"><mark>.zst.ndjson")
    let result = try RunProcess.eventmill(
      ["run", "--quiet", "--keep-going", "--v1", "lenient", "--out", "out", "logs"],
      directory: directory)
    try #require(result.status == 4)
    return try directory.text("out/report.html")
  }

  @Test func thePageFitsAndKeepsQuiet() throws {
    let directory = try ScratchDirectory()
    let browser = try #require(Browser())
    let page = try report(directory)
    let widths = [320, 390, 800, 1400]
    let findings = try browser.look(
      at: widths.map { ("\($0)", page, $0) } + [("bad", Self.bad, 400)], in: directory)
    try #require(findings.looks.count == widths.count + 1)
    for (look, width) in zip(findings.looks, widths) {
      #expect(look.width == width && look.contentHeight > 2000, "\(width): it was drawn")
      #expect(look.contentWidth <= width, "\(width): something sticks out")
      #expect(look.requests == 0 && look.marks == 0, "\(width): it is self-contained")
      #expect(look.smallestLetters >= 11, "\(width): letters can be read")
    }
    let bad = findings.looks[widths.count]
    #expect(bad.contentWidth == 900 && bad.requests == 1 && bad.marks == 1, "\(bad)")
    #expect(bad.smallestLetters == 3)
    let spoken = findings.console.filter { !$0.contains("a bad page spoke") }
    #expect(spoken.filter { !$0.contains("http://missing.invalid/a.png") }.isEmpty, "\(spoken)")
    #expect(spoken.count < findings.console.count, "what pages say is heard")
  }
}
