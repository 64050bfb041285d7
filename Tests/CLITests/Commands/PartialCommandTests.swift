import TestSupport
import Testing

/// `eventmill cluster partial` and `eventmill cluster merge`: exit codes and what is printed.
@Suite struct PartialCommandTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    for (name, user) in [("a", "u"), ("b", "w")] {
      let line = #"{"id":"1","custom_id":"\#(user)","name":"seen","time":"2024-06-01T00:00:00"}"#
      try directory.write("\(line)\n{\n", to: "\(name).ndjson")
    }
  }

  /// `1 records`, `1 duplicates`, `0 of 1 line are`, `1 different values`.
  @Test func oneThingIsNotCalledSeveral() throws {
    let line = #"{"custom_id":"u","id":"1","name":"n","time":"2024-06-01T00:00:00Z"}"# + "\n"
    try directory.write(line, to: "one")
    try directory.write(line + line, to: "two")
    for (command, words) in [
      ("run --out out one", "lines       1: 1 record, 0 blank"),
      ("run --out other two", "events      2: 1 accepted, 1 duplicate, 0 rejected"),
      ("mapping test segment one", "0 of 1 line is of segment"),
      ("mapping test --dialect segment segment one", "0 of 1 line is of segment"),
    ] {
      let result = try run(command)
      let text = result.text + result.errors
      #expect(text.contains(words) && !text.contains("\(words)s"), "\(command): \(text)")
    }
  }

  @Test func theHalvesOfARunOneAfterTheOther() throws {
    let partial = try succeed("cluster partial --partitions 2 --out p-a a.ndjson")
    #expect(partial.errors.isEmpty)
    #expect(
      partial.lines.prefix(3) == [
        "published p-a, 2 partitions", "lines       2: 1 record, 0 blank, 1 rejected",
        "events      1: 1 accepted, 0 duplicates, 0 rejected",
      ])
    try succeed("cluster partial --partitions 2 --out p-b b.ndjson")
    let step = "cluster merge --step installations --out out"
    let merged = try expect(
      0, "\(step) --partition 0 p-a p-b p-a",
      "1 of the partials is equal to another one, and was used once")
    #expect(
      merged.text.hasPrefix(
        "merged installations of partition 0 of 2 from 2 partials into out: 0 profiles, 0 dup"))
    #expect(try succeed("\(step) --partition 1 p-b p-a --quiet").output.isEmpty)
    try merge("p-a p-b", to: "out", partitions: 2, steps: ["people"])
    // The report was made before the names of events were known.
    let finish = "cluster merge --step finish --out out"
    try expect(3, "\(finish) --max-rejects 0")
    let event = try document("out.rejected/report.json")["top_events"]?[0]
    #expect(event?["name"]?.text == "seen" && event?["events"]?.integer == 2)
    #expect(try succeed(finish).lines.first?.contains(": published out") == true)
    try succeed("verify out")
    #expect(try expect(0, finish, "out is finished already").output.isEmpty)
    // Equal to one run, except for the reports.
    try succeed("run --partitions 2 --out whole b.ndjson a.ndjson")
    try expectSame("out", "whole")
    #expect(try directory.files(below: "out").count == 14)
  }

  @Test func resultsAsJSON() throws {
    let partial = try json("cluster partial --partitions 2 --out p a.ndjson")
    #expect(partial["output"]?.text == "p" && partial["partitions"]?.integer == 2)
    #expect(partial["ledger"]?["lines"]?["rejected_lines"]?.integer == 1)
    #expect(partial["lines_with_rejects"]?.integer == 1)
    let step = try json("cluster merge --step installations --partition 1 --out out p p")
    #expect(step["partition"]?.integer == 1 && step["partitions"]?.integer == 2)
    #expect(step["partials"]?.integer == 1 && step["repeated_partials"]?.integer == 1)
    try succeed("cluster merge --step installations --partition 0 --out out p")
    try merge("p", to: "out", partitions: 2, steps: ["people"])
    let finish = try json("cluster merge --step finish --out out")
    #expect(finish["profiles"]?.integer == 1 && finish["event_names"]?.integer == 1)
  }

  @Test func whatDoesNotGoTogetherIsWrongUsage() throws {
    for name in ["a", "b"] {
      try succeed("cluster partial --partitions 2 --out p-\(name) \(name).ndjson")
    }
    try directory.write([1], to: "work/file")
    try expectTranscript("partial")
  }

  /// What a shell needs to commit by a manifest: the finish, and the names that it lists.
  @Test func aFinishWithoutPartsListsThemByTheirContent() throws {
    try succeed("cluster partial --out p a.ndjson")
    try merge("p", to: "merged")
    try succeed("cluster merge --step finish --parts-elsewhere --out out merged")
    #expect(!directory.has("out/profiles") && directory.has("out/state/totals.ndjson.zst"))
    try expect(1, "verify out")
    let parts = try bash(
      """
      cd merged/people-00000-of-00001
      for part in profiles/*.* state/*.*; do
        hash=$(grep -A3 "\"$part\"" manifest.json | sed -n 's/.*"xxh64": "\\(.*\\)".*/\\1/p')
        mkdir -p "../../out/${part%/*}"
        cp "$part" "../../out/${part%%.*}-$hash.${part#*.}"
      done
      """)
    #expect(parts.status == 0)
    try succeed("verify out")
    #expect(try run("inspect out u").text.contains("seen"))
  }

  /// The readable part of a damaged input is published, and the exit code reports the loss.
  @Test func aLostInputIsToldByBothHalves() throws {
    let cut = try bash("zstd -q a.ndjson && head -c 20 a.ndjson.zst > c.ndjson.zst")
    try #require(cut.status == 0)
    try expect(4, "cluster partial --out p c.ndjson.zst")
    #expect(!directory.has("p"))
    try expect(4, "cluster partial --keep-going --out p c.ndjson.zst")
    try merge("p", to: "out")
    try expect(4, "cluster merge --step finish --out out", "the rest is lost")
    try succeed("verify out")
  }

  @Test func aClosedOutputUndoesNothing() throws {
    try succeed("cluster partial --out p-a a.ndjson")
    for line in [
      "cluster partial --out p-b b.ndjson",
      "cluster merge --step installations --partition 0 --out out p-a p-b",
      "cluster merge --step people --partition 0 --out out p-a p-b",
      "cluster merge --step finish --out out",
    ] {
      let result = try bash("$eventmill \(line) > /dev/full")
      #expect(result.status == 0, "\(line)")
      #expect(result.errors.contains("No space left on device"), "\(line): \(result.errors)")
    }
    try succeed("verify out")
  }
}
