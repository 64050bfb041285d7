import Foundation
@testable import Jobs
import Pipeline
import TestSupport
import Testing

/// Where the logs of an archive go.
@Suite struct ArchivePlanTests {
  /// A path, its directory if it was found in one, where it goes, and whether it was placed.
  @Test(arguments: [
    ("logs/2019/a.ndjson.gz", "logs", "2019/a.ndjson.zst", false),
    ("/data/logs/a.log.gz", "/data/logs/", "a.log.ndjson.zst", false),
    ("../logs/x/a.json", "../logs", "x/a.ndjson.zst", false),
    ("a.jsonl.zst", nil, "a.ndjson.zst", false),
    ("./a/../b/c.ndjson", nil, "b/c.ndjson.zst", false),
    ("a//b.ndjson", nil, "a/b.ndjson.zst", false),
    ("../a/b.ndjson", nil, "b.ndjson.zst", true),
    ("a/../../b/c.ndjson", nil, "c.ndjson.zst", true),
    ("/var/log/app.ndjson", nil, "app.ndjson.zst", true),
    ("-", nil, "stdin.ndjson.zst", false),
    ("app", nil, "app.ndjson.zst", false),
    (".json", nil, ".json.ndjson.zst", false),
    // A log of an archive stays where it is.
    ("archive/a.ndjson.zst", "archive", "a.ndjson.zst", false),
    ("archive/a.json.ndjson.zst", "archive", "a.json.ndjson.zst", false),
    ("archive/x/a.ndjson.gz.ndjson.zst", "archive", "x/a.ndjson.gz.ndjson.zst", false),
  ])
  func whereAnInputGoes(path: String, root: String?, goes: String, isPlaced: Bool) {
    let position = ArchivePath(InputFile(path: path, size: 1, root: root))
    #expect(position.text(keepsSuffix: false) == goes)
    #expect(position.isPlaced == isPlaced)
    let parts = goes.split(separator: "/")
    #expect(!parts.contains("..") && !parts.contains("."))
  }

  /// Inputs in the directory `logs`.
  private static func inputs(_ names: [String]) -> [InputFile] {
    names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { InputFile(path: "logs/\($0)", size: 1, root: "logs") }
  }

  /// The targets of inputs; `*` marks those that are renamed.
  @Test(arguments: [
    [
      "a.json": "a.json.ndjson.zst*", "a.ndjson.gz": "a.ndjson.gz.ndjson.zst*",
      "b.json": "b.ndjson.zst",
    ],
    // What was renamed may meet a third one, which is renamed then.
    [
      "a.json": "a.json.ndjson.zst*", "a.ndjson": "a.ndjson.ndjson.zst*",
      "a.json.ndjson": "a.json.ndjson.ndjson.zst*", "x/a.json": "x/a.ndjson.zst",
    ],
    // The archive's own names are taken.
    [
      "rejects.ndjson": "rejects.ndjson.ndjson.zst*", "losses.ndjson": "losses.ndjson.zst",
      "report.json": "report.ndjson.zst", "x/rejects.ndjson": "x/rejects.ndjson.zst",
    ],
  ])
  func inputsOfOneNameKeepTheirWholeNames(_ expected: [String: String]) throws {
    let inputs = Self.inputs(Array(expected.keys))
    let targets = try ArchivePlan(inputs).targets.map { $0.path + ($0.isRenamed ? "*" : "") }
    #expect(targets == inputs.map { expected[$0.pathInRoot ?? ""] })
  }

  @Test func whatCannotGoToItsPlaceIsRefused() {
    func one(_ path: String) -> InputFile { InputFile(path: path, size: 1) }
    for (inputs, path, why) in [
      (
        [one("/one/a.ndjson"), one("/two/a.ndjson")], "/two/a.ndjson",
        "its target a.ndjson.ndjson.zst is also that of /one/a.ndjson"
      ),
      (
        Self.inputs(["a", "a.ndjson.zst/b.json"]), "logs/a.ndjson.zst/b.json",
        "it needs the folder a.ndjson.zst, which is the target of logs/a"
      ),
      (
        Self.inputs(["manifest.json/b.json"]), "logs/manifest.json/b.json",
        "it needs the folder manifest.json, which is the target of a report"
      ),
      ([one("rejects")], "rejects", ""),
      ([one(String(repeating: "x", count: 250))], String(repeating: "x", count: 250), "261 bytes"),
    ] {
      let failure = #expect(throws: Failure.self) { try ArchivePlan(inputs) }
      #expect(failure?.kind == .usage && failure?.path == path, "\(failure?.message ?? "")")
      #expect(why.isEmpty || failure?.why.contains(why) == true, "\(failure?.message ?? "")")
    }
  }

  /// Texts that are equal as characters may be two files.
  @Test func namesAreToldApartByTheirBytes() throws {
    let plan = try ArchivePlan(Self.inputs(["e\u{301}.json", "\u{E9}.json"]))
    #expect(plan.targets.count { $0.isRenamed } == 0)
  }
}
