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

  private func partials() throws {
    for name in ["a", "b"] {
      try succeed("cluster partial --partitions 2 --out p-\(name) \(name).ndjson")
    }
  }

  /// `1 records`, `1 duplicates`, `0 of 1 line are`, `1 different values`.
  @Test func oneThingIsNotCalledSeveral() throws {
    let directory = try ScratchDirectory()
    let line = #"{"custom_id":"u","id":"1","name":"n","time":"2024-06-01T00:00:00Z"}"# + "\n"
    try directory.write(line, to: "one")
    try directory.write(line + line, to: "two")
    for (command, words) in [
      ("run --out out one", "lines       1: 1 record, 0 blank"),
      ("run --out other two", "events      2: 1 accepted, 1 duplicate, 0 rejected"),
      ("mapping test segment one", "0 of 1 line is of segment"),
      ("mapping test --dialect segment segment one", "0 of 1 line is of segment"),
    ] {
      let result = try RunProcess.eventmill(
        command.split(separator: " ").map(String.init), directory: directory)
      let text = result.text + result.errors
      #expect(text.contains(words) && !text.contains("\(words)s"), "\(command): \(text)")
    }
  }

  @Test func theHalvesOfARunOneAfterTheOther() throws {
    let partial = try run("cluster partial --partitions 2 --out p-a a.ndjson")
    #expect(partial.status == 0 && partial.errors.isEmpty)
    #expect(
      partial.lines.prefix(3) == [
        "published p-a, 2 partitions", "lines       2: 1 record, 0 blank, 1 rejected",
        "events      1: 1 accepted, 0 duplicates, 0 rejected",
      ])
    try succeed("cluster partial --partitions 2 --out p-b b.ndjson")
    let merge = try run("cluster merge --step installations --partition 0 --out out p-a p-b p-a")
    #expect(merge.status == 0)
    #expect(
      merge.text.hasPrefix(
        "merged installations of partition 0 of 2 from 2 partials into out: 0 profiles, 0 dup"))
    #expect(merge.errors.contains("1 of the partials is equal to another one, and was used once"))
    #expect(
      try run("cluster merge --step installations --partition 1 --out out p-b p-a --quiet").output
        .isEmpty)
    for partition in 0..<2 {
      try succeed("cluster merge --step people --partition \(partition) --out out p-a p-b")
    }
    let finish = try run("cluster merge --step finish --out out")
    #expect(finish.status == 0 && finish.lines.first?.contains(": published out") == true)
    try succeed("verify out")
    let again = try run("cluster merge --step finish --out out")
    #expect(again.status == 0 && again.output.isEmpty)
    #expect(again.errors.contains("out is finished already"))
    // Equal to one run, except for the reports.
    try succeed("run --partitions 2 --out whole b.ndjson a.ndjson")
    let files = try directory.files(below: "whole")
    #expect(try directory.files(below: "out") == files && files.count == 14)
    for file in files where !file.hasPrefix("report.") {
      #expect(try directory.bytes("out/\(file)") == directory.bytes("whole/\(file)"), "\(file)")
    }
  }

  @Test func resultsAsJSON() throws {
    let partial = try NaiveJSON(
      parsing: run("cluster partial --json --partitions 2 --out p-a a.ndjson").text)
    #expect(partial["output"] == .string("p-a") && partial["partitions"] == .number("2"))
    #expect(partial["ledger"]?["lines"]?["rejected_lines"] == .number("1"))
    #expect(partial["lines_with_rejects"] == .number("1"))
    let merge = try NaiveJSON(
      parsing: run("cluster merge --json --step installations --partition 1 --out out p-a p-a").text
    )
    #expect(merge["partition"] == .number("1") && merge["partitions"] == .number("2"))
    #expect(merge["partials"] == .number("1") && merge["repeated_partials"] == .number("1"))
    try succeed("cluster merge --step installations --partition 0 --out out p-a")
    for partition in 0..<2 {
      try succeed("cluster merge --step people --partition \(partition) --out out p-a")
    }
    let finish = try NaiveJSON(parsing: run("cluster merge --json --step finish --out out").text)
    #expect(finish["profiles"] == .number("1") && finish["event_names"] == .number("1"))
  }

  @Test func whatDoesNotGoTogetherIsWrongUsage() throws {
    try partials()
    try directory.write([1], to: "work/file")
    let lines = [
      ("cluster merge --step finish --out out p-a", "partition"),
      (
        "cluster merge --step finish --parts-elsewhere --out out",
        "name the directories that the earlier steps"
      ),
      (
        "cluster merge --step people --partition 0 --parts-elsewhere --out out p-a",
        "--parts-elsewhere needs --step finish"
      ),
      (
        "cluster merge --step installations --partition 2 --out out p-a p-b",
        "partition 2 does not exist"
      ),
      ("cluster merge --step installations --partition 0 --out out none", "it does not exist"),
      (
        "cluster merge --step installations --partition 0 --out out work",
        "it is not a partial of eventmill"
      ),
      (
        "cluster merge --step installations --partition 0 --out work p-a",
        "it contains file, which no merge has made"
      ),
      ("cluster merge --step installations --partition 0 --out p-a p-b", "it is a finished output"),
      ("cluster partial --out p-a a.ndjson", "it exists"),
    ]
    for (line, why) in lines {
      let result = try run(line)
      #expect([2, 4].contains(result.status) && result.output.isEmpty, "\(line)")
      #expect(result.errors.contains(why), "\(line): \(result.errors)")
    }
    #expect(!directory.has("out/installations-00000-of-00002"))
  }

  /// What a shell needs to commit by a manifest: the finish, and the names that it lists.
  @Test func aFinishWithoutPartsListsThemByTheirContent() throws {
    try succeed("cluster partial --out p a.ndjson")
    for step in ["installations", "people"] {
      try succeed("cluster merge --step \(step) --partition 0 --out merged p")
    }
    try succeed("cluster merge --step finish --parts-elsewhere --out out merged")
    #expect(!directory.has("out/profiles") && directory.has("out/state/totals.ndjson.zst"))
    #expect(try run("verify out").status == 1)
    let parts = try RunProcess.bash(
      """
      cd merged/people-00000-of-00001
      for part in profiles/*.* state/*.*; do
        hash=$(grep -A3 "\"$part\"" manifest.json | sed -n 's/.*"xxh64": "\\(.*\\)".*/\\1/p')
        mkdir -p "../../out/${part%/*}"
        cp "$part" "../../out/${part%%.*}-$hash.${part#*.}"
      done
      """, directory: directory)
    #expect(parts.status == 0)
    let verified = try run("verify out")
    #expect(verified.status == 0, "\(verified.text)\(verified.errors)")
    #expect(try run("inspect out u").text.contains("seen"))
  }

  @Test func damageHasTheCodeOfDamage() throws {
    try partials()
    try directory.write("{}\n", to: "p-a/partial")
    let result = try run(
      "cluster merge --step installations --partition 0 --out out p-a p-b --json")
    #expect(result.status == 4)
    let error = try NaiveJSON(parsing: result.errors)["error"]
    #expect(error?["kind"] == .string("corrupt") && error?["exit_code"] == .number("4"))
    #expect(error?["path"] == .string("p-a/partial"))
  }

  /// Standard input has no name, so two of them cannot be distinguished.
  @Test func standardInputIsAnInputOfOnePartial() throws {
    let line = { (name: String) in
      Array(#"{"custom_id":"u","name":"\#(name)","time":"2024-06-01T00:00:00"}"#.utf8)
    }
    #expect(try run("cluster partial --out one -", input: line("x")).status == 0)
    #expect(try run("cluster partial --out two -", input: line("y")).status == 0)
    #expect(try run("cluster partial --out again -", input: line("x")).status == 0)
    let result = try run("cluster merge --step installations --partition 0 --out out one two")
    #expect(result.status == 2 && result.errors.contains("it contains the input -, and so does"))
    try succeed("cluster merge --step installations --partition 0 --out out one again")
  }

  /// The readable part of a damaged input is published, and the exit code reports the loss.
  @Test func aLostInputIsToldByBothHalves() throws {
    let cut = try RunProcess.bash(
      "zstd -q a.ndjson && head -c 20 a.ndjson.zst > c.ndjson.zst", directory: directory)
    try #require(cut.status == 0)
    #expect(try run("cluster partial --out p c.ndjson.zst").status == 4)
    #expect(!directory.has("p"))
    #expect(try run("cluster partial --keep-going --out p c.ndjson.zst").status == 4)
    for step in ["installations", "people"] {
      try succeed("cluster merge --step \(step) --partition 0 --out out p")
    }
    let finish = try run("cluster merge --step finish --out out")
    #expect(finish.status == 4 && finish.errors.contains("the rest is lost"))
    try succeed("verify out")
  }

  /// The report was made before the names of events were known.
  @Test func aRefusedFinishReportsTheNamesOfItsEvents() throws {
    try partials()
    for step in ["installations", "people"] {
      for partition in 0..<2 {
        try succeed("cluster merge --step \(step) --partition \(partition) --out out p-a p-b")
      }
    }
    #expect(try run("cluster merge --step finish --max-rejects 0 --out out").status == 3)
    let report = try NaiveJSON(parsing: directory.bytes("out.rejected/report.json"))
    #expect(report["top_events"]?[0]?["name"]?.text == "seen")
    #expect(report["top_events"]?[0]?["events"]?.integer == 2)
  }

  @Test func aClosedOutputUndoesNothing() throws {
    try partials()
    for line in [
      "cluster partial --out p-c a.ndjson",
      "cluster merge --step installations --partition 0 --out out p-a p-b",
      "cluster merge --step installations --partition 1 --out out p-a p-b",
      "cluster merge --step people --partition 0 --out out p-a p-b",
      "cluster merge --step people --partition 1 --out out p-a p-b",
      "cluster merge --step finish --out out",
    ] {
      let result = try bash("$eventmill \(line) > /dev/full")
      #expect(result.status == 0, "\(line)")
      #expect(result.errors.contains("No space left on device"), "\(line): \(result.errors)")
    }
    try succeed("verify out")
  }
}
