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
    let result = try run("migrate --level 1 --out out logs")
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(try Golden.difference(stable(result.text), from: "migrate.txt") == nil)
    #expect(try run("migrate --out out logs").status == 2)
    let quiet = try run("migrate --quiet --replace --out out logs")
    #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.errors.isEmpty)
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
    let result = try run("migrate --jobs 1 --verify --out out logs")
    #expect(result.status == 0, "\(result.errors)")
    let page = try page("out")
    #expect(try Golden.difference(page, from: "migrate-report.html.txt") == nil)
    #expect(!page.contains("<script") && !page.contains("http:") && !page.contains("https:"))
    // What the manifest lists does not hold the page; its hash is on it.
    let manifest = try bash("xxhsum -H1 out/manifest.json")
    if manifest.status == 0 {
      let whole = try directory.text("out/report.html")
      #expect(whole.contains("<code>\(manifest.text.prefix(16))</code>"))
    }
    try succeed("verify out")
    try run("migrate --out unproven logs")
    #expect(try self.page("unproven").contains("Nothing was proven"))
    #expect(try run("migrate --max-rejects 0 --out refused logs").status == 3)
    let refused = try self.page("refused.rejected")
    #expect(refused.contains("nothing was published: ") && refused.contains("verdict bad"))
    #expect(!refused.contains("Signature") && !refused.contains("id=\"proof\""))
  }

  @Test func aDryRunSaysTheSameAndWritesNothing() throws {
    let result = try run("migrate --dry-run --no-progress --out out logs")
    #expect(result.status == 0)
    #expect(try Golden.difference(stable(result.text), from: "migrate-dry-run.txt") == nil)
    #expect(try directory.names() == ["logs"])
    let strict = try run("migrate --dry-run --max-rejects 1 logs")
    #expect(strict.status == 3 && !strict.output.isEmpty)
    #expect(try run("migrate logs").status == 2)
  }

  @Test func resultsAsJSON() throws {
    let dry = try NaiveJSON(parsing: run("migrate --dry-run --json logs").text)
    let done = try NaiveJSON(parsing: run("migrate --json --out out logs").text)
    #expect(dry["dry_run"] == .bool(true))
    for json in [dry, done] {
      #expect(json["ledger"]?["events"]?["accepted"] == .number("4"))
      #expect(json["lines_with_rejects"] == .number("2"))
      #expect(json["inputs"]?.items.count == 3)
      #expect(json["inputs"]?[1]?["output"] == .string("2020/a.json.ndjson.zst"))
      #expect(json["inputs"]?[1]?["renamed"] == .bool(true))
      #expect(json["inputs"]?[0]?["ledger"]?["lines"]?["rejected_lines"] == .number("1"))
      #expect(json["output_lines"] == .number("4"))
    }
    #expect(dry["losses"]?[0]?["samples"]?.items.count == 4)
    #expect(done["losses"] == .number("4"))
  }

  /// A placeholder is not an id, so that the next name of the id counts.
  @Test func placeholdersAreProven() throws {
    try directory.write(

      """
      {"custom_id":"bob","installation_id":"null","install_id":"i","name":"a","time":1714641600000}
      {"custom_id":"guest","name":"a","time":1714641600000}

      """, to: "ids/a.ndjson")
    for option in ["", "--nobody none "] {
      let result = try run("migrate --verify --replace \(option)--out ids-out ids")
      #expect(result.status == 0, "\(option): \(result.errors)")
      try succeed("verify ids-out")
    }
  }

  @Test func whatIsProvenIsSaid() throws {
    let result = try run("migrate --verify --out out logs")
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(
      result.lines.contains(
        "verified    4 lines are canonical, with the same bytes when written again; inputs and logs contain the same "
          + "4 events"))
    let json = try NaiveJSON(parsing: run("migrate --verify --json --replace --out out logs").text)
    #expect(json["verified"]?["lines"] == .number("4"))
    #expect(json["verified"]?["event_names"] == .number("1"))
    #expect(try run("migrate --verify --dry-run logs").status == 2)
    let once = try RunProcess.bash(
      "cat logs/2020/a.json | $eventmill migrate --verify --out new -", directory: directory)
    #expect(once.status == 2 && once.errors.contains("--verify reads every input twice"))
    #expect(try directory.names() == ["logs", "out"])
  }

  @Test func aPublishedArchiveIsVerified() throws {
    try succeed("migrate --quiet --out out logs")
    let sound = try run("verify out")
    #expect(sound.status == 0)
    #expect(sound.text == "out: 5 files, 4 lines, 4 events; no problems\n")
    let json = try NaiveJSON(parsing: run("verify --json out").text)
    #expect(json["logs"] == .number("3") && json["operations"] == .number("0"))
    try directory.remove("out/losses.ndjson")
    let broken = try run("verify out")
    #expect(broken.status == 1)
    #expect(
      broken.lines == [
        "losses.ndjson: it is listed, but cannot be read: No such file or directory",
        "out: 4 files, 4 lines, 4 events; 1 problem",
      ])
    try succeed("redrive --quiet --out again out")
    #expect(try run("verify again").text == "again: 3 files, 0 lines, 0 events; no problems\n")
  }

  @Test func standardInputAndPathsThatLeadOut() throws {
    let result = try RunProcess.bash(
      "cd logs/2020 && cat a.json | $eventmill migrate --out ../../out - ../2019/a.ndjson",
      directory: directory)
    #expect(result.status == 0)
    #expect(result.text.contains("placed      ../2019/a.ndjson → a.ndjson.zst"))
    #expect(try directory.files(below: "out").prefix(2) == ["a.ndjson.zst", "losses.ndjson"])
    #expect(directory.has("out/stdin.ndjson.zst"))
  }

  /// The system knows no path of them.
  @Test func inputsWithoutAName() throws {
    let result = try RunProcess.bash(
      """
      $eventmill migrate --out pipe <(cat logs/2020/a.json) &&
        $eventmill migrate --out removed /dev/stdin <<<'{"name":"e","time":1714641300000}'
      """, directory: directory)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.text.contains("logs        1, 2 lines") && directory.has("removed/stdin.ndjson.zst"))
  }

  @Test func aDamagedInputIsLeftForResume() throws {
    let cut = try RunProcess.bash(
      "zstd -q logs/2020/a.json -o logs/z.ndjson.zst && truncate -s -9 logs/z.ndjson.zst",
      directory: directory)
    try #require(cut.status == 0)
    let failed = try run("migrate --out out logs")
    #expect(failed.status == 4 && failed.errors.contains("continue with --resume"))
    let mended = try RunProcess.bash(
      "rm logs/z.ndjson.zst; zstd -q logs/2020/a.json -o logs/z.ndjson.zst", directory: directory)
    try #require(mended.status == 0)
    let resumed = try run("migrate --resume --out out logs")
    #expect(resumed.status == 0)
    #expect(resumed.text.contains("had finished: 3"))
    let other = try run("migrate --resume --replace --v1 lenient --out out logs")
    #expect(other.status == 0, "there is nothing to go on from")
  }

  @Test func whatIsNoLogIsToldOf() throws {
    try directory.write([], to: "logs/2019/app.log")
    for line in ["migrate --dry-run logs/2019", "migrate --out out logs/2019"] {
      let line = line + " --max-rejects 2"
      let result = try run(line)
      #expect(result.status == 0)
      #expect(result.text.contains("ignored     logs/2019/app.log: empty\n"))
      let json = try NaiveJSON(parsing: run(line + " --json --replace").text)
      #expect(json["passed_over"]?["count"]?.integer == 1)
      #expect(json["passed_over"]?["paths"]?[0]?.text == "logs/2019/app.log")
      #expect(json["passed_over"]?["kinds"]?[0]?.text == "empty")
    }
    let good = try run("migrate --dry-run logs/2019/a.ndjson logs/2020/a.json")
    #expect(good.text.contains("\n1 other ") && !good.text.contains("passed over"))
  }

  @Test func beginningAnewSaysWhatIsLost() throws {
    let cut = try RunProcess.bash(
      "zstd -q logs/2020/a.json -o logs/z.ndjson.zst && truncate -s -9 logs/z.ndjson.zst",
      directory: directory)
    try #require(cut.status == 0)
    #expect(try run("migrate --out out logs").status == 4)
    let lenient = try run("migrate --resume --v1 lenient --out out logs")
    #expect(lenient.status == 2)
    #expect(
      lenient.errors.contains(
        "resuming the migration in .out.resume: it had --v1 strict, this one has "
          + "lenient"), "\(lenient.errors)")
    let anew = try run("migrate --max-rejects 2 --out out logs/2019")
    #expect(anew.status == 0 && anew.errors.contains("--resume would have continued it"))
  }

  @Test func aClosedOutputUndoesNothing() throws {
    let result = try RunProcess.bash(
      "$eventmill migrate --out out logs > /dev/full", directory: directory)
    #expect(result.status == 0 && result.errors.contains("No space left on device"))
    #expect(directory.has("out/manifest.json"))
  }
}
