import TestSupport
import Testing

/// Nights that are damaged after they were published.
@Suite struct DamagedNightTests: NightSuite {
  let directory: ScratchDirectory

  /// Two published nights, 2024-09-01 and -02, and the logs of a third.
  init() throws {
    directory = try ScratchDirectory()
    for day in 1...3 {
      try directory.write(
        """
        {"custom_id":"u\(day)","name":"seen","time":"2024-09-0\(day)T10:00:00Z"}
        {"custom_id":"zoe","name":"seen","time":"2024-09-0\(day)T11:00:00Z"}

        """, to: "logs/2024-09-0\(day)/a.ndjson")
    }
    try night("-q --from-night 2024-09-01 --to-night 2024-09-02", before: "mkdir out")
  }

  /// What damages the state of a night.
  private static func damage(_ day: Int) -> String {
    "echo >>out/2024-09-0\(day)/state/totals.ndjson.zst"
  }

  /// Whether the newest night is what it had been without any damage.
  private func expectNewest() throws {
    try expectWhole()
    #expect(try current() == "2024-09-03\n")
  }

  // MARK: Made again

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
      try outputs() == ["2024-09-01", "2024-09-02", "2024-09-02.bad", "2024-09-03", "current"])
    #expect(try metric("damaged") == 1)
    try expectNewest()
  }

  /// Commands before the job, and how many nights it publishes.
  @Test(arguments: [
    // One that was not verified yet.
    ("ln -sfn 2024-09-01 out/current; echo >>out/2024-09-02/event_counts.csv", 2),
    // The first has none before it, but its logs; and late files are found again.
    ("rm -r out/2024-09-02; ln -sfn 2024-09-01 out/current; \(damage(1))", 3),
    // A log that has grown contains what the night has read.
    (
      damage(2) + #"; echo '{"custom_id":"x","name":"y","time":1725271200000}' >>"#
        + "logs/2024-09-02/a.ndjson", 2
    ),
  ])
  func itIsMadeAgain(_ before: String, _ nights: Int) throws {
    let result = try night("--json --to-night 2024-09-03", before: before)
    let actions = try result.lines.map { try NaiveJSON(parsing: String($0))["action"]?.text }
    let published = [String](repeating: "published", count: nights)
    #expect(actions == ["damaged"] + published + ["summary"])
    try expectNewest()
  }

  /// A night without logs that has logs now is made again anyway, and so is the one before it.
  @Test func aNightBeforeOneToMakeAgainIsMadeAgain() throws {
    try night("-q --to-night 2024-09-03", before: "mv logs/2024-09-03/* .; rm m.prom")
    let result = try night(
      "--to-night 2024-09-03", before: "mv a.ndjson logs/2024-09-03; \(Self.damage(2))")
    #expect(result.text.hasPrefix("2 nights published, up to 2024-09-03; "), "\(result.text)")
    try expectNewest()
  }

  @Test func lateFilesOfTheDamagedNightAreReadAgain() throws {
    try directory.write(
      "{\"custom_id\":\"u1\",\"name\":\"late\",\"time\":\"2024-09-01T10:00:00Z\"}\n",
      to: "logs/2024-09-01/late.ndjson")
    let made = try night("--to-night 2024-09-03", before: "rm -r out/2024-09-02 out/current")
    #expect(made.text.contains("; 1 late file read: logs/2024-09-01/late.ndjson"))
    try directory.write([], to: "logs/2024-09-04/a.ndjson")
    let again = try night("--to-night 2024-09-04", before: "rm out/2024-09-03/state/totals.*")
    #expect(again.text.hasPrefix("2 nights published"), "\(again.text)")
    try bash("ln -sfn 2024-09-03 out/current")
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
      "-q --keep-going --allow-empty --to-night 2024-09-04", before: Self.damage(3), expect: 4)
    #expect(try outputs().contains("2024-09-03.bad"))
  }

  @Test func damageIsKeptThreeTimes() throws {
    let damage = "\(Self.damage(2)); rm -rf out/2024-09-03"
    for _ in 0..<3 { try night("-q --to-night 2024-09-03", before: damage) }
    #expect(directory.has("out/2024-09-02.bad.3"))
    let stuck = try night("-q --to-night 2024-09-03", before: damage, expect: 1)
    #expect(
      stuck.errors.contains(
        "it was damaged before: out/2024-09-02.bad, out/2024-09-02.bad.2, out/2024-09-02.bad.3; "),
      "\(stuck.errors)")
    #expect(directory.has("out/2024-09-02"))
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
    // Logs that were rotated or cut since are other logs: made again, the night would be another.
    (
      #"echo '{"custom_id":"x","name":"y","time":1725271200000}' >logs/2024-09-02/a.ndjson"#,
      "because logs/2024-09-02/a.ndjson is not what it has read; restore"
    ),
    ("sed -i '$d' logs/2024-09-02/a.ndjson", "a.ndjson is not what it has read; restore"),
    // Made again, it would have the people again.
    (erase + " --out out/2024-09-02 out/2024-09-02", "because people may have been erased"),
    // Without a manifest nothing says what logs there were.
    (
      "rm out/2024-09-02/manifest.json; rm -r logs/2024-09-02",
      "restore it from a copy, or restore its logs in logs/2024-09-02, move it away and run again"
    ),
    (
      "rm out/2024-09-02/manifest.json; rm logs/2024-09-02/*",
      "restore it from a copy, or restore its logs in logs/2024-09-02, move it away and run again"
    ),
  ]

  private static let erase =
    "echo '{\"custom_id\":\"zoe\"}' >zoe; \"$eventmill\" erase -q --replace --requests zoe"

  @Test(arguments: obstacles) func aNightIsNotMadeFromLess(_ before: String, _ why: String) throws {
    let failed = try night(
      "-q --to-night 2024-09-03", before: "\(before); \(Self.damage(2))", expect: 4)
    #expect(failed.errors.contains("out/2024-09-02: it is damaged: "), "\(failed.errors)")
    #expect(failed.errors.contains(why), "\(failed.errors)")
    // Readers find what they had.
    #expect(directory.has("out/2024-09-02/state") && !directory.has("out/2024-09-02.bad"))
    #expect(try current() == "2024-09-02\n")
  }

  /// People who were erased from all nights stay so.
  @Test func aNightThatIsMadeAgainHasNobodyWhoWasErased() throws {
    try night(
      "-q --to-night 2024-09-03",
      before: "\(Self.erase) --erased-at 2024-09-05 --nights 'out/%Y-%m-%d' --out out; "
        + "echo >>out/2024-09-02/profiles/part-00000-of-00001.ndjson.zst")
    try expect(1, "inspect out/current zoe")
  }

  /// A night is known by its other files, too: without its manifest it is damaged, not missing.
  @Test(arguments: ["rm $m", ": >$m", "echo '{}' >$m", "rm $m; rm -r out/2024-09-01"])
  func aNightWithoutItsManifestIsDamaged(_ damage: String) throws {
    for (option, damage) in [("--dry-run", damage), ("-q", ":")] {
      let failed = try night(
        "\(option) --to-night 2024-09-03", before: "m=out/2024-09-02/manifest.json; \(damage)",
        expect: 4)
      #expect(
        failed.errors.contains("continuing from the night out/2024-09-02: it is damaged: manifest.")
      )
      #expect(failed.errors.contains("because its manifest cannot be read; "), "\(failed.errors)")
    }
    #expect(try current() == "2024-09-02\n")
    let first = damage.contains("2024-09-01") ? "--from-night 2024-09-02" : ""
    try night("-q --to-night 2024-09-03 \(first)", before: "mv out/2024-09-02 moved")
    if first.isEmpty { try expectNewest() }
  }

  @Test(arguments: [": >$m", "rm $m"])
  func anOlderNightWithoutItsManifestIsNamedAndKept(_ damage: String) throws {
    for option in ["--dry-run", ""] {
      let result = try night(
        "\(option) --keep-daily 1 --to-night 2024-09-03",
        before: "m=out/2024-09-01/manifest.json; \(damage) 2>/dev/null")
      #expect(result.errors.contains("warning: out/2024-09-01: it is damaged: manifest.json: "))
    }
    #expect(directory.has("out/2024-09-01/state"))
  }

  /// A dry run says what the command would do.
  @Test(
    arguments: [
      ("sed -i s/custom/kustom/ $n/manifest.json; printf ' ' >>$n/manifest.json", 4),
      ("echo >>$n/state/totals.ndjson.zst", 0),
      ("echo >>$n/profiles/part-00000-of-00001.ndjson.zst", 0),
    ] as [(String, Int32)])
  func aDryRunFindsDamage(_ damage: String, _ status: Int32) throws {
    let dry = try night(
      "--dry-run --to-night 2024-09-03", before: "n=out/2024-09-02; \(damage)", expect: status)
    #expect(dry.errors.contains("out/2024-09-02: it is damaged: "), "\(dry.errors)")
    let remade = "would move out/2024-09-02 to out/2024-09-02.bad, and make the night again\n"
    #expect(dry.text.contains(remade) == (status == 0), "\(dry.text)")
    #expect(dry.text.contains("would publish out/2024-09-02 from") == (status == 0))
    let real = try night("-q --to-night 2024-09-03", expect: status)
    #expect(real.errors.contains("out/2024-09-02: it is damaged: "), "\(real.errors)")
  }

  /// Of a night that was verified, the next one reads manifest, state and profiles.
  @Test func damageToWhatTheNextNightDoesNotReadIsFoundByVerify() throws {
    let files = ["event_counts.ndjson", "daily_counts.ndjson", "rejects.ndjson.zst"]
    let damage = files.map { "echo x >>out/2024-09-02/\($0)" }.joined(separator: "; ")
    try night("-q --to-night 2024-09-03", before: damage)
    try expectNewest()
    let verified = try expect(1, "verify out/2024-09-02")
    for file in files { #expect(verified.text.contains(file), "\(verified.text)") }
  }
}
