import Foundation
import Jobs
import Pipeline
import TestSupport
import Testing

@testable import eventmill

/// The documents that commands write, byte for byte but for what differs from run to run; the
/// fields of all results as JSON; and what is said of damaged documents.
@Suite struct DocumentGoldenTests: CommandSuite {
  /// What the commands leave, made once from the files in `Golden/documents`.
  private struct Made: CommandSuite {
    let directory: ScratchDirectory
    /// The exit code of each command, and the fields of its result.
    private(set) var fields = ""

    init() throws {
      directory = try ScratchDirectory()
      try bash("cp -r '\(MigrationGuide.folder.path)/Tests/CLITests/Golden/documents/.' .")
      for command in try DocumentGoldenTests.commands() {
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

  /// The commands of the golden file, in an order in which each finds what it needs.
  private static func commands() throws -> [String] {
    try Golden.text("result-fields.txt").split(separator: "\n").filter { !$0.hasPrefix("  ") }
      .map { line in String(line[..<(line.range(of: ": exit ")?.lowerBound ?? line.endIndex)]) }
  }

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
    let commands = try Self.commands()
    for command in Command.allCases {
      let isRun = commands.contains { "\($0) ".hasPrefix("\(command.rawValue) ") }
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
      let page = try bash("\(Golden.functions(of: ""))\npage \(output)/report.html").text
      #expect(try Golden.difference(page, from: "page-\(output).html.txt") == nil)
    }
  }

  /// What is said of a document in which something was replaced. The golden file has commands, and
  /// the changes before each run of one.
  @Test func whatIsSaidOfDamagedDocuments() throws {
    try directory.remove("merged")
    try directory.move("unfinished", to: "merged")
    let name = "damaged-documents.txt"
    let lines = try Golden.text(name).split(separator: "\n").filter { !$0.hasPrefix("  ") }
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
