import TestSupport
import Testing

/// `eventmill cluster plan`, and lists of inputs: what tasks of a cluster are started with.
@Suite struct PlanCommandTests: CommandSuite {
  let directory: ScratchDirectory

  /// Logs of 1 to 7 lines.
  init() throws {
    directory = try ScratchDirectory()
    for number in 1...7 {
      let lines = (0..<number).map { line in
        #"{"custom_id":"u\#(number)","name":"seen","time":"2024-06-01T00:00:0\#(line)"}"# + "\n"
      }
      try directory.write(lines.joined(), to: "logs/\(number).ndjson")
    }
  }

  private func plan(_ line: String) throws -> NaiveJSON {
    let result = try run("cluster plan \(line)")
    #expect(result.status == 0, "\(result.errors)")
    return try NaiveJSON(parsing: result.text)
  }

  private func inputs(_ task: NaiveJSON) -> [String] {
    task["inputs"]?.items.compactMap(\.text) ?? []
  }

  @Test func tasksHaveAboutEqualBytes() throws {
    let tasks = try plan("--tasks 3 logs")["tasks"]?.items ?? []
    #expect(tasks.count == 3)
    #expect(tasks.flatMap(inputs).sorted() == (1...7).map { "logs/\($0).ndjson" })
    let bytes = tasks.compactMap { $0["bytes"]?.integer }
    #expect(
      try bytes.reduce(0, +)
        == (1...7).reduce(0) { try $0 + directory.bytes("logs/\($1).ndjson").count })
    // 28 lines: 9, 9 and 10 of them.
    let line = try directory.bytes("logs/1.ndjson").count
    #expect(bytes.allSatisfy { $0 / line == 9 || $0 / line == 10 })
    for task in tasks { #expect(inputs(task) == inputs(task).sorted()) }
  }

  @Test func thereAreNoMoreTasksThanInputs() throws {
    #expect(try plan("--tasks 100 logs")["tasks"]?.items.count == 7)
    #expect(try plan("--tasks 1 logs")["tasks"]?.items.map(inputs)[0].count == 7)
    try directory.write([], to: "empty/notes.txt")
    let empty = try plan("--tasks 4 --allow-empty empty")
    #expect(empty["tasks"]?.items.count == 0 && empty["passed_over"]?["count"]?.integer == 1)
  }

  @Test func whatAnEarlierNightHasReadIsSkipped() throws {
    try succeed("run --out night logs/3.ndjson logs/5.ndjson")
    let plan = try plan("--tasks 2 --previous night logs")
    #expect(plan["skipped"]?.items.map(\.text) == ["logs/3.ndjson", "logs/5.ndjson"])
    #expect(plan["tasks"]?.items.flatMap(inputs).count == 5)
  }

  @Test func standardInputCannotBePlanned() throws {
    let result = try run("cluster plan --tasks 2 -", input: Array("{}\n".utf8))
    #expect(result.status == 2 && result.errors.contains("can be read only once"))
  }

  // MARK: - Lists of inputs

  @Test func aListNamesInputs() throws {
    try directory.write("logs/1.ndjson\r\n\nlogs/2.ndjson", to: "list")
    let named = try run("count --json logs/1.ndjson logs/2.ndjson logs/3.ndjson")
    let listed = try run("count --json --from list logs/3.ndjson")
    #expect(named.status == 0 && listed.status == 0 && !named.output.isEmpty)
    let piped = try run(
      "count --json --from -", input: Array("logs/3.ndjson\nlogs/1.ndjson\nlogs/2.ndjson\n".utf8))
    #expect(listed.output == named.output && piped.output == named.output)
  }

  @Test func aListThatNamesNothingIsRefused() throws {
    try directory.write([], to: "none")
    try directory.write([0x61, 0x0A, 0xFF, 0x0A], to: "bytes")
    let none = try run("count --from none")
    #expect(none.status == 2 && none.errors.contains("--from none lists nothing"))
    let bytes = try run("count --from bytes")
    #expect(bytes.status == 2 && bytes.errors.contains("bytes (line 2)"), "\(bytes.errors)")
    let missing = try run("count --from nowhere")
    #expect(missing.status == 1 && missing.errors.contains("nowhere"))
  }

  // MARK: - What a scheduler wants to know

  @Test func errorsSayWhetherTryingAgainMayHelp() throws {
    try directory.write([], to: "none/readme")
    for line in ["count nowhere", "count none", "count --tasks 3 logs"] {
      let error = try NaiveJSON(parsing: run("\(line) --json").errors)["error"]
      #expect(error?["retry"] == .bool(false), "\(line)")
    }
    let full = try bash("$eventmill count --json logs > /dev/full")
    #expect(full.status == 1 && full.errors.contains(#""retry":true"#), "\(full.errors)")
  }

  /// The program reads a pipe that stays open, until its parent is killed.
  @Test func itEndsWithItsParent() throws {
    let script = """
      mkfifo pipe
      (exec 3<>pipe; bash -c 'echo $$ > parent; $eventmill count --die-with-parent - < pipe & \
      echo $! > child; wait' & wait) &
      until [ -s child ] && [ -s parent ]; do :; done
      until grep -q . /proc/$(cat child)/task/*/comm && [ -e /proc/$(cat child)/fd/0 ]; do :; done
      until grep -qz die-with-parent /proc/$(cat child)/cmdline; do :; done
      until [ "$(ls /proc/$(cat child)/task | wc -l)" -ge 3 ]; do :; done
      kill -KILL $(cat parent)
      while kill -0 $(cat child) 2>/dev/null; do :; done
      echo ended
      """
    let result = try RunProcess.bash(
      "timeout 60 bash -c '\(script.replacing("'", with: "'\\''"))'", directory: directory)
    #expect(result.text.contains("ended"), "\(result.errors)")
  }
}
