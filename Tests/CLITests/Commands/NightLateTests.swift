import TestSupport
import Testing

/// Logs that come after their night was made.
@Suite struct NightLateTests: NightSuite {
  let directory: ScratchDirectory

  /// Logs of 2024-09-01 to -03, one line in each file, and an empty directory `out`.
  init() throws {
    directory = try ScratchDirectory()
    for day in 1...3 {
      for name in ["a", "b"] { try write(day, name, "\(name)\(day)") }
    }
    try directory.makeDirectory("out")
  }

  private static func log(_ day: Int, _ name: String) -> String {
    "logs/2024-09-0\(day)/\(name).ndjson"
  }

  /// Writes a log of a night with these events.
  private func write(_ day: Int, _ name: String, _ events: String...) throws {
    let lines = events.map {
      #"{"custom_id":"u\#(day)","name":"\#($0)","time":"2024-09-0\#(day)T10:00:00Z"}"# + "\n"
    }
    try directory.write(lines.joined(), to: Self.log(day, name))
  }

  /// Makes the nights up to a day.
  private func make(through day: Int, _ words: String = "", before: String = "") throws {
    try night("-q --from-night 2024-09-01 --to-night 2024-09-0\(day) \(words)", before: before)
  }

  // MARK: Late files

  /// What is not a log neither comes late nor makes a night without logs be made again.
  @Test func strayFilesAreNoLateFiles() throws {
    try make(
      through: 2, before: "rm logs/2024-09-02/*; echo '{\"a\":1}' | tee logs/2024-09-0[12]/config")
    let last = try night("--to-night 2024-09-03")
    #expect(last.text == "1 night published, up to 2024-09-03; 0 removed, 3 nights kept\n")
    #expect(!last.errors.contains("config"), "\(last.errors)")
  }

  @Test func aFileThatComesLateIsReadByTheNextNight() throws {
    try directory.write([], to: Self.log(1, "empty"))
    try make(through: 2)
    // A file that was empty, a new one, one in a directory; and a copy of one that was read.
    let late = [(1, "empty"), (1, "late"), (2, "deep/late")]
    for (day, name) in late { try write(day, name, name == "empty" ? "filled" : "late") }
    try directory.copy(Self.log(2, "a"), to: Self.log(1, "copy"))
    try write(4, "a", "again")
    let paths = late.map { Self.log($0, $1) }
    let named = paths.joined(separator: ", ")
    for (words, end) in [
      (
        "--dry-run --to-night 2024-09-04",
        "0 to remove, 4 nights kept; 3 late files to read: \(named)\n"
      ),
      ("--to-night 2024-09-02", "; 3 late files waiting for the next night: \(named)\n"),
      (
        "--to-night 2024-09-04",
        "2 nights published, up to 2024-09-04; 0 removed, 4 nights kept; "
          + "3 late files read: \(named)\n"
      ),
    ] {
      let result = try night(words)
      #expect(result.text.hasSuffix(end), "\(result.text)")
    }
    #expect(try metric("late_files") == 3 && metric("changed_files") == 0)
    let report = try document("out/2024-09-03/report.json")
    #expect(report["earlier_folders"]?["late_files"]?.items.count == 3)
    let page = try directory.text("out/2024-09-03/report.html")
    #expect(page.contains("Late files") && paths.allSatisfy(page.contains))
    try expectWhole("out/2024-09-04")
    #expect(!(try night("--to-night 2024-09-04").text.contains("late")))
    #expect(try metric("late_files") == 0)

    // Off, and beyond the last nights.
    try write(3, "later", "later")
    for (day, words) in [(5, "--late-days 0"), (6, "--late-days 2"), (7, "")] {
      try write(day, "a", "next")
      try night("-q --to-night 2024-09-0\(day) \(words)")
      #expect(try metric("late_files") == (day == 7 ? 1 : 0))
    }
    try expectWhole()
  }

