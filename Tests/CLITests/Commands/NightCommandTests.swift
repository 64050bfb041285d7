import TestSupport
import Testing

/// The nightly job with its calendar, on days of the past.
@Suite struct NightCommandTests: NightSuite {
  let directory: ScratchDirectory

  /// Logs of three nights, `logs/2024-06-01` to `-03`, and an empty directory `out`.
  init() throws { directory = try Self.threeNights() }

  private static let first = "--from-night 2024-06-01 --to-night 2024-06-01"

  @Test func missedNightsAreMadeAsARunMakesThem() throws {
    let first = try night(Self.first)
    #expect(first.text == "1 night published, up to 2024-06-01; 0 removed, 1 night kept\n")
    #expect(first.errors.hasPrefix("2024-06-01: good: 101 events, 20 profiles, "))
    #expect(!first.errors.contains("ignored"))
    let rest = try night("-q --to-night 2024-06-03")
    #expect(rest.output.isEmpty && rest.errors.isEmpty)
    #expect(try outputs() == ["2024-06-01", "2024-06-02", "2024-06-03", "current"])
    let same = try bash(
      """
      run() { "$eventmill" run -q --out "$@" || exit; }
      run 1 logs/2024-06-01 && run 2 --previous 1 logs/2024-06-02 && run 3 --previous 2 logs/2024-06-03
      diff -r -x 'report.*' 3 out/2024-06-03 && diff -r out/current out/2024-06-03 && readlink out/current
      """)
    #expect(same.text == "2024-06-03\n", "\(same.text)\(same.errors)")
    let again = try night("--to-night 2024-06-03")
    #expect(
      again.text == "2024-06-03 is published, and nothing is missing; 0 removed, 3 nights kept\n")
  }

  @Test func ignoredFilesOfANightAreNamed() throws {
    let logs = "logs/2024-06-01"
    try directory.write("made by the collector\n", to: "\(logs)/README")
    try directory.copy("\(logs)/app-02.ndjson", to: "\(logs)/x.log.1")
    try bash("ln -s app-02.ndjson \(logs)/link.ndjson")
    let errors = try night(Self.first).errors
    #expect(errors.contains("2024-06-01: ignored 2 other files: "), "\(errors)")
    #expect(errors.contains("\(logs)/README (text)"), "\(errors)")
    #expect(errors.contains("\(logs)/link.ndjson (the same file as \(logs)/app-02.ndjson)"))
    let again = try night("--json \(Self.first)", before: "rm -r out/*")
    let published = try NaiveJSON(parsing: String(again.lines.first ?? ""))
    #expect(published["passed_over"]?["count"]?.integer == 2)
  }

  @Test func optionsOfARunAreThoseOfEveryNight() throws {
    let words =
      "--partitions 2 --stitch none --dedupe-days 3 --level 3 --v1 lenient --max-ahead 1"
      + " --max-behind 30"
    try night("-q --from-night 2024-06-01 --to-night 2024-06-02 \(words)")
    let same = try bash(
      """
      run() { "$eventmill" run -q --out "$@" --partitions 2 --stitch none --dedupe-days 3 --level 3 --v1 lenient; }
      run 1 logs/2024-06-01 --not-before 2024-05-02 --not-after 2024-06-03 &&
        run 2 --previous 1 logs/2024-06-02 --not-before 2024-05-03 --not-after 2024-06-04
      diff -r -x 'report.*' 2 out/2024-06-02
      """)
    #expect(same.status == 0 && same.output.isEmpty, "\(same.text)\(same.errors)")
  }

  @Test func logsThatAreMissingStopTheNights() throws {
    try directory.remove("logs/2024-06-02")
    let failed = try night("-q --from-night 2024-06-01 --to-night 2024-06-03", expect: 1)
    #expect(failed.output.isEmpty)
    #expect(failed.errors.contains("logs/2024-06-02: it does not exist; deliver the logs"))
    #expect(try outputs() == ["2024-06-01", "current"])
    // An empty directory is a night without events.
    try night("-q --to-night 2024-06-02", before: "mkdir logs/2024-06-02")
    try night("-q --allow-empty --to-night 2024-06-05")
    #expect(
      try outputs().filter { $0.hasPrefix("2024") }.map { $0.suffix(1) }
        == ["1", "2", "3", "4", "5"])
  }

  @Test func aNightThatFailsStopsTheRestWithItsCode() throws {
    let line = "{\"custom_id\":\"u\",\"name\":\"seen\",\"time\":\"2024-06-02T10:00:00Z\"}\n"
    try directory.write(line + line.replacing("seen", with: "-"), to: "logs/2024-06-02/bad.ndjson")
    let failed = try night(
      "--from-night 2024-06-01 --to-night 2024-06-03 --max-rejects 0 --json --metrics m.prom",
      expect: 3)
    #expect(failed.lines.count == 1 && failed.text.contains("\"action\":\"published\""))
    #expect(try outputs() == ["2024-06-01", "2024-06-02.rejected", "current"])
    #expect(try metric("last_exit_code") == 3 && metric("missing") == 2)
    #expect(try metric("published_timestamp_seconds") == 1_717_200_000)
    #expect(directory.has("m.prom"))
  }

  @Test func aRehearsalChangesNothing() throws {
    try night("-q \(Self.first)")
    let result = try night("--dry-run --to-night 2024-06-03 --keep-daily 1")
    let plan = result.text.replacing(#/: about .*/#, with: "")
    #expect(
      plan == """
        would publish out/2024-06-02 from logs/2024-06-02, continuing from out/2024-06-01
        would publish out/2024-06-03 from logs/2024-06-03, continuing from out/2024-06-02
        would remove out/2024-06-01
        2 nights to publish, up to 2024-06-03; 1 to remove, 2 nights kept

        """, "\(result.errors)")
    let lines = try night("--dry-run --json --to-night 2024-06-03").lines
    let json = try lines.map { try NaiveJSON(parsing: String($0)) }
    #expect(json.map { $0["action"]?.text } == ["would_publish", "would_publish", "summary"])
    #expect(json.last?["dry_run"] == .bool(true))
    #expect(try outputs() == ["2024-06-01", "current"])
  }

  @Test func onlyOutputsThatAreOldAreRemoved() throws {
    // The last night's logs are delivered again: as many nights with the same state.
    try night(
      "-q --from-night 2024-06-01 --to-night 2024-06-07",
      before: "for n in 4 5 6 7; do cp -r logs/2024-06-03 logs/2024-06-0$n; done")
    let result = try night(
      "--to-night 2024-06-07 --keep-daily 2 --keep-weekly 2",
      before: """
        echo mine >out/2024-06-03/notes.txt; mkdir out/2024-05-01 out/notes out/.removed-2024-05-09
        echo '{"name":"app"}' >out/2024-05-01/manifest.json
        ln -s ../logs out/2024-05-02
        """)
    // 06-02 is the newest night of its week; 06-01 and 06-05 are what nights that are kept continue
    // from.
    #expect(
      try outputs() == [
        "2024-05-01", "2024-05-02", "2024-06-01", "2024-06-02", "2024-06-03", "2024-06-05",
        "2024-06-06", "2024-06-07", "current", "notes",
      ])
    #expect(
      result.errors == """
        warning: out/2024-06-03 is old, and kept: it holds notes.txt, which eventmill has not made there
        removed out/2024-06-04

        """)
  }

  private struct Calendar: RandomChoices {
    var random: RepeatableRandom

    /// Random commands that change the 14 nights up to 2024-06-09, and random options for the
    /// nights to keep.
    mutating func next() -> (events: [String], words: String) {
      var events: [String] = []
      let newest = Int.random(in: 3...13, using: &random)
      for number in 0..<14 {
        let name = number < 5 ? "out/2024-05-\(27 + number)" : "out/2024-06-0\(number - 4)"
        if number > newest || number < newest && chance(20) { events.append("rm -r \(name)") }
        if number > newest && chance(20) { events.append("mkdir \(name)") }
        if number < newest && chance(15) { events.append("touch \(name)/notes.txt") }
        if number < newest && chance(10) { events.append("echo '{}' >\(name)/manifest.json") }
      }
      let words = ["daily", "weekly", "monthly"].map { "--keep-\($0) \(pick([0, 1, 2, 3]))" }
      return (
        events.filter { $0.hasPrefix("rm") } + events.filter { !$0.hasPrefix("rm") },
        words.joined(separator: " ")
      )
    }
  }

  /// For random calendars of outputs, a dry run announces exactly what a run then does.
  @Test func aRehearsalAnnouncesWhatHappens() throws {
    try night("-q --no-verify --from-night 2024-05-27 --to-night 2024-06-09 --allow-empty")
    let seed = UInt64.random(in: 0...UInt64.max)
    var calendar = Calendar(random: RepeatableRandom(seed: seed))
    for round in 0..<Effort.rounds(4, of: 30) {
      let (events, words) = calendar.next()
      let all = "--json --to-night 2024-06-09 --allow-empty \(words)"
      let before = "rm -rf out && cp -a made-out out; { \(events.joined(separator: "; ")); } 2>&-"
      let rehearsal = try night(
        "--dry-run \(all)",
        before: "[ -e made-out ] || mv out made-out; \(before); ls out >before", expect: nil)
      let real = try night(all, before: "diff <(ls out) before >&2", expect: nil)
      let comment = "seed \(seed), round \(round): \(words); \(events)\n\(real.errors)"
      #expect(rehearsal.errors == real.errors, "\(comment)")
      #expect(rehearsal.status == real.status, "\(comment)")
      let done = try Self.actions(real)
      #expect(try Self.actions(rehearsal) == done, "\(comment)")
      let stays = try outputs()
      for night in done where night.hasPrefix("removed ") {
        #expect(!stays.contains(night.dropFirst("removed ".count)), "\(comment)")
      }
    }
  }

  /// The reported actions, done or planned, night by night.
  private static func actions(_ result: RunProcess.Result) throws -> [String] {
    let words = [
      "would_verify": "verified", "would_publish": "published", "would_remove": "removed",
    ]
    return try result.lines.map { line in
      let json = try NaiveJSON(parsing: String(line))
      let action = json["action"]?.text ?? ""
      let night = json["night"]?.text ?? "\(json["kept"]?.integer ?? -1) kept"
      return "\(words[action] ?? action) \(night)"
    }
  }

  // MARK: Interrupted

  @Test func aNightThatWasInterruptedWhileItWasVerifiedIsVerifiedAgain() throws {
    // As if it had been killed after publishing: the link still leads to the night before.
    try night("-q --from-night 2024-06-01 --to-night 2024-06-02")
    try bash("ln -sfn 2024-06-01 out/current")
    let rehearsal = try night("--dry-run --to-night 2024-06-02")
    #expect(rehearsal.text.hasPrefix("would verify out/2024-06-02\n2024-06-02 is published, and"))
    let good = try night("--to-night 2024-06-02")
    #expect(good.errors == "verified out/2024-06-02\n")
    #expect(try current() == "2024-06-02\n")
  }

  @Test func aLinkThatACrashHasLeftIsReplaced() throws {
    try night("-q \(Self.first)", before: "ln -s gone out/current.saving")
    #expect(try outputs() == ["2024-06-01", "current"])
    try directory.write([1], to: "out/current.saving")
    let other = try night("-q --to-night 2024-06-02", expect: 2)
    #expect(other.errors.contains("out/current.saving: it is not a symbolic"))
    #expect(try directory.bytes("out/current.saving") == [1])
  }

  @Test func aSecondOneAtATimeEnds() throws {
    let result = try night(
      "-q \(Self.first)", before: "exec 9>>out/.eventmill-night.lock; flock 9", expect: 5)
    #expect(result.errors.contains("another eventmill night"))
    #expect(try outputs() == [".eventmill-night.lock"])
  }

  @Test func whatIsInTheWayIsLeftAlone() throws {
    try directory.write([1], to: "out/2024-06-01/mine")
    let taken = try night("-q \(Self.first)", expect: 2)
    #expect(taken.errors.contains("not an output of eventmill; move it away"))
    try directory.write([1], to: "out/current")
    let link = try night("-q \(Self.first)", expect: 2)
    #expect(link.errors.contains("out/current: it is not a symbolic link"))
    let unmounted = try night("-q", before: "rm -r logs", expect: 1)
    #expect(unmounted.errors.contains("is its disk mounted?"))
  }
}
