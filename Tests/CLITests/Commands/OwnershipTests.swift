import Foundation
import TestSupport
import Testing

/// Files that are not the program's own are never removed, replaced or waited for. Covers every
/// command line.
@Suite struct OwnershipTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    let line =
      #"{"identifiers":{"custom_id":"u"},"events":[{"name":"a","time":"2024-05-01T00:00:00Z"}]}"#
    let bad =
      #"{"identifiers":{"custom_id":"u"},"events":[{"name":"a b","time":"2024-05-01T00:00:00Z"}]}"#
    try directory.write("\(line)\n\(bad)\n", to: "logs/a.ndjson")
    try directory.write("{\"custom_id\":\"x\"}\n", to: "ids.ndjson")
  }

  /// Everything in the directory, with the bytes of files.
  private func content() throws -> [String: [UInt8]] {
    var all: [String: [UInt8]] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      all[path] = (try? directory.bytes(path)) ?? []
    }
    return all
  }

  /// Commands that publish, each with its `--out`, and what it takes to make one more.
  private static let makers = [
    ("run", "run --out o logs"), ("migrate", "migrate --out o logs"),
    ("partial", "cluster partial --out o logs"), ("redrive", "redrive --out o base"),
    ("erase", "erase --requests ids.ndjson --out o base"),
    ("generate", "generate --lines 5 --users 2 --seed 1 --out o"),
  ]

  /// Makes the outputs `base` and `p`, if a line names them.
  private func prepare(_ line: String) throws {
    if line.contains(" base") { try succeed("run --quiet --out base logs") }
    if line.contains(" p") { try succeed("cluster partial --quiet --out p logs") }
  }

  @Test func onlyAnOutputOfItsOwnKindIsReplaced() throws {
    try prepare(" base")
    for (other, made) in Self.makers {
      try succeed(made)
      try directory.move("o", to: "made")
      for (name, line) in Self.makers {
        try directory.copy("made", to: "o")
        let before = try content()
        let isSame = other == name || Set([other, name]) == ["run", "erase"]
        try expect(isSame ? 0 : 2, "\(line) --replace")
        if !isSame { #expect(try content() == before, "\(name) over \(other)") }
        try directory.remove("o")
      }
      // An output with a foreign file is not replaced, even by the same command.
      try directory.move("made", to: "o")
      try directory.write("precious", to: "o/notes.txt")
      let stranger = try content()
      try expect(2, "\(made) --replace", "notes.txt")
      #expect(try content() == stranger)
      try directory.remove("o")
    }
  }

  @Test(arguments: [
    #"{"name":"extension","manifest_version":3}"#, #"{"eventmill_output":"x","outputs":[]}"#,
    "no JSON", #"{"note":"eventmill_output","outputs":[{"path":"index.js"}]}"#,
  ])
  func aDirectoryWithAnotherProgramsManifestIsNotReplaced(_ text: String) throws {
    for (name, text) in [("manifest.json", text), ("index.js", "x"), ("src/a.js", "x")] {
      try directory.write(text, to: "o/\(name)")
    }
    let before = try content()
    for (name, line) in Self.makers where name != "redrive" && name != "erase" {
      try expect(2, "\(line) --replace", "index.js")
    }
    #expect(try content() == before)
  }

  /// What a command removes or replaces beside its output, and which command does.
  @Test(arguments: [
    ("o.rejected/report.json", "run --max-rejects 0 --out o logs"),
    ("o.rejected/notes", "run --max-rejects 0 --out o logs"),
    ("o.rejected/notes", "migrate --max-rejects 0 --out o logs"),
    (".o.resume/notes", "migrate --out o logs"),
    (".o.resume/notes", "migrate --resume --out o logs"),
    (".o.staging-1/notes", "run --out o logs"), (".o.staging-1", "run --out o logs"),
    (".o.old-1/notes", "run --out o logs"), (".o.lock", "run --out o logs"),
    ("o/partial", "cluster partial --replace --out o logs"),
    ("p/notes", "cluster partial --replace --out p logs"),
    ("p/manifest.json", "cluster partial --replace --out p logs"),
    (".p.staging-1/notes", "cluster partial --replace --out p logs"),
    ("o/notes", "cluster merge --step installations --partition 0 --out o p"),
    (
      "o/installations-00000-of-00001/notes",
      "cluster merge --step installations --partition 0 --out o p"
    ),
    (
      "o/.installations-00000-of-00001.staging-1/notes",
      "cluster merge --step installations --partition 0 --out o p"
    ),
    ("o/notes", "cluster merge --step finish --out o"),
    ("o/.installations-00000-of-00001.lock", "cluster merge --step finish --out o"),
    ("o/installations-00000-of-00001/notes", "cluster merge --step finish --out o"),
    ("o/.installations-00000-of-00001.staging-1/notes", "cluster merge --step finish --out o"),
    ("m.prom", "run --metrics m.prom --out o logs"),
    ("b.json", "bench --stage read --save b.json logs"),
  ])
  func aFileInTheWayStays(_ path: String, _ line: String) throws {
    try prepare(line.contains("cluster") ? " p" : "")
    if line.contains("--step finish") { try merge("p", to: "o") }
    try directory.write("precious", to: path)
    let before = try content()
    try expect(2, line)
    #expect(try content() == before)
  }

  @Test func anOutputInsideAnotherOrAnInputIsRefused() throws {
    try prepare(" base p")
    try directory.link("link", to: directory("base"))
    let before = try content()
    for line in [
      "run --previous base --out base/next logs", "run --out base/profiles/next logs",
      "erase --requests ids.ndjson --out base/x base", "migrate --out logs/out logs",
      "migrate --out logs logs", "run --out logs/../logs/deep logs",
      "cluster partial --out base/p logs", "redrive --out base/again base",
      "cluster merge --step installations --partition 0 --out base/m p",
      "generate --lines 5 --users 2 --seed 1 --out base/logs", "run --out link/next logs",
      "run --metrics base/m.prom --out o logs", "run --metrics logs/m.prom --out o logs",
      "run --metrics o --out o logs", "run --metrics .o.lock --out o logs",
      "run --metrics link/m.prom --out o logs", "run --replace --out base base",
      "bench --stage read --save base/b.json logs",
    ] {
      try expect(2, line)
      #expect(try content() == before, "\(line)")
    }
    // Neither file nor output exists when the run begins. By its end the file would be a foreign
    // one in the output.
    for path in ["out/n.prom", "out.rejected/n.prom", ".out.resume/n.prom", "logs/../out/n.prom"] {
      try expect(2, "run --metrics \(path) --out out logs", "the path of the output")
      #expect(try content() == before, "\(path)")
    }
    try succeed("run --quiet --metrics outer.prom --out out logs")
  }

  @Test func aPathThatIsNotTextIsRefused() throws {
    for line in [
      #""$eventmill" run --out "$(printf 'o\377')" logs"#,
      #""$eventmill" run --out="$(printf 'o\377')" logs"#,
      #""$eventmill" count "$(printf 'logs/a.ndjson\377')""#,
      #"EVENTMILL_METRICS="$(printf 'm\377')" "$eventmill" run --out o logs"#,
      #""$eventmill" generate --lines 1 --users 1 --seed 1 --out "$(printf 'g\355\240\200')""#,
    ] {
      let before = try content()
      let result = try bash(line)
      #expect(
        result.status == 2 && result.errors.contains("not UTF-8"), "\(line): \(result.errors)")
      #expect(try content() == before)
    }
  }

  /// A named pipe without a writer where a file should be. A command that waits for it never ends.
  @Test(arguments: [
    ("base/manifest.json", "run --previous base --out o logs"),
    ("base/state/totals.ndjson.zst", "run --previous base --out o logs"),
    ("base/state/part-00000-of-00001.zst", "run --previous base --out o logs"),
    ("base/state/part-00000-of-00001.zst", "run --no-values --previous base --out o logs"),
    ("base/manifest.json", "verify base"), ("base/rejects.ndjson.zst", "verify base"),
    ("base/report.json", "verify base"), ("base/event_counts.csv", "verify base"),
    ("base/profiles/part-00000-of-00001.ndjson.zst", "verify base"),
    ("base/manifest.json", "erase --requests ids.ndjson --out o base"),
    ("base/rejects.ndjson.zst", "erase --requests ids.ndjson --out o base"),
    ("base/rejects.ndjson.zst", "redrive --out o base"),
    ("base/rejects.ndjson.zst", "redrive --out o base/rejects.ndjson.zst"),
    ("ids.ndjson", "erase --requests ids.ndjson --out o base"),
    ("ids.ndjson", "verify --requests ids.ndjson base"),
    ("logs/b.ndjson", "run --out o logs"), ("logs/b.ndjson", "count logs"),
    ("logs/manifest.json", "count logs"),
    ("p/partial", "cluster merge --step installations --partition 0 --out o p"),
    (".o.resume/options.json", "migrate --resume --out o logs"),
    (".o.lock", "run --out o logs"),
    ("b.json", "bench --stage read --save b.json logs"),
    ("b.json", "bench --stage read --baseline b.json logs"),
  ])
  func aPipeInThePlaceOfAFileIsNotWaitedFor(_ path: String, _ line: String) throws {
    try prepare(line)
    try? directory.remove(path)
    let url = URL(fileURLWithPath: directory(path))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try #require(unsafe mkfifo(url.path, 0o600) == 0)
    let result = try bash("timeout 60 $eventmill \(line)")
    #expect([1, 2, 4].contains(result.status), "\(result.status): \(result.errors)")
    #expect(!directory.has("o/manifest.json"))
  }

  /// Directories of partitions have no manifest of their own, but the next merge reads them.
  @Test func aFinishedMergeIsNotWrittenIntoItsPartitions() throws {
    try prepare(" p")
    try merge("p", to: "merged")
    let before = try content()
    for output in ["merged/x", "merged/installations-00000-of-00001/x"] {
      try expect(2, "cluster merge --step finish --out \(output) merged", "inside it")
      #expect(try content() == before)
    }
    try succeed("cluster merge --quiet --step finish --out merged merged")
  }

  @Test func aPipeInThePlaceOfTheMetricsIsAWarning() throws {
    try #require(unsafe mkfifo(directory("m.prom"), 0o600) == 0)
    let result = try bash("timeout 60 $eventmill run --metrics m.prom --out o logs")
    #expect(result.status == 0 && result.errors.contains("m.prom"))
    #expect(directory.has("o/manifest.json"))
  }

  @Test func aPipeThatIsNamedIsRead() throws {
    let result = try bash("$eventmill count --json <(cat logs/a.ndjson)")
    #expect(result.status == 0)
    #expect(result.text.contains("\"a\""))
  }
}
