import TestSupport
import Testing

/// The nightly job with its calendar, on days of the past.
@Suite struct NightCommandTests {
  /// Logs of three nights, `logs/2024-06-01` to `-03`, and an empty directory `out`.
  private func nights() throws -> ScratchDirectory {
    let scratch = try ScratchDirectory()
    let result = try RunProcess.bash(
      """
      "$eventmill" generate -q --lines 300 --users 20 --seed 3 --nights 3 --start 2024-06-01 --out made
      mkdir out logs && for n in 1 2 3; do mv made/night-$n logs/2024-06-0$n; done
      """, directory: scratch)
    try #require(result.status == 0, "\(result.errors)")
    return scratch
  }

  private func night(
    _ words: String, in scratch: ScratchDirectory, before: String = ""
  ) throws -> RunProcess.Result {
    try RunProcess.bash(
      "\(before)\n\"$eventmill\" night --no-progress --logs 'logs/%Y-%m-%d' --out 'out/%Y-%m-%d' \(words)",
      directory: scratch)
  }

  private func outputs(_ scratch: ScratchDirectory) throws -> [Substring] {
    try RunProcess.bash("ls -A out", directory: scratch).lines
  }

  @Test func missedNightsAreMadeAsARunMakesThem() throws {
    let scratch = try nights()
    let first = try night("--first 2024-06-01 --date 2024-06-01", in: scratch)
    #expect(
      first.status == 0
        && first.text == "1 night published, up to 2024-06-01; 0 removed, 1 night kept\n")
    #expect(first.errors.hasPrefix("2024-06-01: 101 events, 20 profiles, "))
    let rest = try night("-q --date 2024-06-03", in: scratch)
    #expect(rest.status == 0 && rest.output.isEmpty && rest.errors.isEmpty)
    #expect(try outputs(scratch) == ["2024-06-01", "2024-06-02", "2024-06-03", "current"])
    let same = try RunProcess.bash(
      """
      run() { "$eventmill" run -q --out "$@" || exit; }
      run 1 logs/2024-06-01 && run 2 --previous 1 logs/2024-06-02 && run 3 --previous 2 logs/2024-06-03
      diff -r -x 'report.*' 3 out/2024-06-03 && diff -r out/current out/2024-06-03 && readlink out/current
      """, directory: scratch)
    #expect(same.text == "2024-06-03\n", "\(same.text)\(same.errors)")
    let again = try night("--date 2024-06-03", in: scratch)
    #expect(
      again.text == "2024-06-03 is published, and nothing is missing; 0 removed, 3 nights kept\n")
  }

  @Test func optionsOfARunAreThoseOfEveryNight() throws {
    let scratch = try nights()
    let words = "--partitions 2 --stitch none --dedupe-days 3 --level 3 --v1 lenient --max-ahead 1"
    #expect(try night("-q --first 2024-06-01 --date 2024-06-02 \(words)", in: scratch).status == 0)
    let same = try RunProcess.bash(
      """
      run() { "$eventmill" run -q --out "$@" --partitions 2 --stitch none --dedupe-days 3 --level 3 --v1 lenient; }
      run 1 logs/2024-06-01 --not-after 2024-06-03 && run 2 --previous 1 logs/2024-06-02 --not-after 2024-06-04
      diff -r -x 'report.*' 2 out/2024-06-02
      """, directory: scratch)
    #expect(same.status == 0 && same.output.isEmpty, "\(same.text)\(same.errors)")
  }

  @Test func logsThatAreMissingStopTheNights() throws {
    let scratch = try nights()
    try scratch.remove("logs/2024-06-02")
    let failed = try night("-q --first 2024-06-01 --date 2024-06-03", in: scratch)
    #expect(failed.status == 1 && failed.output.isEmpty)
    #expect(failed.errors.contains("logs/2024-06-02: there is nothing of that name; have the logs"))
    #expect(try outputs(scratch) == ["2024-06-01", "current"])
    // An empty directory says that nothing happened.
    let empty = try night("-q --date 2024-06-02", in: scratch, before: "mkdir logs/2024-06-02")
    #expect(empty.status == 0, "\(empty.errors)")
    let allowed = try night("-q --allow-empty --date 2024-06-05", in: scratch)
    #expect(allowed.status == 0)
    #expect(
      try outputs(scratch).filter { $0.hasPrefix("2024") }.map { $0.suffix(1) }
        == ["1", "2", "3", "4", "5"])
  }

  @Test func aNightThatFailsStopsTheRestWithItsCode() throws {
    let scratch = try nights()
    let line = "{\"custom_id\":\"u\",\"name\":\"seen\",\"time\":\"2024-06-02T10:00:00Z\"}\n"
    try scratch.write(
      Array((line + line.replacing("seen", with: "-")).utf8), to: "logs/2024-06-02/bad.ndjson")
    let failed = try night(
      "--first 2024-06-01 --date 2024-06-03 --max-rejects 0 --json --metrics m.prom", in: scratch)
    #expect(failed.status == 3)
    #expect(failed.lines.count == 1 && failed.text.contains("\"action\":\"published\""))
    #expect(try outputs(scratch) == ["2024-06-01", "2024-06-02.rejected", "current"])
    let metrics = try String(decoding: scratch.bytes("m_night.prom"), as: UTF8.self)
    #expect(metrics.contains("\neventmill_night_last_exit_code 3\n"))
    #expect(metrics.contains("\neventmill_night_missing 2\n"))
    #expect(metrics.contains("\neventmill_night_published_timestamp_seconds 1717200000\n"))
    #expect(scratch.has("m.prom"))
  }

  @Test func aRehearsalChangesNothing() throws {
    let scratch = try nights()
    #expect(try night("-q --first 2024-06-01 --date 2024-06-01", in: scratch).status == 0)
    let result = try night("--dry-run --date 2024-06-03 --keep-daily 2", in: scratch)
    #expect(
      result.text == """
        would publish out/2024-06-02 of logs/2024-06-02, continuing from out/2024-06-01
        would publish out/2024-06-03 of logs/2024-06-03, continuing from out/2024-06-02
        would remove out/2024-06-01
        2 nights to publish, up to 2024-06-03; 1 to remove, 2 nights kept

        """, "\(result.errors)")
    let lines = try night("--dry-run --json --date 2024-06-03", in: scratch).lines
    let json = try lines.map { try NaiveJSON(parsing: String($0)) }
    #expect(
      json.map { $0["action"] } == [
        .string("would_publish"), .string("would_publish"), .string("summary"),
      ])
    #expect(json.last?["dry_run"] == .bool(true))
    #expect(try outputs(scratch) == ["2024-06-01", "current"])
  }

  @Test func onlyOutputsThatAreOldAreRemoved() throws {
    let scratch = try nights()
    let made = try night("-q --first 2024-06-01 --date 2024-06-07 --allow-empty", in: scratch)
    #expect(made.status == 0, "\(made.errors)")
    let result = try night(
      "--date 2024-06-07 --keep-daily 2 --keep-weekly 2", in: scratch,
      before: """
        echo mine >out/2024-06-03/notes.txt; mkdir out/2024-05-01 out/notes out/.removed-2024-05-09
        echo '{"name":"app"}' >out/2024-05-01/manifest.json
        ln -s ../logs out/2024-05-02
        """)
    #expect(result.status == 0)
    // 06-02 is the newest night of its week.
    #expect(
      try outputs(scratch) == [
        "2024-05-01", "2024-05-02", "2024-06-02", "2024-06-03", "2024-06-06", "2024-06-07",
        "current", "notes",
      ])
    #expect(
      result.errors == """
        removed out/2024-06-01
        warning: out/2024-06-03 is old, and stays: it holds notes.txt, which eventmill has not made there
        removed out/2024-06-04
        removed out/2024-06-05

        """)
  }

  @Test func whatTheNewestNightContinuesFromStays() throws {
    let scratch = try nights()
    #expect(
      try night("-q --first 2024-06-01 --date 2024-06-03 --keep-daily 1", in: scratch).status == 0)
    #expect(try outputs(scratch) == ["2024-06-02", "2024-06-03", "current"])
  }

  @Test func aSecondOneAtATimeEnds() throws {
    let scratch = try nights()
    let result = try night(
      "-q --first 2024-06-01 --date 2024-06-01", in: scratch,
      before: "exec 9>>out/.eventmill-night.lock; flock 9")
    #expect(result.status == 5 && result.errors.contains("another eventmill night"))
    #expect(try outputs(scratch) == [".eventmill-night.lock"])
  }

  @Test func whatIsInTheWayIsLeftAlone() throws {
    let scratch = try nights()
    try scratch.write([1], to: "out/2024-06-01/mine")
    let taken = try night("-q --first 2024-06-01 --date 2024-06-01", in: scratch)
    #expect(taken.status == 2 && taken.errors.contains("not an output of eventmill; move it away"))
    try scratch.write([1], to: "out/current")
    let link = try night("-q --first 2024-06-01 --date 2024-06-01", in: scratch)
    #expect(link.status == 2 && link.errors.contains("out/current: it is not a symbolic link"))
    let unmounted = try night("-q", in: scratch, before: "rm -r logs")
    #expect(unmounted.status == 1 && unmounted.errors.contains("is its disk mounted?"))
  }
}
