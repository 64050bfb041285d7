import TestSupport
import Testing

/// `--root`: logs that each machine mounts elsewhere.
@Suite struct InputRootTests {
  private let directory: ScratchDirectory

  /// The same logs below `one` and below `two/logs`, and a link to the latter.
  init() throws {
    directory = try ScratchDirectory()
    for mount in ["one", "two/logs"] {
      for name in ["a", "b"] {
        let line = #"{"id":"\#(name)","custom_id":"u","name":"seen","time":"2024-06-01T00:00:00"}"#
        try directory.write("\(line)\n{\n", to: "\(mount)/06-01/\(name).ndjson")
      }
    }
    #expect(try RunProcess.bash("ln -s two/logs three", directory: directory).status == 0)
  }

  private func run(_ line: String, input: String = "") throws -> RunProcess.Result {
    try RunProcess.eventmill(
      line.split(separator: " ").map(String.init), input: Array(input.utf8), directory: directory)
  }

  private func expectSame(_ one: String, _ other: String) throws {
    let files = try directory.files(below: one)
    #expect(try directory.files(below: other) == files && !files.isEmpty)
    for file in files where !file.hasPrefix("report.") {
      #expect(
        try directory.bytes("\(one)/\(file)") == directory.bytes("\(other)/\(file)"), "\(file)")
    }
  }

  /// Relative names, absolute ones, through a link, and from a file: the bytes of a run in there.
  @Test func theBytesAreThoseOfARunInTheDirectory() throws {
    #expect(
      try RunProcess.bash("cd one && $eventmill run --out ../there 06-01", directory: directory)
        .status == 0)
    let here = directory.path
    for (out, names) in [
      ("relative", "--root one 06-01"),
      ("absolute", "--root \(here)/two/logs \(here)/two/logs/06-01"),
      ("linked", "--root \(here)/three \(here)/two/logs/06-01/a.ndjson 06-01/b.ndjson"),
      ("listed", "--root two/logs --from list"),
    ] {
      try directory.write("06-01/b.ndjson\n\(here)/three/06-01/a.ndjson\n", to: "list")
      let result = try run("run --out \(out) \(names)")
      #expect(result.status == 0 && directory.has("\(out)/manifest.json"), "\(result.errors)")
      try expectSame(out, "there")
    }
    let report = try NaiveJSON(
      parsing: String(decoding: directory.bytes("linked/report.json"), as: UTF8.self))
    #expect(
      report["inputs"]?.items.map { $0["path"]?.text } == ["06-01/a.ndjson", "06-01/b.ndjson"])
  }

  @Test func aPlanOfOneMachineIsReadOnAnother() throws {
    let plan = try run("cluster plan --tasks 1 --root one \(directory.path)/one/06-01")
    let inputs = try NaiveJSON(parsing: plan.text)["tasks"]?.items[0]["inputs"]?.items
    let names = (inputs ?? []).compactMap(\.text)
    #expect(names == ["06-01/a.ndjson", "06-01/b.ndjson"])
    let list = names.joined(separator: "\n") + "\n"
    for (out, root) in [("p-1", "one"), ("p-2", "two/logs")] {
      let result = try run("cluster partial --out \(out) --root \(root) --from -", input: list)
      #expect(result.status == 0, "\(result.errors)")
    }
    try expectSame("p-1", "p-2")
    let merge = try run(
      "cluster merge --step installations --partition 0 --out merged p-1 p-2 --json")
    #expect(try NaiveJSON(parsing: merge.text)["repeated_partials"] == .number("1"))
    let migrated = try run("migrate --root one --out v2 06-01")
    #expect(migrated.status == 0 && directory.has("v2/a.ndjson.zst"))
  }

  @Test func aNameOutsideIsRefused() throws {
    for name in ["../two/logs", "06-01/../../two", "\(directory.path)/two", "/"] {
      let result = try run("run --out out --root one \(name)")
      #expect(result.status == 2 && !directory.has("out"), "\(name)")
      #expect(result.errors.contains("the input \(name) is outside of it"), "\(result.errors)")
    }
    #expect(try run("run --out out --root none 06-01").errors.contains("it does not exist"))
    #expect(try run("run --out out --root one/06-01/a.ndjson x").status == 2)
    #expect(try run("diff --root one 06-01").status == 2)
  }

  /// Only inputs are looked for there.
  @Test func otherPathsAreThoseOfTheWorkingDirectory() throws {
    #expect(try run("run --out n-1 --root one --metrics m.prom 06-01/a.ndjson").status == 0)
    #expect(directory.has("n-1/manifest.json") && directory.has("m.prom"))
    try directory.write("{\"custom_id\":\"u\"}\n", to: "ids")
    let next = try run("run --out n-2 --previous n-1 --requests ids --root one 06-01")
    #expect(next.status == 0 && directory.has("n-2/manifest.json"), "\(next.errors)")
    let message = try run("run --out n-3 --root one 06-01/c.ndjson").errors
    #expect(message.contains(" 06-01/c.ndjson"), "\(message)")
  }
}
