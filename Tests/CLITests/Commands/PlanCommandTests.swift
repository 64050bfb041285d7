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

  private func inputs(_ plan: NaiveJSON) -> [[String]] {
    (plan["tasks"]?.items ?? []).map { $0["inputs"]?.items.compactMap(\.text) ?? [] }
  }

  @Test func tasksHaveAboutEqualBytes() throws {
    let plan = try json("cluster plan --tasks 3 logs")
    let tasks = inputs(plan)
    #expect(tasks.count == 3 && tasks.allSatisfy { $0 == $0.sorted() })
    #expect(tasks.flatMap(\.self).sorted() == (1...7).map { "logs/\($0).ndjson" })
    let bytes = (plan["tasks"]?.items ?? []).compactMap { $0["bytes"]?.integer }
    #expect(
      try bytes.reduce(0, +)
        == (1...7).reduce(0) { try $0 + directory.bytes("logs/\($1).ndjson").count })
    // 28 lines: 9, 9 and 10 of them.
    let line = try directory.bytes("logs/1.ndjson").count
    #expect(bytes.allSatisfy { $0 / line == 9 || $0 / line == 10 })
    // No more tasks than inputs.
    #expect(
      inputs(try json("cluster plan --tasks 100 logs")).map(\.count)
        == Array(repeating: 1, count: 7))
    #expect(inputs(try json("cluster plan --tasks 1 logs")).map(\.count) == [7])
    try directory.write([], to: "empty/notes.txt")
    let empty = try json("cluster plan --tasks 4 --allow-empty empty")
    #expect(inputs(empty).isEmpty && empty["passed_over"]?["count"]?.integer == 1)
    // What an earlier night has read is skipped.
    try succeed("run --out night logs/3.ndjson logs/5.ndjson")
    let next = try json("cluster plan --tasks 2 --previous night logs")
    #expect(next["skipped"]?.items.map(\.text) == ["logs/3.ndjson", "logs/5.ndjson"])
    #expect(inputs(next).joined().count == 5)
    try expect(2, "cluster plan --tasks 2 -", "can be read only once", input: "{}\n")
  }

  // MARK: Lists of inputs

  @Test func aListNamesInputs() throws {
    try directory.write("logs/1.ndjson\r\n\nlogs/2.ndjson", to: "list")
    let named = try succeed("count --json logs/1.ndjson logs/2.ndjson logs/3.ndjson").output
    let piped = "logs/3.ndjson\nlogs/1.ndjson\nlogs/2.ndjson\n"
    #expect(try !named.isEmpty && run("count --json --from list logs/3.ndjson").output == named)
    #expect(try run("count --json --from -", input: piped).output == named)
    // A list that names nothing is refused.
    try directory.write([], to: "none")
    try directory.write([0x61, 0x0A, 0xFF, 0x0A], to: "bytes")
    try expect(2, "count --from none", "--from none lists nothing")
    try expect(2, "count --from bytes", "bytes (line 2)")
    try expect(1, "count --from nowhere", "nowhere")
  }

  // MARK: What a scheduler wants to know

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
    let result = try bash("timeout 60 bash -c '\(script.replacing("'", with: "'\\''"))'")
    #expect(result.text.contains("ended"), "\(result.errors)")
  }
}
