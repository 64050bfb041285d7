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

  /// The damaged inputs do not hide each other, nor the rejects of the rest.
  @Test func validateNamesEveryDamagedInput() throws {
    let line = Array("\(Self.line)\n".utf8)
    try directory.write(line + [0x1F, 0x8B, 8], to: "many/1.ndjson")
    try directory.write(line + [0x28, 0xB5, 0x2F, 0xFD], to: "many/2.ndjson")
    try directory.write([0x28, 0xB5, 0x2F, 0xFD, 0x20], to: "many/3.ndjson.zst")
    try directory.write(line + Array("{\n".utf8), to: "many/4.ndjson")
    let result = try expect(4, "validate --quiet many")
    let warnings = result.errors.split(separator: "\n")
    #expect(warnings.count == 3)
    for (number, warning) in zip(1..., warnings) {
      #expect(warning.hasPrefix("warning: the rest is lost"), "\(warning)")
      #expect(warning.contains("many/\(number)."), "\(warning)")
    }
    #expect(result.text.contains("invalid_json"))
    let object = try json("validate many", expect: 4)
    #expect(object["lost"]?.items.map { $0["kind"]?.text } == ["corrupt", "corrupt", "corrupt"])
    #expect(
      object["lost"]?.items.map { $0["from_offset"]?.integer } == [line.count, line.count, 0])
    #expect(object["ledger"]?["lines"]?["total"]?.integer == 4)
    // Others stop at the first.
    let counted = try expect(4, "count --quiet many", "many/1.ndjson")
    #expect(counted.output.isEmpty && !counted.errors.contains("many/2.ndjson"))
  }

  /// What cannot be read is not damaged: exit code 1, unless another input is.
  /// What cannot even be found hides nothing either.
  @Test func validateContinuesAfterAMissingInput() throws {
    try bash("ln -s nowhere logs/z.ndjson; mkfifo logs/y.ndjson")
    let result = try expect(1, "validate --quiet missing logs bad.ndjson")
    for (path, why) in [
      ("missing", "No such file"), ("logs/z.ndjson", "dangling"), ("logs/y.ndjson", "a pipe"),
    ] {
      #expect(
        result.errors.split(separator: "\n").contains { $0.contains(path) && $0.contains(why) },
        "\(result.errors)")
    }
    #expect(result.text.contains("invalid_json"))
    #expect(try run("validate missing").errors.hasPrefix("error: "))
  }

  @Test func validateContinuesAfterAnUnreadableInput() throws {
    try directory.write([0x1F, 0x8B, 8, 0], to: "a.ndjson.gz")
    let result = try bash("PATH= \"$eventmill\" validate --quiet a.ndjson.gz bad.ndjson")
    #expect(result.status == 1 && result.text.contains("invalid_json"))
    #expect(result.errors.contains("a.ndjson.gz"))
    let both = try bash(
      "printf '(\\265/\\375 ' > c.zst; PATH= \"$eventmill\" validate --json a.ndjson.gz c.zst")
    #expect(both.status == 4)
    #expect(
      try NaiveJSON(parsing: both.text)["lost"]?.items.map { $0["kind"]?.text }
        == ["io", "corrupt"])
  }

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
    // Some commands read what is no log, and say so.
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

  /// With the name of a log, or a record, or as an argument, stray files are damaged logs.
  @Test func strayJSONMayBeALog() throws {
    for (name, text) in [
      ("x.ndjson", "{\n  \"a\": 1\n}\n"), ("y.json", "{\"a\":1}\n"),
      ("events", "{\"a\":1}\n{\"b\":2}\n"),
    ] {
      try directory.write(text, to: "other/\(name)")
      try directory.write("\(Self.line)\n", to: "other/a.ndjson")
      try expect(4, "run --out out other", "other/\(name): it is not a log: ")
      try directory.remove("other")
    }
    try directory.write(
      Self.line.replacing(",", with: ",\n").replacing("{", with: "{\n"), to: "other/z.json")
    #expect(try run("count other").errors.hasPrefix("1 line, "))
    try directory.write("{\"a\":1}\n", to: "logs/config")
    try expect(4, "run --out out logs/config")
    // Where anything is accepted as a log, it is one, too.
    #expect(try run("count --max-rejects 100% logs").errors.hasPrefix("3 lines, "))
  }

  /// In a directory of logs, its counts and profiles have the names of logs.
  @Test func outputsAreNoInputs() throws {
    try directory.write([], to: "in/zero")
    try succeed(
      "run --out in/out logs", "cluster partial --out in/part logs",
      "export in/out --out in/tables")
    try expect(3, "run --max-rejects 0 --out in/bad bad.ndjson")
    try expect(1, "count in", "in/bad.rejected: a directory of rejects")
    try directory.write("\(Self.line)\n", to: "in/app.log.1")
    let result = try expect(
      0, "count in",
      "ignored 5 other files: in/bad.rejected (a directory of rejects of eventmill), "
        + "in/out (an output of eventmill), in/part (a partial of eventmill), in/tables")
    #expect(result.errors.hasPrefix("1 line, 1 event"))
  }

  /// Without a manifest they are recognised by their names.
  @Test func outputsWithoutAManifestAreNoInputs() throws {
    try directory.write("\(Self.line)\n", to: "in/a.ndjson")
    try succeed(
      "run --out in/out logs", "run --out in/torn logs", "export in/out --out in/tables")
    for name in ["out", "tables"] { try directory.remove("in/\(name)/manifest.json") }
    try directory.write([], to: "in/torn/manifest.json")
    let without = "of eventmill without its manifest)"
    let result = try expect(
      0, "count in",
      "ignored 3 other files: in/out (an output \(without), in/tables (an export \(without), "
        + "in/torn (an output \(without)")
    #expect(result.errors.hasPrefix("1 line, 1 event"), "\(result.errors)")
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

  /// Jobs without a summary name them, too.
  @Test func notesNameIgnoredFiles() throws {
    try succeed("run --out out logs")
    for line in ["inspect out u --why logs", "inspect out u --history logs"] {
      try expect(0, line, "ignored 2 other files: logs/.hidden.json")
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

  /// One file, and standard input, as docs/reference/file-formats.md has it.
  @Test func explainNamesTheFileWhereThereMayBeSeveral() throws {
    #expect(try run("explain bad.ndjson").lines.allSatisfy { $0.hasPrefix("{\"line\":") })
    let lines = try run("explain logs bad.ndjson").lines
    #expect(lines.count == 5)
    #expect(lines.first?.hasPrefix(#"{"source":"bad.ndjson","line":1,"dialect":"v1""#) == true)
    #expect(lines.last?.hasPrefix(#"{"source":"logs/a.ndjson","line":1,"#) == true)
    try directory.remove("logs/B.JSON")
    #expect(try run("explain logs").text.hasPrefix(#"{"source":"logs/a.ndjson","#))
  }
}
