import TestSupport
import Testing

/// Nights that are damaged after they were published.
@Suite struct DamagedNightTests: NightSuite {
  let scratch: ScratchDirectory

  /// Two published nights, 2024-09-01 and -02, and the logs of a third.
  init() throws {
    scratch = try ScratchDirectory()
    for day in 1...3 {
      try scratch.write(
        """
        {"custom_id":"u\(day)","name":"seen","time":"2024-09-0\(day)T10:00:00Z"}
        {"custom_id":"zoe","name":"seen","time":"2024-09-0\(day)T11:00:00Z"}

        """, to: "logs/2024-09-0\(day)/a.ndjson")
    }
    try night("-q --from-night 2024-09-01 --to-night 2024-09-02", before: "mkdir out")
  }

  /// Whether the newest night is what it had been without any damage.
  private func expectNewest() throws {
    try expectWhole()
    #expect(try RunProcess.bash("readlink out/current", directory: scratch).text == "2024-09-03\n")
  }

  private static let damages = [
    "state/part-00000-of-00001.zst", "state/totals.ndjson.zst",
    "profiles/part-00000-of-00001.ndjson.zst",
  ].flatMap { file in
    [
      "printf x | dd conv=notrunc bs=1 seek=20 of=out/2024-09-02/\(file) status=none",
      "truncate -s -1 out/2024-09-02/\(file)", "rm out/2024-09-02/\(file)",
    ]
  }