  @Test func filesThatChangedOrAreGoneAreNamedAndTheNightGoesOn() throws {
    for day in 1...2 { try write(day, "a", "a\(day)", "second") }
    try make(through: 2)
    let before = """
      cd logs; sed -i s/second/changed/ 2024-09-01/a.ndjson; head -n 1 2024-09-02/a.ndjson >cut
      mv cut 2024-09-02/a.ndjson; rm -f 2024-09-01/b.ndjson; cd ..
      """
    let warnings =
      [1, 2].map {
        "warning: \(Self.log($0, "a")) no longer has all that a night has read under that name, and "
          + "is left out; restore it, or give it another name to have all of it read\n"
      }.joined() + "warning: 1 file that a night has read is gone: logs/2024-09-01/b.ndjson\n"
    let rehearsal = try night("--dry-run --to-night 2024-09-03", before: before)
    #expect(rehearsal.errors == warnings)
    let made = try night("--to-night 2024-09-03")
    #expect(made.errors.hasPrefix(warnings))
    #expect(made.text.hasSuffix("; left out: logs/2024-09-01/a.ndjson, logs/2024-09-02/a.ndjson\n"))
    let again = try night("--json --to-night 2024-09-03")
    let summary = try NaiveJSON(parsing: String(again.lines.last ?? ""))
    #expect(summary["changed_files"]?.items.count == 2)
    #expect(summary["gone_files"]?.items.count == 1)
    #expect(try metric("changed_files") == 2 && metric("gone_files") == 1)
    try expectCounts("second,2", "b1,1", no: "changed")
  }

