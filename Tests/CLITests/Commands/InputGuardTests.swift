import Foundation
import TestSupport
import Testing

/// Inputs that are not logs, too many rejects, and skipped files: exit codes and messages.
@Suite struct InputGuardTests: CommandSuite {
  let directory: ScratchDirectory
  private static let line =
    #"{"id":"1","custom_id":"u","name":"seen","time":"2024-06-01T00:00:00"}"#

  init() throws {
    directory = try ScratchDirectory()
    try directory.write("id,name\n1,seen\n", to: "table.csv")
    try directory.write("\(Self.line)\n{\n{\n", to: "bad.ndjson")
    for name in ["a.ndjson", "B.JSON", ".hidden.json"] {
      try directory.write("\(Self.line)\n", to: "logs/\(name)")
    }
    try directory.write("PK\u{3}\u{4}", to: "logs/c.log.gz")
  }

  private static let writers = ["run --out out", "migrate --out out", "cluster partial --out out"]

  @Test(arguments: writers + ["count", "migrate --dry-run"])
  func whatIsNotALogIsDamaged(_ command: String) throws {
    try expect(4, "\(command) table.csv", "it looks like CSV; convert it")
    #expect(!directory.has("out"))
    try expect(4, "\(command) --keep-going table.csv")
    #expect(directory.has("out") == command.contains("out"))
    if directory.has("out") { try directory.remove("out") }
    try succeed("\(command) --max-rejects 100% table.csv")
  }

  @Test func someOnlySayWhatItLooksLike() throws {
    for command in ["validate", "explain"] {
      let result = try expect(0, "\(command) --quiet table.csv", "it looks like CSV")
      #expect(!result.output.isEmpty)
    }
    #expect(try json("validate table.csv")["not_logs"]?[0]?["path"]?.text == "table.csv")
  }

  @Test(arguments: ["damaged", "unreadable", "strays", "outputs", "names"])
  func whatIsSaid(_ name: String) throws { try expectTranscript("guard-\(name)") }

  /// Two of three lines, where half of them may be bad.
  @Test(arguments: ["run --out out", "migrate --out out", "count", "migrate --dry-run"])
  func moreThanHalfOfTheLinesAreTooMany(_ command: String) throws {
    let failed = try expect(
      3, "\(command) bad.ndjson", "2 of 3 lines have a rejected part, more than 50%")
    #expect(!directory.has("out") && failed.output.isEmpty == command.contains("out"))
    try succeed("\(command) --max-rejects 2 bad.ndjson")
  }

