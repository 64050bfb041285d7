import TestSupport
import Testing

/// Logs that come after their night was made.
@Suite struct NightLateTests: NightSuite {
  let scratch: ScratchDirectory

  /// Logs of 2024-09-01 to -03, one line in each file, and an empty directory `out`.
  init() throws {
    scratch = try ScratchDirectory()
    for day in 1...3 {
      for name in ["a", "b"] {
        try scratch.write(Self.event("\(name)\(day)", day), to: Self.log(day, name))
      }
    }
    try scratch.makeDirectory("out")
  }

  private static func log(_ day: Int, _ name: String) -> String {
    "logs/2024-09-0\(day)/\(name).ndjson"
  }

  private static func event(_ name: String, _ day: Int) -> [UInt8] {
    Array(
      """
      {"custom_id":"u\(day)","name":"\(name)","time":"2024-09-0\(day)T10:00:00Z"}

      """.utf8)
  }

  // MARK: Late files

  /// What is not a log neither comes late nor makes a night without logs be made again.
  @Test func strayFilesAreNoLateFiles() throws {
    let stray = "rm logs/2024-09-02/*; echo '{\"a\":1}' | tee logs/2024-09-0[12]/config"
    try night("-q --from-night 2024-09-01 --to-night 2024-09-02", before: stray)
    let last = try night("--to-night 2024-09-03")
    #expect(last.text == "1 night published, up to 2024-09-03; 0 removed, 3 nights kept\n")
    #expect(!last.errors.contains("config"), "\(last.errors)")
  }