  @Test(arguments: damages) func theDamagedNewestNightIsMadeAgain(_ damage: String) throws {
    let result = try night("--to-night 2024-09-03", before: damage)
    #expect(result.errors.contains("warning: out/2024-09-02: it is damaged: "), "\(result.errors)")
    #expect(result.errors.contains("it is now out/2024-09-02.bad, and the night is made again\n"))
    #expect(result.text == "2 nights published, up to 2024-09-03; 0 removed, 3 nights kept\n")
    #expect(
      try outputs() == [
        "2024-09-01", "2024-09-02", "2024-09-02.bad", "2024-09-03", "current",
      ])
    #expect(try metric("damaged") == 1)
    try expectNewest()
  }

  @Test func aNightThatWasNotVerifiedYetIsMadeAgain() throws {
    let result = try night(
      "--json --to-night 2024-09-03",
      before: "ln -sfn 2024-09-01 out/current; echo >>out/2024-09-02/event_counts.csv")
    let actions = try result.lines.map { try NaiveJSON(parsing: String($0))["action"]?.text }
    #expect(actions == ["damaged", "published", "published", "summary"])
    try expectNewest()
  }

  /// The first night has none before it, but its logs; and late files are found again.
  @Test func theFirstNightIsMadeAgain() throws {
    try scratch.remove("out/2024-09-02")
    try night(
      "-q --to-night 2024-09-03",
      before: "ln -sfn 2024-09-01 out/current; echo >>out/2024-09-01/state/totals.ndjson.zst")
    try expectNewest()
  }

  /// A night without logs that has logs now is made again anyway, and so is the one before it.
  @Test func aNightBeforeOneToMakeAgainIsMadeAgain() throws {
    try night("-q --to-night 2024-09-03", before: "mv logs/2024-09-03/* .; rm m.prom")
    let result = try night(
      "--to-night 2024-09-03",
      before: "mv a.ndjson logs/2024-09-03; echo >>out/2024-09-02/state/totals.ndjson.zst")
    #expect(result.text.hasPrefix("2 nights published, up to 2024-09-03; "), "\(result.text)")
    try expectNewest()
  }

  @Test func lateFilesOfTheDamagedNightAreReadAgain() throws {
    try scratch.write(
      "{\"custom_id\":\"u1\",\"name\":\"late\",\"time\":\"2024-09-01T10:00:00Z\"}\n",
      to: "logs/2024-09-01/late.ndjson")
    let made = try night(
      "--to-night 2024-09-03",
      before: "rm -r out/2024-09-02 out/current")
    #expect(made.text.contains("; 1 late file read: logs/2024-09-01/late.ndjson"))
    try scratch.write([], to: "logs/2024-09-04/a.ndjson")
    let again = try night(
      "--to-night 2024-09-04", before: "rm out/2024-09-03/state/totals.ndjson.zst")
    #expect(again.text.hasPrefix("2 nights published"), "\(again.text)")
    _ = try RunProcess.bash("ln -sfn 2024-09-03 out/current", directory: scratch)
    try expectNewest()
  }

  /// Logs that were rotated or cut since are other logs: made again, the night would be another.
  @Test(arguments: [
    "echo '{\"custom_id\":\"x\",\"name\":\"y\",\"time\":1725271200000}' >$log", "sed -i '$d' $log",
  ])
  func aNightWhoseLogsHaveChangedIsNotMadeAgain(_ change: String) throws {
    let damage = "echo >>out/2024-09-02/state/totals.ndjson.zst; log=logs/2024-09-02/a.ndjson; "
    let result = try night("--to-night 2024-09-03", before: damage + change, expect: 4)
    #expect(
      result.errors.contains("because logs/2024-09-02/a.ndjson is not what it has read; restore"),
      "\(result.errors)")
    #expect(try outputs() == ["2024-09-01", "2024-09-02", "current"])
  }

  /// One that has grown contains what the night has read.
  @Test func aNightWithALogThatHasGrownIsMadeAgain() throws {
    let line = "echo '{\"custom_id\":\"x\",\"name\":\"y\",\"time\":1725271200000}'"
    try night(
      "-q --to-night 2024-09-03",
      before: "echo >>out/2024-09-02/state/totals.ndjson.zst; \(line) >>logs/2024-09-02/a.ndjson")
    try expectNewest()
  }

  /// What was read of the log could not be compared, as the rest of it is damaged.
  @Test func aNightWithADamagedLogIsMadeAgain() throws {
    let before = """
      seq 9999 | sed 's/.*/{"custom_id":"u&","name":"seen","time":"2024-09-03T10:00:00Z"}/' | gzip \\
        | head -c 9000 >logs/2024-09-03/b.gz
      """
    try night("-q --keep-going --to-night 2024-09-03", before: before, expect: 4)
    try night(
      "-q --keep-going --allow-empty --to-night 2024-09-04",
      before: "echo >>out/2024-09-03/state/totals.ndjson.zst", expect: 4)
    #expect(try outputs().contains("2024-09-03.bad"))
  }

  @Test func damageIsKeptThreeTimes() throws {
    let damage = "echo >>out/2024-09-02/state/totals.ndjson.zst; rm -rf out/2024-09-03"
    for _ in 0..<3 { try night("-q --to-night 2024-09-03", before: damage) }
    #expect(scratch.has("out/2024-09-02.bad.3"))
    let stuck = try night("-q --to-night 2024-09-03", before: damage, expect: 1)
    #expect(
      stuck.errors.contains(
        "it was damaged before: out/2024-09-02.bad, out/2024-09-02.bad.2, out/2024-09-02.bad.3; "),
      "\(stuck.errors)")
    #expect(scratch.has("out/2024-09-02"))
    try night("-q --to-night 2024-09-03", before: "rm -r out/*.bad*")
    try expectNewest()
  }

  // MARK: Not made again

  private static let obstacles = [
    (
      "rm logs/2024-09-02/a.ndjson",
      "because logs/2024-09-02/a.ndjson is gone; restore it from a copy, or restore its logs and "
    ),
    ("rm -r logs/2024-09-02", "because logs/2024-09-02/a.ndjson is gone; "),
    (
      "rm -r out/2024-09-01", "because the night that it continues from is gone; restore it from a "
    ),
    (
      "echo '}' >>out/2024-09-02/manifest.json",
      "because its manifest cannot be read; restore it from a copy, or move it away and run again: "
        + "it will be made from out/2024-09-01 and logs/2024-09-02; then erase again"
    ),
  ]

  @Test(arguments: obstacles) func aNightIsNotMadeFromLess(_ before: String, _ why: String) throws {
    let failed = try night(
      "-q --to-night 2024-09-03",
      before: "echo >>out/2024-09-02/state/totals.ndjson.zst; \(before)", expect: 4)
    #expect(failed.errors.contains("out/2024-09-02: it is damaged: "), "\(failed.errors)")
    #expect(failed.errors.contains(why), "\(failed.errors)")
    // Readers find what they had.
    #expect(scratch.has("out/2024-09-02/manifest.json") && !scratch.has("out/2024-09-02.bad"))
    #expect(try RunProcess.bash("readlink out/current", directory: scratch).text == "2024-09-02\n")
  }

  /// A night is known by its other files, too: without its manifest it is damaged, not missing.
  @Test(arguments: ["rm $m", ": >$m", "echo '{}' >$m", "rm $m; rm -r out/2024-09-01"])
  func aNightWithoutItsManifestIsDamaged(_ damage: String) throws {
    for option in ["--dry-run", "-q"] {
      let failed = try night(
        "\(option) --to-night 2024-09-03",
        before: "m=out/2024-09-02/manifest.json; \(option == "-q" ? ":" : damage)", expect: 4)
      #expect(
        failed.errors.contains("continuing from the night out/2024-09-02: it is damaged: manifest.")
      )
      #expect(failed.errors.contains("because its manifest cannot be read; "), "\(failed.errors)")
    }
    #expect(try RunProcess.bash("readlink out/current", directory: scratch).text == "2024-09-02\n")
    let first = damage.contains("2024-09-01") ? "--from-night 2024-09-02" : ""
    try night("-q --to-night 2024-09-03 \(first)", before: "mv out/2024-09-02 moved")
    if first.isEmpty { try expectNewest() }
  }

  /// Without a manifest nothing says what logs there were.
  @Test(arguments: ["rm -r logs/2024-09-02", "rm logs/2024-09-02/*"])
  func aNightWithoutManifestAndLogsIsNotMadeFromNothing(_ loss: String) throws {
    let failed = try night(
      "-q --to-night 2024-09-03", before: "rm out/2024-09-02/manifest.json; \(loss)",
      expect: 4)
    #expect(
      failed.errors.contains(
        "restore it from a copy, or restore its logs in logs/2024-09-02, move it away and run again"
      ), "\(failed.errors)")
  }

  @Test(arguments: [": >$m", "rm $m"])
  func anOlderNightWithoutItsManifestIsNamedAndKept(_ damage: String) throws {
    for option in ["--dry-run", ""] {
      let result = try night(
        "\(option) --keep-daily 1 --to-night 2024-09-03",
        before: "m=out/2024-09-01/manifest.json; \(damage) 2>/dev/null")
      #expect(result.errors.contains("warning: out/2024-09-01: it is damaged: manifest.json: "))
    }
    #expect(scratch.has("out/2024-09-01/state"))
  }

  /// A dry run says what the command would do.
  @Test func aDryRunFindsDamage() throws {
    for (damage, status) in [
      ("sed -i s/custom/kustom/ $n/manifest.json; printf ' ' >>$n/manifest.json", 4),
      ("echo >>$n/state/totals.ndjson.zst", 0),
      ("echo >>$n/profiles/part-00000-of-00001.ndjson.zst", 0),
    ] as [(String, Int32)] {
      let nights = try DamagedNightTests()
      let dry = try nights.night(
        "--dry-run --to-night 2024-09-03", before: "n=out/2024-09-02; \(damage)",
        expect: status)
      #expect(dry.errors.contains("out/2024-09-02: it is damaged: "), "\(dry.errors)")
      let remade = "would move out/2024-09-02 to out/2024-09-02.bad, and make the night again\n"
      #expect(dry.text.contains(remade) == (status == 0), "\(dry.text)")
      #expect(dry.text.contains("would publish out/2024-09-02 from") == (status == 0))
      let real = try nights.night("-q --to-night 2024-09-03", expect: status)
      #expect(real.errors.contains("out/2024-09-02: it is damaged: "), "\(real.errors)")
    }
  }

  /// Of a night that was verified, the next one reads manifest, state and profiles.
  @Test(arguments: ["event_counts.ndjson", "daily_counts.ndjson", "rejects.ndjson.zst"])
  func damageToWhatTheNextNightDoesNotReadIsFoundByVerify(_ file: String) throws {
    try night("-q --to-night 2024-09-03", before: "echo x >>out/2024-09-02/\(file)")
    try expectNewest()
    let verified = try RunProcess.bash("\"$eventmill\" verify out/2024-09-02", directory: scratch)
    #expect(verified.status == 1 && verified.text.contains(file), "\(verified.text)")
  }

  /// Made again from its logs, it would have them again.
  @Test func aNightFromWhichPeopleWereErasedIsNotMadeAgain() throws {
    let erase =
      "echo '{\"custom_id\":\"zoe\"}' >zoe; \"$eventmill\" erase -q --replace --requests zoe"
    let damage = "echo >>out/2024-09-02/profiles/part-00000-of-00001.ndjson.zst"
    let failed = try night(
      "-q --to-night 2024-09-03",
      before: "\(erase) --out out/2024-09-02 out/2024-09-02; \(damage)", expect: 4)
    #expect(failed.errors.contains("because people may have been erased"), "\(failed.errors)")
    // Erased from all nights, they stay so.
    let all = try DamagedNightTests()
    try all.night(
      "-q --to-night 2024-09-03",
      before: "\(erase) --erased-at 2024-09-05 --nights 'out/%Y-%m-%d' --out out; \(damage)")
    let zoe = try RunProcess.bash("\"$eventmill\" inspect out/current zoe", directory: all.scratch)
    #expect(zoe.status == 1, "\(zoe.text)")
  }
}