  /// Logs that were read whole count as changed when they had only grown. One packed under the name
  /// that it was read as, with other lines, was taken for it.
  @Test func ofAFileThatHasGrownTheNextNightReadsTheNewLines() throws {
    try make(through: 2)
    try write(1, "a", "a1", "grown")
    try write(1, "b", "other")
    try write(2, "b", "b2", "packed")
    let made = try night("--to-night 2024-09-03", before: "gzip logs/2024-09-0[12]/b.ndjson")
    #expect(
      made.text.hasSuffix(
        "; 3 late files read: logs/2024-09-01/a.ndjson, logs/2024-09-01/b.ndjson.gz, "
          + "logs/2024-09-02/b.ndjson.gz\n"), "\(made.text)")
    try expectCounts("a1,1", "grown,1", "packed,1", "other,1")
  }

  /// Expects rows of the newest night's counts.
  private func expectCounts(_ rows: String..., no name: String = "no such event") throws {
    let counts = try directory.text("out/current/event_counts.csv")
    for row in rows { #expect(counts.contains("\n\(row),"), "\(counts)") }
    #expect(!counts.contains("\n\(name),"), "\(counts)")
  }

  @Test func filesThatWereMovedPackedOrTouchedAreNotReadAgain() throws {
    try make(through: 2)
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
    try make(through: 2)
    // A clock that is ahead, while the logs are not there yet.
    try night("-q --allow-empty --to-night 2024-09-09", before: "mv logs/2024-09-03 later")
    let ahead = try night(words, expect: 2)
    #expect(
      ahead.errors.contains(
        "2024-09-05 and 4 later are published, but the newest night to make is 2024-09-04"))
    let rehearsal = try night(
      "--dry-run \(words)", before: "rm -r out/2024-09-0[5-9]; mv later logs/2024-09-03")
    #expect(rehearsal.text.contains("\nwould make out/2024-09-03 and what follows again: "))
    #expect(
      rehearsal.text.hasSuffix(
        "\n2 nights to publish, up to 2024-09-04; 0 to remove, 4 nights kept\n"))
    let made = try night(words)
    #expect(made.text == "2 nights published, up to 2024-09-04; 0 removed, 4 nights kept\n")
    try expectWhole("out/2024-09-03")
    try expectWhole()
    #expect(try night(words).text.hasPrefix("2024-09-04 is published, and nothing"))
  }

  /// The nights behind the one with the foreign file were gone by then.
  @Test func nightsWithForeignFilesAreFoundBeforeOthersAreRemoved() throws {
    try make(through: 5, "--allow-empty", before: "mv logs/2024-09-03 later")
    let refused = try night(
      "--allow-empty --to-night 2024-09-05",
      before: "mv later logs/2024-09-03; touch out/2024-09-04/mine", expect: 2)
    #expect(refused.errors.contains("mine"), "\(refused.errors)")
    #expect(directory.has("out/2024-09-05"))
    #expect(try current() == "2024-09-05\n")
  }

  @Test func logsOfAnEmptyNightBeforeOthersAreReadLate() throws {
    try make(through: 3, "--allow-empty", before: "mv logs/2024-09-02 later")
    let made = try night("--allow-empty --to-night 2024-09-04", before: "mv later logs/2024-09-02")
    #expect(made.text.contains("; 2 late files read: logs/2024-09-02/a.ndjson, "))
    try expectWhole()
  }

  /// Nothing was missing, although no night had read them: that of their day was removed, or before
  /// the last nights.
  @Test(arguments: ["--keep-daily 2", "--late-days 2"])
  func logsOfAnOldNightWithoutAnyAreReadLate(words: String) throws {
    let isKept = words.hasPrefix("--late")
    if !isKept { try directory.remove("logs/2024-09-03") }
    try make(through: 7, "--allow-empty \(words)", before: "mv logs/2024-09-02 later")
    #expect(directory.has("out/2024-09-02") == isKept)
    let waiting = try night(
      "--to-night 2024-09-07 \(words)",
      before: "mkdir logs/2024-09-02; cp later/a* logs/2024-09-02")
    #expect(waiting.text.hasPrefix("2024-09-07 is published; 0 removed"), "\(waiting.text)")
    #expect(waiting.text.contains("; 1 late file waiting for the next night: logs/2024-09-02/a"))
    for (night, before, late) in [
      ("08", "", 1), ("09", "cp later/b* logs/2024-09-02", 1), ("12", "", 0),
    ] {
      try self.night("-q --allow-empty --to-night 2024-09-\(night) \(words)", before: before)
      #expect(try metric("late_files") == late)
      if night == "09" { try expectWhole() }
    }
  }

  /// Its folder was compared only as long as all nights up to the newest were kept.
  @Test func lateFilesOfARemovedNightAreReadWithinTheLastDays() throws {
    for day in 4...5 { try write(day, "a", "a\(day)") }
    let words = "--keep-daily 1 --keep-weekly 2"
    try make(through: 4, words)
    #expect(directory.has("out/2024-09-01") && !directory.has("out/2024-09-02"))
    try write(2, "late", "late")
    let made = try night("--to-night 2024-09-05 \(words)")
    #expect(made.text.hasSuffix("; 1 late file read: \(Self.log(2, "late"))\n"), "\(made.text)")
    try expectWhole()
  }

  /// Nothing remembers what was lost of a removed night; it did not come late.
  @Test func whatARemovedNightCouldNotReadIsNoLateFile() throws {
    try directory.remove("logs/2024-09-02")
    try directory.write("hello\nworld\n", to: "logs/2024-09-02/notes.ndjson")
    let words = "--keep-daily 1 --keep-monthly 2 --late-days 1"
    try make(through: 1, words)
    try night("-q --keep-going --to-night 2024-09-02 \(words)", expect: 4)
    for day in 4...6 { try write(day, "a", "a\(day)") }
    let made = try night("--to-night 2024-09-06 \(words)")
    #expect(!directory.has("out/2024-09-02") && !made.text.contains("late"), "\(made.text)")
    #expect(try metric("late_files") == 0)
  }

  /// It would lose an erasure that is no longer requested.
  @Test func anEmptyNightThatErasedPeopleIsNotMadeAgain() throws {
    try make(through: 2)
    try night(
      "-q --allow-empty --to-night 2024-09-03 --requests requests",
      before: #"mv logs/2024-09-03 later; echo '{"custom_id":"u1"}' >requests"#)
    let made = try night("--allow-empty --to-night 2024-09-04", before: "mv later logs/2024-09-03")
    #expect(made.text.hasPrefix("1 night published") && made.text.contains("; 2 late files read"))
    let people = try bash("zstd -dc out/current/profiles/*.zst | grep -o '^{\"id\":\"[^\"]*'")
    #expect(people.lines.map { $0.suffix(2) } == ["u2", "u3"])
  }

  @Test func emptyNightsPushOutNoOthers() throws {
    let made = try night(
      "--allow-empty --from-night 2024-09-01 --to-night 2024-09-09 --keep-daily 2")
    // Also the nights that 2 and 8 continue from.
    #expect(made.text.hasSuffix("3 removed, 6 nights kept\n"), "\(made.text)")
    for day in [1, 2, 3, 7, 8, 9] { #expect(directory.has("out/2024-09-0\(day)"), "\(day)") }
  }
}