  @Test func aFileThatComesLateIsReadByTheNextNight() throws {
    try scratch.write([], to: Self.log(1, "empty"))
    try night("-q --from-night 2024-09-01 --to-night 2024-09-02")
    // A file that was empty, a new one, one in a directory; and a copy of one that was read.
    let late = [(1, "empty"), (1, "late"), (2, "deep/late")]
    for (day, name) in late {
      try scratch.write(
        Self.event(name == "empty" ? "filled" : "late", day), to: Self.log(day, name))
    }
    try scratch.write(Self.event("a2", 2), to: Self.log(1, "copy"))
    try scratch.write(Self.event("again", 4), to: Self.log(4, "a"))
    let paths = late.map { Self.log($0, $1) }
    let named = paths.joined(separator: ", ")
    #expect(
      try night("--dry-run --to-night 2024-09-04").text.hasSuffix(
        "0 to remove, 4 nights kept; 3 late files to read: \(named)\n"))
    #expect(
      try night("--to-night 2024-09-02").text.hasSuffix(
        "; 3 late files waiting for the next night: \(named)\n"))
    let made = try night("--to-night 2024-09-04")
    #expect(
      made.text == "2 nights published, up to 2024-09-04; 0 removed, 4 nights kept; "
        + "3 late files read: \(named)\n")
    #expect(try metric("late_files") == 3)
    #expect(try metric("changed_files") == 0)
    let report = try NaiveJSON(parsing: scratch.bytes("out/2024-09-03/report.json"))
    #expect(report["earlier_folders"]?["late_files"]?.items.count == 3)
    let page = try scratch.text("out/2024-09-03/report.html")
    #expect(page.contains("Late files") && paths.allSatisfy(page.contains))
    try expectWhole("out/2024-09-04")
    #expect(!(try night("--to-night 2024-09-04").text.contains("late")))
    #expect(try metric("late_files") == 0)

    // Off, and beyond the last nights.
    try scratch.write(Self.event("later", 3), to: Self.log(3, "later"))
    for (day, words) in [(5, "--late-days 0"), (6, "--late-days 2"), (7, "")] {
      try scratch.write(Self.event("next", day), to: Self.log(day, "a"))
      try night("-q --to-night 2024-09-0\(day) \(words)")
      #expect(try metric("late_files") == (day == 7 ? 1 : 0))
    }
    try expectWhole("out/current")
  }

  @Test func filesThatChangedOrAreGoneAreNamedAndTheNightGoesOn() throws {
    for day in 1...2 {
      try scratch.write(
        Self.event("a\(day)", day) + Self.event("second", day), to: Self.log(day, "a"))
    }
    try night("-q --from-night 2024-09-01 --to-night 2024-09-02")
    let before = """
      cd logs; sed -i s/second/changed/ 2024-09-01/a.ndjson; head -n 1 2024-09-02/a.ndjson >cut
      mv cut 2024-09-02/a.ndjson; rm -f 2024-09-01/b.ndjson; cd ..
      """
    let leftOut = { (path: String) in
      "warning: \(path) no longer has all that a night has read under that name, and is left out; "
        + "restore it, or give it another name to have all of it read\n"
    }
    let warnings =
      leftOut("logs/2024-09-01/a.ndjson") + leftOut("logs/2024-09-02/a.ndjson")
      + "warning: 1 file that a night has read is gone: logs/2024-09-01/b.ndjson\n"
    let rehearsal = try night("--dry-run --to-night 2024-09-03", before: before)
    #expect(rehearsal.errors == warnings)
    let made = try night("--to-night 2024-09-03")
    #expect(made.errors.hasPrefix(warnings))
    #expect(made.text.hasSuffix("; left out: logs/2024-09-01/a.ndjson, logs/2024-09-02/a.ndjson\n"))
    let again = try night("--json --to-night 2024-09-03")
    let summary = try NaiveJSON(parsing: String(again.lines.last ?? ""))
    #expect(summary["changed_files"]?.items.count == 2)
    #expect(summary["gone_files"]?.items.count == 1)
    #expect(try metric("changed_files") == 2)
    #expect(try metric("gone_files") == 1)
    let counts = try scratch.text("out/current/event_counts.csv")
    #expect(counts.contains("\nsecond,2,") && counts.contains("\nb1,1,"))
    #expect(!counts.contains("\nchanged,"))
  }

  /// Logs that were read whole count as changed when they had only grown.
  @Test func ofAFileThatHasGrownTheNextNightReadsTheNewLines() throws {
    try night("-q --from-night 2024-09-01 --to-night 2024-09-02")
    try scratch.write(Self.event("a1", 1) + Self.event("grown", 1), to: Self.log(1, "a"))
    try scratch.write(Self.event("b2", 2) + Self.event("packed", 2), to: Self.log(2, "b"))
    let made = try night("--to-night 2024-09-03", before: "gzip logs/2024-09-02/b.ndjson")
    #expect(
      made.text.hasSuffix(
        "; 2 late files read: logs/2024-09-01/a.ndjson, logs/2024-09-02/b.ndjson.gz\n"))
    try expectCount("a1", 1)
    try expectCount("grown", 1)
    try expectCount("packed", 1)
  }

  /// A file packed under the name that it was read as, with other lines, was taken for it.
  @Test func aFileWithOtherContentIsReadWhereverItsNameWasReadBefore() throws {
    try night("-q --from-night 2024-09-01 --to-night 2024-09-02")
    try scratch.write(Self.event("other", 1), to: Self.log(1, "a"))
    let made = try night("--to-night 2024-09-03", before: "gzip logs/2024-09-01/a.ndjson")
    #expect(made.text.contains("; 1 late file read: logs/2024-09-01/a.ndjson.gz\n"))
    try expectCount("other", 1)
  }

  /// The counts of an event in the newest night.
  private func expectCount(_ name: String, _ count: Int) throws {
    let counts = try scratch.text("out/current/event_counts.csv")
    #expect(counts.contains("\n\(name),\(count),"), "\(counts)")
  }

  @Test func filesThatWereMovedPackedOrTouchedAreNotReadAgain() throws {
    try night("-q --from-night 2024-09-01 --to-night 2024-09-02")
    let other = try night("--to-night 2024-09-02", logs: "./logs")
    #expect(!other.text.contains("late") && other.errors.isEmpty, "\(other.text)\(other.errors)")
    let made = try night(
      "--to-night 2024-09-03",
      before: """
        cd logs; gzip 2024-09-01/a.ndjson; mv 2024-09-01/b.ndjson 2024-09-02/moved.ndjson
        touch 2024-09-02/a.ndjson; mv 2024-09-02/b.ndjson 2024-09-02/renamed.ndjson; cd ..
        """)
    #expect(made.text == "1 night published, up to 2024-09-03; 0 removed, 3 nights kept\n")
    #expect(!made.errors.contains("warning"), "\(made.errors)")
  }

  // MARK: Nights without logs

  @Test func nightsMadeWithoutLogsAreMadeAgainWhenTheirLogsCome() throws {
    let words = "--allow-empty --to-night 2024-09-04"
    try night("-q --from-night 2024-09-01 --to-night 2024-09-02")
    // A clock that is ahead, while the logs are not there yet.
    try night("-q --allow-empty --to-night 2024-09-09", before: "mv logs/2024-09-03 later")
    let ahead = try night(words, expect: 2)
    #expect(
      ahead.errors.contains(
        "2024-09-05 and 4 later are published, but the newest night to make is 2024-09-04"))
    let rehearsal = try night(
      "--dry-run \(words)",
      before: "rm -r out/2024-09-0[5-9]; mv later logs/2024-09-03")
    #expect(rehearsal.text.contains("\nwould make out/2024-09-03 and what follows again: "))
    #expect(
      rehearsal.text.hasSuffix(
        "\n2 nights to publish, up to 2024-09-04; 0 to remove, 4 nights kept\n"))
    let made = try night(words)
    #expect(made.text == "2 nights published, up to 2024-09-04; 0 removed, 4 nights kept\n")
    try expectWhole("out/2024-09-03")
    try expectWhole("out/current")
    #expect(try night(words).text.hasPrefix("2024-09-04 is published, and nothing"))
  }

  /// The nights behind the one with the foreign file were gone by then.
  @Test func nightsWithForeignFilesAreFoundBeforeOthersAreRemoved() throws {
    try night(
      "-q --allow-empty --from-night 2024-09-01 --to-night 2024-09-05",
      before: "mv logs/2024-09-03 later")
    let refused = try night(
      "--allow-empty --to-night 2024-09-05",
      before: "mv later logs/2024-09-03; touch out/2024-09-04/mine", expect: 2)
    #expect(refused.errors.contains("mine"), "\(refused.errors)")
    let left = try RunProcess.bash("ls out; readlink out/current", directory: scratch)
    #expect(left.text.contains("2024-09-05\ncurrent\n2024-09-05\n"), "\(left.text)")
  }

  @Test func logsOfAnEmptyNightBeforeOthersAreReadLate() throws {
    try night(
      "-q --allow-empty --from-night 2024-09-01 --to-night 2024-09-03",
      before: "mv logs/2024-09-02 later")
    let made = try night(
      "--allow-empty --to-night 2024-09-04", before: "mv later logs/2024-09-02")
    #expect(made.text.contains("; 2 late files read: logs/2024-09-02/a.ndjson, "))
    try expectWhole("out/current")
  }

  /// Nothing was missing, although no night had read them: that of their day was removed, or before
  /// the last nights.
  @Test(arguments: ["--keep-daily 2", "--late-days 2"])
  func logsOfAnOldNightWithoutAnyAreReadLate(words: String) throws {
    let isKept = words.hasPrefix("--late")
    if !isKept { try scratch.remove("logs/2024-09-03") }
    try night(
      "-q --allow-empty --from-night 2024-09-01 --to-night 2024-09-07 \(words)",
      before: "mv logs/2024-09-02 later")
    #expect(scratch.has("out/2024-09-02") == isKept)
    let waiting = try night(
      "--to-night 2024-09-07 \(words)",
      before: "mkdir logs/2024-09-02; cp later/a* logs/2024-09-02")
    #expect(waiting.text.hasPrefix("2024-09-07 is published; 0 removed"), "\(waiting.text)")
    #expect(waiting.text.contains("; 1 late file waiting for the next night: logs/2024-09-02/a"))
    try night("-q --allow-empty --to-night 2024-09-08 \(words)")
    #expect(try metric("late_files") == 1)
    try night(
      "-q --allow-empty --to-night 2024-09-09 \(words)",
      before: "cp later/b* logs/2024-09-02")
    #expect(try metric("late_files") == 1)
    try expectWhole("out/current")
    try night("-q --allow-empty --to-night 2024-09-12 \(words)")
    #expect(try metric("late_files") == 0)
  }

  /// Its folder was compared only as long as all nights up to the newest were kept.
  @Test func lateFilesOfARemovedNightAreReadWithinTheLastDays() throws {
    for day in 4...5 { try scratch.write(Self.event("a\(day)", day), to: Self.log(day, "a")) }
    let words = "--keep-daily 1 --keep-weekly 2"
    try night("-q --from-night 2024-09-01 --to-night 2024-09-04 \(words)")
    #expect(scratch.has("out/2024-09-01") && !scratch.has("out/2024-09-02"))
    try scratch.write(Self.event("late", 2), to: Self.log(2, "late"))
    let made = try night("--to-night 2024-09-05 \(words)")
    #expect(made.text.hasSuffix("; 1 late file read: \(Self.log(2, "late"))\n"), "\(made.text)")
    try expectWhole("out/current")
  }

  /// Nothing remembers what was lost of a removed night; it did not come late.
  @Test func whatARemovedNightCouldNotReadIsNoLateFile() throws {
    try scratch.remove("logs/2024-09-02")
    try scratch.write("hello\nworld\n", to: "logs/2024-09-02/notes.ndjson")
    let words = "--keep-daily 1 --keep-monthly 2 --late-days 1"
    try night("-q --from-night 2024-09-01 --to-night 2024-09-01 \(words)")
    try night("-q --keep-going --to-night 2024-09-02 \(words)", expect: 4)
    for day in 4...6 { try scratch.write(Self.event("a\(day)", day), to: Self.log(day, "a")) }
    let made = try night("--to-night 2024-09-06 \(words)")
    #expect(!scratch.has("out/2024-09-02") && !made.text.contains("late"), "\(made.text)")
    #expect(try metric("late_files") == 0)
  }

  /// It would lose an erasure that is no longer requested.
  @Test func anEmptyNightThatErasedPeopleIsNotMadeAgain() throws {
    try night("-q --from-night 2024-09-01 --to-night 2024-09-02")
    try night(
      "-q --allow-empty --to-night 2024-09-03 --requests requests",
      before: #"mv logs/2024-09-03 later; echo '{"custom_id":"u1"}' >requests"#)
    let made = try night(
      "--allow-empty --to-night 2024-09-04", before: "mv later logs/2024-09-03")
    #expect(made.text.hasPrefix("1 night published") && made.text.contains("; 2 late files read"))
    let people = try RunProcess.bash(
      "zstd -dc out/current/profiles/*.zst | grep -o '^{\"id\":\"[^\"]*'", directory: scratch)
    #expect(people.lines.map { $0.suffix(2) } == ["u2", "u3"])
  }

  @Test func emptyNightsPushOutNoOthers() throws {
    let made = try night(
      "--allow-empty --from-night 2024-09-01 --to-night 2024-09-09 --keep-daily 2")
    // Also the nights that 2 and 8 continue from.
    #expect(made.text.hasSuffix("3 removed, 6 nights kept\n"), "\(made.text)")
    for day in [1, 2, 3, 7, 8, 9] { #expect(scratch.has("out/2024-09-0\(day)"), "\(day)") }
  }
}
