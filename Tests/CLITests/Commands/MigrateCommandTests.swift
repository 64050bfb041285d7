import TestSupport
import Testing

@Suite struct MigrateCommandTests: CommandSuite {
  let directory = ScratchDirectory.fresh

  init() throws {
    let good = #"{"custom_id":"u","name":"e","time":"2024-06-01T00:00:00","label":" "}"#
    let bad = #"{"custom_id":"u","name":"e","time":1}"#
    for (name, lines) in [
      ("logs/2019/a.ndjson", [good, bad, "", "{"]), ("logs/2020/a.json", [good, good]),
      ("logs/2020/a.ndjson", [good]),
    ] { try directory.write(lines.map { $0 + "\n" }.joined(), to: name) }
  }

  @Test func thePageThatIsApproved() throws {
    // Duplicates of one log, a loss, an unknown field, and a name that tries to break out.
    let lossy =
      #"{"id":"e","custom_id":"u","name":"seen","time":"2024-06-01T00:00:00","label":" ","<b>":1}"#
    try directory.write("\(lossy)\n\(lossy)\n", to: "logs/<script>.ndjson")
    try succeed("migrate --jobs 1 --verify --out out logs")
    let page = try self.page("out/report.html")
    #expect(try Golden.difference(page, from: "migrate-report.html.txt") == nil)
    #expect(!page.contains("<script") && !page.contains("http:") && !page.contains("https:"))
    // What the manifest lists does not hold the page; its hash is on it.
    let manifest = try bash("xxhsum -H1 out/manifest.json")
    if manifest.status == 0 {
      let whole = try directory.text("out/report.html")
      #expect(whole.contains("<code>\(manifest.text.prefix(16))</code>"))
    }
    try succeed("verify out", "migrate --out unproven logs")
    #expect(try self.page("unproven/report.html").contains("Nothing was proven"))
    try expect(3, "migrate --max-rejects 0 --out refused logs")
    let refused = try self.page("refused.rejected/report.html")
    #expect(refused.contains("nothing was published: ") && refused.contains("verdict bad"))
    #expect(!refused.contains("Signature") && !refused.contains("id=\"proof\""))
  }

  @Test(arguments: Golden.transcripts("migrate-"))
  func whatIsPrinted(_ name: String) throws { try expectTranscript(name) }
}
