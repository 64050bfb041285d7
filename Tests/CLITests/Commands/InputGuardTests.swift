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
    let refused = try run("\(command) table.csv")
    #expect(refused.status == 4 && !directory.has("out"))
    #expect(refused.errors.contains("it looks like CSV; convert it"), "\(refused.errors)")
    #expect(try run("\(command) --keep-going table.csv").status == 4)
    #expect(directory.has("out") == command.contains("out"))
    if directory.has("out") { try directory.remove("out") }
    try succeed("\(command) --max-rejects 100% table.csv")
  }

  @Test(arguments: ["validate", "explain"]) func someOnlySayWhatItLooksLike(_ command: String)
    throws
  {
    let result = try run("\(command) --quiet table.csv")
    #expect(result.status == 0 && !result.output.isEmpty)
    #expect(result.errors.contains("it looks like CSV"))
    #expect(try run("validate --json table.csv").text.contains("\"not_logs\":[{\"path\":"))
  }

  /// The damaged inputs do not hide each other, nor the rejects of the rest.
  @Test func validateNamesEveryDamagedInput() throws {
    let line = Array("\(Self.line)\n".utf8)
    try directory.write(line + [0x1F, 0x8B, 8], to: "many/1.ndjson")
    try directory.write(line + [0x28, 0xB5, 0x2F, 0xFD], to: "many/2.ndjson")
    try directory.write([0x28, 0xB5, 0x2F, 0xFD, 0x20], to: "many/3.ndjson.zst")
    try directory.write(line + Array("{\n".utf8), to: "many/4.ndjson")
    let result = try run("validate --quiet many")
    #expect(result.status == 4)
    let warnings = result.errors.split(separator: "\n")
    #expect(warnings.count == 3)
    #expect(warnings.allSatisfy { $0.hasPrefix("warning: the rest is lost") })
    for (number, warning) in zip(1..., warnings) { #expect(warning.contains("many/\(number).")) }
    #expect(result.text.contains("invalid_json"))
    let json = try run("validate --json many")
    #expect(json.status == 4)
    let object = try NaiveJSON(parsing: json.text)
    #expect(object["lost"]?.items.map { $0["kind"]?.text } == ["corrupt", "corrupt", "corrupt"])
    #expect(
      object["lost"]?.items.map { $0["from_offset"]?.integer } == [line.count, line.count, 0])
    #expect(object["ledger"]?["lines"]?["total"]?.integer == 4)
    // Others stop at the first.
    let counted = try run("count --quiet many")
    #expect(counted.status == 4 && counted.output.isEmpty)
    #expect(counted.errors.contains("many/1.ndjson") && !counted.errors.contains("many/2.ndjson"))
  }

  /// What cannot be read is not damaged: exit code 1, unless another input is.
  /// What cannot even be found hides nothing either.
  @Test func validateContinuesAfterAMissingInput() throws {
    _ = try RunProcess.bash(
      "ln -s nowhere logs/z.ndjson; mkfifo logs/y.ndjson", directory: directory)
    let result = try run("validate --quiet missing logs bad.ndjson")
    #expect(result.status == 1)
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
    let names = ["a.ndjson.gz", "bad.ndjson"]
    let result = try RunProcess.bash(
      "PATH= \"$eventmill\" validate --quiet \(names.joined(separator: " "))",
      directory: directory)
    #expect(result.status == 1 && result.text.contains("invalid_json"))
    #expect(result.errors.contains("a.ndjson.gz"))
    let both = try RunProcess.bash(
      "printf '(\\265/\\375 ' > c.zst; PATH= \"$eventmill\" validate --json \(names[0]) c.zst",
      directory: directory)
    #expect(both.status == 4)
    #expect(
      try NaiveJSON(parsing: both.text)["lost"]?.items.map { $0["kind"]?.text }
        == ["io", "corrupt"])
  }

  /// Two of three lines, where half of them may be bad.
  @Test(arguments: ["run --out out", "migrate --out out", "count", "migrate --dry-run"])
  func moreThanHalfOfTheLinesAreTooMany(_ command: String) throws {
    let failed = try run("\(command) bad.ndjson")
    #expect(failed.status == 3 && !directory.has("out"))
    #expect(failed.errors.contains("2 of 3 lines have a rejected part, more than 50%"))
    #expect(failed.output.isEmpty == command.contains("out"))
    try succeed("\(command) --max-rejects 2 bad.ndjson")
  }

  @Test func theEndOfAMergeDecides() throws {
    try succeed("cluster partial --out p bad.ndjson")
    for step in ["installations", "people"] {
      try succeed("cluster merge --step \(step) --partition 0 --out out p")
    }
    let failed = try run("cluster merge --step finish --out out")
    #expect(failed.status == 3 && failed.output.isEmpty)
    #expect(
      try directory.files(below: "out.rejected")
        == ["manifest.json", "rejects.ndjson.zst", "report.html", "report.json"])
    #expect(!directory.has("out/manifest.json"))
    let finished = try run("cluster merge --step finish --max-rejects 70% --out out")
    #expect(finished.status == 0)
    try succeed("run --max-rejects 70% --out whole bad.ndjson")
    for file in try directory.files(below: "whole") where !file.hasPrefix("report.") {
      #expect(try directory.bytes("out/\(file)") == directory.bytes("whole/\(file)"), "\(file)")
    }
  }

  @Test(
    arguments: writers + [
      "count", "validate", "explain", "migrate --dry-run", "bench --runs 1 --stage parse",
    ])
  func ignoredFilesAreNamed(_ command: String) throws {
    let result = try run("\(command) logs")
    #expect(result.status == 0)
    let said = result.text + result.errors
    if command.hasPrefix("migrate") {
      #expect(said.contains("ignored     logs/c.log.gz: a zip archive; unpack it"))
    } else {
      #expect(
        said.contains("2 other files: logs/.hidden.json (hidden), logs/c.log.gz (a zip archive)"),
        "\(said)")
    }
    guard command.hasPrefix("run") || command.hasPrefix("migrate --out") else { return }
    let report = try NaiveJSON(parsing: directory.bytes("out/report.json"))
    #expect(report["passed_over"]?["count"]?.integer == 2)
    #expect(
      report["passed_over"]?["paths"]?.items.map(\.text) == ["logs/.hidden.json", "logs/c.log.gz"])
  }

  /// The finish reads no directory of logs: the partials know what was passed over.
  @Test func theEndOfAMergeNamesIgnoredFilesOfPartials() throws {
    try succeed("cluster partial --out p logs")
    try succeed("cluster partial --out q bad.ndjson")
    for step in ["installations", "people"] {
      try succeed("cluster merge --step \(step) --partition 0 --out out q p")
    }
    let finished = try run("cluster merge --step finish --max-rejects 100% --out out")
    #expect(
      (finished.text + finished.errors).contains(
        "ignored     2 other files: logs/.hidden.json (hidden), logs/c.log.gz (a zip archive)"))
    let report = try NaiveJSON(parsing: directory.bytes("out/report.json"))
    #expect(report["passed_over"]?["count"]?.integer == 2)
    #expect(report["passed_over"]?["paths"]?.items.count == 2)
    #expect(report["passed_over"]?["kinds"]?.items.map(\.text).first == "hidden")
  }

  /// In a directory of logs, its counts and profiles have the names of logs.
  @Test func outputsAreNoInputs() throws {
    try directory.write([], to: "in/zero")
    for line in [
      "run --out in/out logs", "cluster partial --out in/part logs",
      "run --max-rejects 0 --out in/bad bad.ndjson", "export in/out --out in/tables",
    ] {
      #expect(try [0, 3].contains(run(line).status), "\(line)")
    }
    let alone = try run("count in")
    #expect(alone.status == 1 && alone.errors.contains("in/bad.rejected: a directory of rejects"))
    try directory.write("\(Self.line)\n", to: "in/app.log.1")
    let result = try run("count in")
    #expect(result.status == 0 && result.errors.hasPrefix("1 line, 1 event"))
    #expect(
      result.errors.contains(
        "ignored 5 other files: in/bad.rejected (a directory of rejects of eventmill), "
          + "in/out (an output of eventmill), in/part (a partial of eventmill), in/tables"),
      "\(result.errors)")
  }

  @Test(arguments: [
    ("migrate --out in", "a migration"), ("cluster partial --out in", "a partial"),
  ]) func whatIsNoOutputIsCalledWhatItIs(_ maker: String, _ what: String) throws {
    for line in ["\(maker) logs", "run --out out logs"] { #expect(try run(line).status == 0) }
    for command in [
      "run --previous in --out new logs", "cluster partial --previous in --out new logs",
      "cluster plan --tasks 2 --previous in logs", "inspect in u", "diff out in", "diff in out",
      "export in --out new", "cluster merge --out new --step finish in",
    ] {
      let refused = try run(command)
      #expect(refused.status == 2, "\(command)")
      let kind = command.hasPrefix("cluster merge") ? "a partition" : "an output"
      #expect(refused.errors.contains("in: it is \(what), not \(kind); name"), "\(refused.errors)")
    }
  }

  /// Without a manifest they are recognised by their names.
  @Test func outputsWithoutAManifestAreNoInputs() throws {
    try directory.write("\(Self.line)\n", to: "in/a.ndjson")
    for line in [
      "run --out in/out logs", "run --out in/torn logs", "export in/out --out in/tables",
    ] { #expect(try run(line).status == 0, "\(line)") }
    for name in ["out", "tables"] { try directory.remove("in/\(name)/manifest.json") }
    try directory.write([], to: "in/torn/manifest.json")
    let result = try run("count in")
    #expect(result.status == 0 && result.errors.hasPrefix("1 line, 1 event"), "\(result.errors)")
    let without = "of eventmill without its manifest)"
    #expect(
      result.errors.contains(
        "ignored 3 other files: in/out (an output \(without), in/tables (an export \(without), "
          + "in/torn (an output \(without)"), "\(result.errors)")
  }

  /// A link beside its log is another name of it.
  @Test(arguments: writers + ["count", "validate", "night"])
  func aLinkToALogInADirectoryIsReadOnce(_ command: String) throws {
    try directory.write("\(Self.line)\n", to: "in/2024-06-01/b.ndjson")
    try directory.write([], to: "nights/.keep")
    let night =
      "night --from-night 2024-06-01 --to-night 2024-06-01 --logs in/%Y-%m-%d --out nights/%Y-%m-%d"
    let line = command == "night" ? night : "\(command) in/2024-06-01"
    _ = try bash("ln -s b.ndjson in/2024-06-01/a.ndjson")
    let result = try run(line)
    let said = result.text + result.errors
    #expect(result.status == 0 && said.contains("in/2024-06-01/a.ndjson"), "\(said)")
    #expect(said.contains("the same file as in/2024-06-01/b.ndjson"), "\(said)")
  }

  /// Named like logs only by accident, or not at all: `.json` files of one object in several lines,
  /// and other files without a record.
  @Test(arguments: writers + ["count"]) func strayJSONIsIgnored(_ command: String) throws {
    let package = Array("{\n  \"name\": \"seen\",\n  \"version\": \"1.0.0\"\n}\n".utf8)
    let config = Array("{\"a\":1}\n".utf8)
    let event = Array(Self.line.replacing(",", with: ",\n").replacing("{", with: "{\n").utf8)
    try directory.write(package, to: "logs/package.json")
    try directory.write(config, to: "logs/config")
    for name in ["c.log.gz", ".hidden.json"] { try directory.remove("logs/\(name)") }
    let result = try run("\(command) logs")
    let said = result.text + result.errors
    #expect(result.status == 0, "\(said)")
    #expect(said.contains("logs/config") && said.contains("JSON objects of an unknown format"))
    #expect(said.contains("logs/package.json") && said.contains("a JSON document"), "\(said)")
    // With the name of a log, or a record, or as an argument, they are damaged logs.
    for (name, bytes) in [
      ("x.ndjson", Array(package.filter { $0 != UInt8(ascii: "n") })), ("y.json", config),
      ("events", config + Array("{\"b\":2}\n".utf8)),
    ] {
      try directory.write(bytes, to: "other/\(name)")
      try directory.write("\(Self.line)\n", to: "other/a.ndjson")
      let refused = try run("\(command.replacing(" out", with: " out-\(name)")) other")
      #expect(refused.status == 4 && refused.errors.contains("other/\(name): it is not a log: "))
      try directory.remove("other")
    }
    try directory.write(event, to: "other/z.json")
    #expect(try run("count other").errors.hasPrefix("1 line, "))
    #expect(try run("\(command) --replace logs/config").status == (command == "count" ? 2 : 4))
    // Where anything is accepted as a log, these are, too.
    #expect(try run("count --max-rejects 100% logs").errors.hasPrefix("4 lines, "))
  }

  /// An unknown log leads to the mapping that fits it, in a few words.
  @Test(arguments: ["adjust", "ga4", "gharchive", "posthog", "otel-logs"])
  func anUnknownLogNamesItsMapping(_ name: String) throws {
    let log = MigrationGuide.folder.appending(path: "sample-data/mappings/\(name).ndjson").path
    let refused = try run("count \(log)")
    #expect(refused.status == 4, "\(refused.errors)")
    #expect(refused.errors.contains("; it looks like \(name); add --mapping \(name), or "))
    try succeed("count --mapping \(name) \(log)")
  }

  /// So does one that is taken for another dialect, which accepts few of its lines.
  @Test(arguments: ["amplitude", "braze", "mparticle", "rudderstack", "segment"])
  func aMistakenLogNamesItsMapping(_ name: String) throws {
    let log = MigrationGuide.folder.appending(path: "sample-data/mappings/\(name).ndjson").path
    let mistaken = try run("validate \(log)")
    let words = "few of its first lines are accepted; it looks like "
    let said = mistaken.errors
    #expect(said.contains("\(words)\(name); add --mapping \(name)"), "\(said)")
    #expect(try !run("validate --mapping \(name) \(log)").errors.contains(words))
  }

  /// Jobs without a summary name them, too.
  @Test func notesNameIgnoredFiles() throws {
    try succeed("run --out out logs")
    for line in [
      "explain logs", "inspect out u --why logs", "inspect out u --history logs",
    ] {
      let result = try run(line)
      #expect(result.errors.contains("ignored 2 other files: logs/.hidden.json"), "\(line)")
    }
  }

  /// A path is looked up a second time only where an input has one: standard input has none, not
  /// even when it is a file, and a file that is called `-` is another.
  @Test(arguments: [
    "migrate --out out", "migrate --resume --out out",
    "run --previous night --out out", "cluster partial --out out", "count", "validate", "explain",
    "bench", "run --honor-opt-out --out out", "migrate --verify --out out",
  ]) func aFileOnStandardInputIsReadAsAPipeIs(_ command: String) throws {
    try directory.write("\(Self.line)\n", to: "-")
    try succeed("run --out night ./-")
    let results = try ["", "cat |"].map { pipe in
      let result = try RunProcess.bash(
        "\(pipe) $eventmill \(command) --quiet - < logs/a.ndjson", directory: directory)
      let ledger =
        directory.has("out/report.json")
        ? try NaiveJSON(parsing: directory.bytes("out/report.json"))["ledger"] : nil
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
