import TestSupport
import Testing

/// `eventmill migrate`: exit codes, and what is printed.
@Suite struct MigrateCommandTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    let good = #"{"custom_id":"u","name":"e","time":"2024-06-01T00:00:00","label":" "}"#
    let bad = #"{"custom_id":"u","name":"e","time":1}"#
    for (name, lines) in [
      ("logs/2019/a.ndjson", [good, bad, "", "{"]), ("logs/2020/a.json", [good, good]),
      ("logs/2020/a.ndjson", [good]),
    ] {
      try directory.write(lines.map { $0 + "\n" }.joined(), to: name)
    }
  }

  /// The text without times and compressed sizes, which vary between runs.
  private func stable(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("read ") || line.hasPrefix("time ") ? String(line.prefix(11)) : String(line)
    }.joined(separator: "\n")
  }

  @Test func theSummaryAndTheLedger() throws {
    let dry = try succeed("migrate --dry-run --no-progress --out out logs")
    #expect(try Golden.difference(stable(dry.text), from: "migrate-dry-run.txt") == nil)
    #expect(try directory.names() == ["logs"])
    #expect(try !expect(3, "migrate --dry-run --max-rejects 1 logs").output.isEmpty)
    // A closed output undoes nothing.
    let full = try bash("$eventmill migrate --out full logs > /dev/full")
    #expect(full.status == 0 && full.errors.contains("No space left on device"))
    #expect(directory.has("full/manifest.json"))
    let result = try succeed("migrate --level 1 --out out logs")
    #expect(result.errors.isEmpty)
    #expect(try Golden.difference(stable(result.text), from: "migrate.txt") == nil)
    try expect(2, "migrate --out out logs")
    let quiet = try succeed("migrate --quiet --replace --out out logs")
    #expect(quiet.output.isEmpty && quiet.errors.isEmpty)
  }

  /// The page without its style sheet and stage times, and with placeholders for figures that vary.
  private func page(_ output: String) throws -> String {
    var page = try directory.text("\(output)/report.html")
    page.replace(#/(?s)<style>.*?</style>/#, with: "")
    page.replace(#/(?s)<section id="stages">.*?</section>\n/#, with: "")
    page.replace(#/<p>eventmill .*?</p>/#, with: "<p>TOOL</p>")
    page.replace(#/[-0-9]+T[0-9:]+Z to [^<]*/#, with: "TIME")
    page.replace(#/<dt>(Time|Written)</dt>.*?</div>/#, with: "</div>")
    page.replace(#/<code>[0-9a-f]{16}</code>/#, with: "<code>HASH</code>")
    return page.replacing("><", with: ">\n<")
  }

  @Test func thePageThatIsApproved() throws {
    // Duplicates of one log, a loss, an unknown field, and a name that tries to break out.
    let lossy =
      #"{"id":"e","custom_id":"u","name":"seen","time":"2024-06-01T00:00:00","label":" ","<b>":1}"#
    try directory.write("\(lossy)\n\(lossy)\n", to: "logs/<script>.ndjson")
    try succeed("migrate --jobs 1 --verify --out out logs")
    let page = try page("out")
    #expect(try Golden.difference(page, from: "migrate-report.html.txt") == nil)
    #expect(!page.contains("<script") && !page.contains("http:") && !page.contains("https:"))
    // What the manifest lists does not hold the page; its hash is on it.
    let manifest = try bash("xxhsum -H1 out/manifest.json")
    if manifest.status == 0 {
      let whole = try directory.text("out/report.html")
      #expect(whole.contains("<code>\(manifest.text.prefix(16))</code>"))
    }
    try succeed("verify out", "migrate --out unproven logs")
    #expect(try self.page("unproven").contains("Nothing was proven"))
    try expect(3, "migrate --max-rejects 0 --out refused logs")
    let refused = try self.page("refused.rejected")
    #expect(refused.contains("nothing was published: ") && refused.contains("verdict bad"))
    #expect(!refused.contains("Signature") && !refused.contains("id=\"proof\""))
  }

  @Test func resultsAsJSON() throws {
    let dry = try json("migrate --dry-run logs")
    let done = try json("migrate --verify --out out logs")
    #expect(dry["dry_run"] == .bool(true))
    for json in [dry, done] {
      #expect(json["ledger"]?["events"]?["accepted"]?.integer == 4)
      #expect(json["lines_with_rejects"]?.integer == 2)
      #expect(json["inputs"]?.items.count == 3)
      #expect(json["inputs"]?[1]?["output"]?.text == "2020/a.json.ndjson.zst")
      #expect(json["inputs"]?[1]?["renamed"] == .bool(true))
      #expect(json["inputs"]?[0]?["ledger"]?["lines"]?["rejected_lines"]?.integer == 1)
      #expect(json["output_lines"]?.integer == 4)
    }
    #expect(dry["losses"]?[0]?["samples"]?.items.count == 4)
    #expect(done["losses"]?.integer == 4)
    #expect(done["verified"]?["lines"]?.integer == 4)
    #expect(done["verified"]?["event_names"]?.integer == 1)
    for line in ["migrate --dry-run logs", "migrate --replace --out out logs"] {
      try directory.write([], to: "logs/2019/app.log")
      let ignored = try json(line)["passed_over"]
      #expect(ignored?["count"]?.integer == 1)
      #expect(ignored?["paths"]?[0]?.text == "logs/2019/app.log")
      #expect(ignored?["kinds"]?[0]?.text == "empty")
    }
  }

  /// A placeholder is not an id, so that the next name of the id counts.
  @Test(arguments: ["", "--nobody none"]) func placeholdersAreProven(_ option: String) throws {
    try directory.write(
      """
      {"custom_id":"bob","installation_id":"null","install_id":"i","name":"a","time":1714641600000}
      {"custom_id":"guest","name":"a","time":1714641600000}

      """, to: "ids/a.ndjson")
    try succeed("migrate --verify \(option) --out ids-out ids", "verify ids-out")
  }

  @Test(arguments: ["proof", "archive", "inputs", "resume"])
  func whatIsPrinted(_ name: String) throws { try expectTranscript("migrate-\(name)") }
}