  /// The finish reads no directory of logs: the partials know what was passed over.
  @Test func theEndOfAMergeDecides() throws {
    try directory.write("\(Self.line)\n{\n{\n{\n", to: "bad.ndjson")
    try succeed("cluster partial --out p logs", "cluster partial --out q bad.ndjson")
    try merge("q p", to: "out")
    let finish = "cluster merge --step finish --out out"
    #expect(try expect(3, finish).output.isEmpty)
    #expect(
      try directory.files(below: "out.rejected")
        == ["manifest.json", "rejects.ndjson.zst", "report.html", "report.json"])
    #expect(!directory.has("out/manifest.json"))
    let finished = try succeed("\(finish) --max-rejects 70%")
    #expect(
      (finished.text + finished.errors).contains(
        "ignored     2 other files: logs/.hidden.json (hidden), logs/c.log.gz (a zip archive)"))
    let ignored = try document("out/report.json")["passed_over"]
    #expect(ignored?["count"]?.integer == 2)
    #expect(ignored?["paths"]?.items.map(\.text) == ["logs/.hidden.json", "logs/c.log.gz"])
    #expect(ignored?["kinds"]?.items.map(\.text).first == "hidden")
    try succeed("run --max-rejects 70% --out whole bad.ndjson logs")
    try expectSame("out", "whole")
  }

  // MARK: Skipped files

  /// Archives, hidden files, links to other logs, and JSON that is named like a log by accident.
  @Test(
    arguments: writers + [
      "count", "validate", "explain", "migrate --dry-run", "bench --runs 1 --stage parse",
    ])
  func ignoredFilesAreNamed(_ command: String) throws {
    try bash("ln -s a.ndjson logs/z.ndjson")
    try directory.write("{\n  \"name\": \"seen\",\n  \"version\": 1\n}\n", to: "logs/package.json")
    try directory.write("{\"a\":1}\n", to: "logs/config")
    let result = try succeed("\(command) logs")
    let said = result.text + result.errors
    var files = [
      (".hidden.json", "hidden"), ("c.log.gz", "a zip archive"),
      ("config", "JSON objects of an unknown format"), ("package.json", "a JSON document"),
      ("z.ndjson", "the same file as logs/a.ndjson"),
    ]
    // Some commands read what is not a log, and say so.
    if ["validate", "explain", "bench"].contains(where: command.hasPrefix) {
      files.removeSubrange(2...3)
    }
    if command.hasPrefix("migrate") {
      for (name, kind) in files { #expect(said.contains("ignored     logs/\(name): \(kind)")) }
    } else {
      let first = files.prefix(3).map { "logs/\($0) (\($1))" }.joined(separator: ", ")
      #expect(said.contains("\(files.count) other files: \(first)"), "\(said)")
    }
    guard command.hasPrefix("run") || command.hasPrefix("migrate --out") else { return }
    let ignored = try document("out/report.json")["passed_over"]
    #expect(ignored?["count"]?.integer == files.count)
    let found = zip(ignored?["paths"]?.items ?? [], ignored?["kinds"]?.items ?? [])
      .map { "\($0.text ?? ""): \($1.text?.prefix { $0 != ";" } ?? "")" }
    #expect(found == files.map { "logs/\($0): \($1)" })
  }

  @Test(arguments: [
    ("migrate --out in", "a migration"), ("cluster partial --out in", "a partial"),
  ]) func whatIsNoOutputIsCalledWhatItIs(_ maker: String, _ what: String) throws {
    try succeed("\(maker) logs", "run --out out logs")
    for command in [
      "run --previous in --out new logs", "cluster partial --previous in --out new logs",
      "cluster plan --tasks 2 --previous in logs", "inspect in u", "diff out in", "diff in out",
      "export in --out new", "cluster merge --out new --step finish in",
    ] {
      let kind = command.hasPrefix("cluster merge") ? "a partition" : "an output"
      try expect(2, command, "in: it is \(what), not \(kind); name")
    }
  }

  // MARK: Unknown logs

  private static func sample(_ name: String) -> String {
    MigrationGuide.folder.appending(path: "sample-data/mappings/\(name).ndjson").path
  }

  /// An unknown log leads to the mapping that fits it, in a few words.
  @Test(arguments: ["adjust", "ga4", "gharchive", "posthog", "otel-logs"])
  func anUnknownLogNamesItsMapping(_ name: String) throws {
    let log = Self.sample(name)
    try expect(4, "count \(log)", "; it looks like \(name); add --mapping \(name), or ")
    try succeed("count --mapping \(name) \(log)")
  }

  /// So does one that is taken for another dialect, which accepts few of its lines.
  @Test(arguments: ["amplitude", "braze", "mparticle", "rudderstack", "segment"])
  func aMistakenLogNamesItsMapping(_ name: String) throws {
    let words = "few of its first lines are accepted; it looks like "
    let said = try run("validate \(Self.sample(name))").errors
    #expect(said.contains("\(words)\(name); add --mapping \(name)"), "\(said)")
    let log = Self.sample(name)
    #expect(try !run("validate --mapping \(name) \(log)").errors.contains(words))
  }

  // MARK: Names of inputs

  /// A path is looked up a second time only where an input has one: standard input has none, not
  /// even when it is a file, and a file that is called `-` is another.
  @Test(arguments: [
    "migrate --out out", "migrate --resume --out out", "run --previous night --out out",
    "cluster partial --out out", "count", "validate", "explain", "bench",
    "run --honor-opt-out --out out", "migrate --verify --out out",
  ]) func aFileOnStandardInputIsReadAsAPipeIs(_ command: String) throws {
    try directory.write("\(Self.line)\n", to: "-")
    if command.contains("--previous") { try succeed("run --out night ./-") }
    let results = try ["", "cat |"].map { pipe in
      let result = try bash("\(pipe) $eventmill \(command) --quiet - < logs/a.ndjson")
      let ledger =
        directory.has("out/report.json") ? try document("out/report.json")["ledger"] : nil
      if directory.has("out") { try directory.remove("out") }
      return (result, ledger)
    }
    let (file, pipe) = (results[0], results[1])
    #expect(file.0.status == pipe.0.status && file.0.errors == pipe.0.errors)
    #expect(file.1 == pipe.1)
    if !command.contains("out") { #expect(file.0.text == pipe.0.text) }
  }
}
