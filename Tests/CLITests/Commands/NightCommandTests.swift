import TestSupport
import Testing

/// The nightly job with its calendar, on days of the past.
@Suite struct NightCommandTests: CommandSuite {
  let directory = ScratchDirectory.fresh

  /// Logs of three nights, `logs/2024-06-01` to `-03`, and an empty directory `out`.
  init() throws {
    let result = try bash(
      """
      "$eventmill" generate -q --lines 300 --users 20 --seed 3 --nights 3 --start 2024-06-01 --out made
      mkdir out logs && for n in 1 2 3; do mv made/night-$n logs/2024-06-0$n; done
      """)
    try #require(result.status == 0, "\(result.errors)")
  }

  @Test(
    arguments: Golden.transcripts(
      "night-", besides: "night-damaged", "night-late", "night-list"))
  func nights(_ name: String) throws { try expectNights(name) }

  /// Runs the lines `before`, and the nightly job; nil for an exit code that does not matter.
  @discardableResult
  private func night(
    _ words: String, before: String = "", expect status: Int32? = 0
  ) throws -> RunProcess.Result {
    let result = try bash(
      """
      \(before)
      "$eventmill" night --no-progress --metrics m.prom \
        --logs 'logs/%Y-%m-%d' --out 'out/%Y-%m-%d' \(words)
      """)
    let code = status ?? result.status
    #expect(result.status == code, "\(words): \(result.text)\(result.errors)")
    return result
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
      let stays = try bash("ls -A out").lines
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
}
