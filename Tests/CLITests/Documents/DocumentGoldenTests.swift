import Foundation
import Jobs
import Pipeline
import TestSupport
import Testing

@testable import eventmill

/// The documents that commands write, byte for byte but for what differs from run to run; the
/// fields of all results as JSON; and what is said of damaged documents.
@Suite struct DocumentGoldenTests: CommandSuite {
  /// What the commands leave, made once.
  private struct Made: CommandSuite {
    let directory: ScratchDirectory
    /// The exit code of each command, and the fields of its result.
    private(set) var fields = ""

    init() throws {
      directory = try ScratchDirectory()
      for (name, lines) in [
        ("plan", [#"{"eventmill_plan":1,"events":{"a":{"properties":{"n":{"type":"string"}}}}}"#]),
        ("other", [#"{"eventmill_plan":1,"events":{"a":{}}}"#]),
        ("ids", [#"{"custom_id":"eve","time":"2024-06-30T00:00:00Z"}"#, #"{"custom_id":"x"}"#]),
        ("logs/a.ndjson", log + [#"{"custom_id":"cut","na"#]), ("logs/b.ndjson", log),
        ("logs/notes.txt", ["no log"]), ("next/c.ndjson", DocumentGoldenTests.night),
      ] { try directory.write(lines.joined(separator: "\n"), to: name) }
      for command in commands {
        // The last step of a merge removes its partitions.
        if command.contains("--step finish") { try directory.copy("merged", to: "unfinished") }
        try add(command)
      }
    }

    private mutating func add(_ command: String) throws {
      let result = try run("\(command) --json")
      var (paths, known): ([String], Set<String>) = ([], [])
      for line in result.lines {
        let json = try NaiveJSON(parsing: String(line))
        DocumentGoldenTests.fields(of: json, at: "", into: &paths, &known)
        if known.contains("peak_memory_bytes") { expectFigures(json, of: command) }
      }
      fields += "\(command): exit \(result.status)\n" + paths.map { "  \($0)\n" }.joined()
    }

    /// The resource use of a command that shows it.
    private func expectFigures(_ json: NaiveJSON, of command: String) {
      guard !command.hasPrefix("night") else { return }
      for name in ["seconds", "processor_seconds"] {
        #expect(0..<100 ~= json[name]?.real ?? -1, "\(command): \(name)")
      }
      #expect(json["peak_memory_bytes"]?.real ?? 0 > 1e6, "\(command)")
      #expect(json["read_bytes"]?.integer ?? 0 > 0, "\(command)")
      let isPlan = command.hasPrefix("cluster plan")
      #expect(isPlan || json["written_bytes"]?.integer ?? 0 > 100, "\(command)")
      if command.hasSuffix(" logs"), !isPlan {
        #expect(json["lines"]?.integer == 24, "\(command)")
        #expect(json["bytes"]?.integer ?? 0 > 1000, "\(command)")
      }
    }
  }

  private static let made = Result { try Made() }
  let directory = ScratchDirectory.fresh

  init() throws {
    try bash("cp -a '\(Self.made.get().directory.path)'/. .")
  }

  /// Both forms of events, every outcome, most dialects; a loss, an unknown field, links.
  fileprivate static let log =
    (0..<3).map {
      #"{"id":"d","custom_id":"u","name":"a","time":"2024-06-01T0\#($0):00:00","n":1}"#
    }
    + [
      #"{"custom_id":"u","name":"no good","time":"2024-06-01T00:00:00"}"#,
      #"{"custom_id":"eve","name":"b","time":"2024-06-01T05:00:00","label":" ","odd":1}"#,
      #"{"identifiers":{"custom_id":"eve","installation_id":"D"},"time":"2024-06-01T00:00:00Z","attributes":{"age":3,"n":"x","age ":1}}"#,
      #"{"installation_id":"D","name":"c","time":"2010-01-01T00:00:00","id":"x"}"#,
      #"{"name":"a","time":"2024-06-02T00:00:00"}"#,
      #"{"event_type":"click","event_id":"p","timestamp":1717200000000,"data":{}}"#,
      "{", "[]", "",
    ]
  fileprivate static let night = [
    #"{"custom_id":"u","name":"a","time":"2024-06-03T01:00:00","tags":["t"],"label":"l"}"#,
    #"{"id":"d","custom_id":"u","name":"a","time":"2024-06-01T00:00:00"}"#,
    #"{"custom_id":"u","name":"new","time":"2024-06-03T02:00:00","attributes":{"date(at)":1}}"#,
    #"{"custom_id":"new","name":"b","time":"2024-06-03T03:00:00"}"#,
  ]

  /// In an order in which each finds what it needs.
  private static let commands = [
    "run --jobs 1 --keep-going --dedupe-days 9 --partitions 2 --tracking plan --out out logs",
    "run --jobs 1 --previous out --requests ids --erased-at 2024-07-01 --out chained next",
    "run --jobs 1 --max-rejects 0 --out refused logs",
    "count logs", "count --by day --top 1 logs", "validate logs", "cluster plan --tasks 2 logs",
    "explain logs/a.ndjson", "migrate --jobs 1 --verify --out archive logs",
    "migrate --dry-run logs", "redrive --jobs 1 --out redriven out",
    "erase --requests ids --erased-at 2024-07-01 --out erased out",
    "cluster partial --jobs 1 --partitions 1 --out partial logs",
    "cluster merge --jobs 1 --step installations --partition 0 --out merged partial",
    "cluster merge --jobs 1 --step people --partition 0 --out merged partial",
    "cluster merge --jobs 1 --step finish --out merged",
    "verify out", "verify --requests ids out", "verify archive", "inspect --state out",
    "inspect out u eve", "inspect out eve --why logs/b.ndjson",
    "inspect out u --history logs/b.ndjson", "diff out chained", "export out --out tables",
    "night --jobs 1 --logs l-%Y-%m-%d --out n-%Y-%m-%d --from-night 2024-06-01 --to-night 2024-06-01 "
      + "--allow-empty", "night list --out n-%Y-%m-%d --to-night 2024-06-02", "rejects out",
    "tracking infer logs", "tracking check plan logs", "tracking diff plan other",
    "mapping test segment logs/b.ndjson", "mapping show segment", "mapping list",
    "bench --lines 100 --users 10 --runs 1", "generate --lines 9 --users 3 --seed 1",
    "completions bash", "man run", "man --out pages", "help run", "version",
  ]

  /// The text of a document; of a partial, that in it.
  private func text(_ file: String) throws -> String {
    let bytes = try directory.bytes(file)
    guard let start = bytes.firstRange(of: Array("{\"eventmill_partial".utf8)) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    let document = bytes[start.lowerBound...]
    let end = document.lastIndex(of: UInt8(ascii: "}")) ?? document.startIndex
    return String(decoding: document[...end], as: UTF8.self) + "\n"
  }

  /// The paths of the fields of a result, in the order of their first appearance.
  private static func fields(
    of value: NaiveJSON, at path: String, into paths: inout [String], _ known: inout Set<String>
  ) {
    switch value {
    case .object(let members):
      for member in members {
        let path = path.isEmpty ? member.name : "\(path).\(member.name)"
        if known.insert(path).inserted { paths.append(path) }
        fields(of: member.value, at: path, into: &paths, &known)
      }
    case .array(let items):
      for item in items { fields(of: item, at: "\(path)[]", into: &paths, &known) }
    default: break
    }
  }

  @Test func theFieldsOfEveryResult() throws {
    for command in Command.allCases {
      let isRun = Self.commands.contains { "\($0) ".hasPrefix("\(command.rawValue) ") }
      #expect(isRun, "\(command)")
    }
    let fields = try Self.made.get().fields
    #expect(try Golden.difference(fields, from: "result-fields.txt") == nil)
  }

  /// A document without what differs from run to run: times, hashes, compressed sizes, versions.
  private func stable(_ file: String) throws -> String {
    var text = try text(file)
    text.replace(#/"(host|command|commit|started|ended|version|zstd)": "[^"]*"/#) {
      "\"\($0.output.1)\": \"…\""
    }
    text.replace(#/: [0-9.]+e-[0-9]+|: [0-9]+\.[0-9]+/#, with: ": 0.5")
    text.replace(#/"[0-9a-f]{16}"/#, with: "\"hash\"")
    text.replace(#/(\.zst",\n *)"bytes": [0-9]+/#) { "\($0.output.1)\"bytes\": 9" }
    text.replace(
      #/"(slowest_stage)": "[^"]*"|"(compressed_bytes|written_bytes|peak_memory_bytes)": [0-9]+/#
    ) { "\"\($0.output.1 ?? $0.output.2 ?? "")\": \"…\"" }
    return "=== \(file)\n\(text)"
  }

  @Test func theDocumentsOfEveryKindOfOutput() throws {
    let partition = ["manifest.json", "facts.json", "tally.json"]
      .map { "unfinished/installations-00000-of-00001/\($0)" }
    for (name, files) in [
      ("run", ["out/manifest.json", "out/report.json"]),
      ("chained", ["chained/manifest.json", "chained/report.json"]),
      ("refused", ["refused.rejected/manifest.json", "refused.rejected/report.json"]),
      ("archive", ["archive/manifest.json", "archive/report.json"]),
      ("redriven", ["redriven/manifest.json", "redriven/report.json"]),
      ("erased", ["erased/manifest.json", "erased/report.json"]), ("partial", ["partial/partial"]),
      // Its manifest is that of a run.
      ("merged", ["merged/report.json"]), ("partition", partition),
    ] {
      let documents = try files.map { try stable($0) }.joined()
      #expect(try Golden.difference(documents, from: "documents-\(name).txt") == nil)
    }
    for output in ["out", "chained", "erased"] {
      let page = try self.page("\(output)/report.html")
      #expect(try Golden.difference(page, from: "page-\(output).html.txt") == nil)
    }
  }

  /// What is said of a document in which something was replaced. The golden file has commands, and
  /// the changes before each run of one.
  @Test func whatIsSaidOfDamagedDocuments() throws {
    try directory.remove("merged")
    try directory.move("unfinished", to: "merged")
    let name = "damaged-documents.txt"
    let lines = try String(
      contentsOf: MigrationGuide.folder.appending(path: "Tests/CLITests/Golden/\(name)"),
      encoding: .utf8
    ).split(separator: "\n").filter { !$0.hasPrefix("  ") }
    #expect(lines.count > 50)
    var golden = ""
    var command = ""
    for line in lines {
      golden += "\(line)\n"
      guard let change = line.wholeMatch(of: /([^ ]+): (.*) -> (.*)/)?.output else {
        command = String(line.dropFirst("$ eventmill ".count))
        continue
      }
      let file = String(change.1)
      let (old, new) = (change.2.replacing("\\n", with: "\n"), Array(change.3.utf8))
      let whole = try directory.bytes(file)
      let damaged = whole.replacing(Array(old.utf8), with: new, maxReplacements: 1)
      let isChanged = damaged != whole
      #expect(isChanged, "\(line)")
      // The hash at the end of a document shows other damage.
      let isSealed = file.hasSuffix("manifest.json") || file.hasSuffix("report.json")
      try directory.write(
        isSealed
          ? Array(JSONDocument.resealed(String(decoding: damaged, as: UTF8.self)).utf8) : damaged,
        to: file)
      let result = try run(command)
      let messages = (result.errors + (result.status == 1 ? result.text : ""))
        .replacing(#/[0-9a-f]{16}/#, with: "hash")
        .replacing(#/(?m)^[0-9.]+ [kM]?B in .*\n/#, with: "")
      golden += "  exit \(result.status)\n"
      golden += messages.split(separator: "\n").map { "  \($0)\n" }.joined()
      try directory.write(whole, to: file)
    }
    #expect(try Golden.difference(golden, from: name) == nil)
  }
}
