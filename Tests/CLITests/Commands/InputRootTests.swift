import TestSupport
import Testing

/// `--root`: logs that each machine mounts elsewhere.
@Suite struct InputRootTests: CommandSuite {
  let directory: ScratchDirectory

  /// The same logs below `one` and below `two/logs`, and a link to the latter.
  init() throws {
    directory = try ScratchDirectory()
    for mount in ["one", "two/logs"] {
      for name in ["a", "b"] {
        let line = #"{"id":"\#(name)","custom_id":"u","name":"seen","time":"2024-06-01T00:00:00"}"#
        try directory.write("\(line)\n{\n", to: "\(mount)/06-01/\(name).ndjson")
      }
    }
    try directory.link("three", to: "two/logs")
  }

  /// Relative names, absolute ones, through a link, and from a file: the bytes of a run in there.
  @Test func theBytesAreThoseOfARunInTheDirectory() throws {
    #expect(try bash("cd one && $eventmill run --out ../there 06-01").status == 0)
    let here = directory.path
    try directory.write("06-01/b.ndjson\n\(here)/three/06-01/a.ndjson\n", to: "list")
    for (out, names) in [
      ("relative", "--root one 06-01"),
      ("absolute", "--root \(here)/two/logs \(here)/two/logs/06-01"),
      ("linked", "--root \(here)/three \(here)/two/logs/06-01/a.ndjson 06-01/b.ndjson"),
      ("listed", "--root two/logs --from list"),
    ] {
      try succeed("run --out \(out) \(names)")
      try expectSame(out, "there")
    }
    let inputs = try document("linked/report.json")["inputs"]
    #expect(inputs?.items.map { $0["path"]?.text } == ["06-01/a.ndjson", "06-01/b.ndjson"])
  }

  @Test func aPlanOfOneMachineIsReadOnAnother() throws {
    let plan = try json("cluster plan --tasks 1 --root one \(directory.path)/one/06-01")
    let names = (plan["tasks"]?[0]?["inputs"]?.items ?? []).compactMap(\.text)
    #expect(names == ["06-01/a.ndjson", "06-01/b.ndjson"])
    for (out, root) in [("p-1", "one"), ("p-2", "two/logs")] {
      try expect(
        0, "cluster partial --out \(out) --root \(root) --from -",
        input: names.joined(separator: "\n") + "\n")
    }
    try expectSame("p-1", "p-2")
    let merge = try json("cluster merge --step installations --partition 0 --out merged p-1 p-2")
    #expect(merge["repeated_partials"]?.integer == 1)
    try succeed("migrate --root one --out v2 06-01")
    #expect(directory.has("v2/a.ndjson.zst"))
  }

  @Test func aNameOutsideIsRefused() throws {
    for name in ["../two/logs", "06-01/../../two", "\(directory.path)/two", "/"] {
      try expect(
        2, "run --out out --root one \(name)", "the input \(name) is outside of it")
    }
    try expect(2, "run --out out --root none 06-01", "it does not exist")
    try expect(2, "run --out out --root one/06-01/a.ndjson x")
    try expect(2, "diff --root one 06-01")
    #expect(!directory.has("out"))
  }

  /// Only inputs are looked for there.
  @Test func otherPathsAreThoseOfTheWorkingDirectory() throws {
    try directory.write("{\"custom_id\":\"u\"}\n", to: "ids")
    try succeed(
      "run --out n-1 --root one --metrics m.prom 06-01/a.ndjson",
      "run --out n-2 --previous n-1 --requests ids --root one 06-01")
    #expect(directory.has("n-2/manifest.json") && directory.has("m.prom"))
    try expect(1, "run --out n-3 --root one 06-01/c.ndjson", " 06-01/c.ndjson")
  }
}
