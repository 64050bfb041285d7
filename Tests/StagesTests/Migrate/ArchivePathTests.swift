@testable import Jobs
import Pipeline
import Testing

@Suite struct ArchivePathTests {
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
  ])
  func whereAnInputGoes(path: String, root: String?, goes: String, isPlaced: Bool) {
    let position = ArchivePath(InputFile(path: path, size: 1, root: root))
    #expect(position.text(keepsSuffix: false) == goes)
    #expect(position.isPlaced == isPlaced)
    let parts = goes.split(separator: "/")
    #expect(!parts.contains("..") && !parts.contains("."))
  }

  @Test(arguments: ["a.ndjson.zst", "a.json.ndjson.zst", "x/a.ndjson.gz.ndjson.zst"])
  func aLogOfAnArchiveStaysWhereItIs(path: String) {
    let position = ArchivePath(InputFile(path: "archive/\(path)", size: 1, root: "archive"))
    #expect(position.text(keepsSuffix: false) == path)
  }
}
