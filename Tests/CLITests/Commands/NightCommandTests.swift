import TestSupport
import Testing

/// The rehearsal of the nightly job, on days of the past.
@Suite struct NightCommandTests: CommandSuite {
  let directory = ScratchDirectory.fresh

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

  /// Runs lines of bash in which `night` is the nightly job.
  private func night(_ lines: String) throws -> RunProcess.Result {
    try bash("\(Golden.functions(of: "night"))\n\(lines)")
  }

  @Test func aRehearsalAnnouncesWhatHappens() throws {
    let made = try night(
      """
      generate
      night -q --no-verify --from-night 2024-05-27 --to-night 2024-06-09 --allow-empty 2>warnings
      mv out made-out
      """)
    try #require(made.status == 0, "\(made.errors)")
    let seed = UInt64.random(in: 0...UInt64.max)
    var calendar = Calendar(random: RepeatableRandom(seed: seed))
    for round in 0..<Effort.rounds(4, of: 30) {
      let (events, words) = calendar.next()
      let command = "night --json --to-night 2024-06-09 --allow-empty \(words)"
      let rehearsal = try night(
        """
        rm -rf out && cp -a made-out out
        { \((["true"] + events).joined(separator: "; ")); } 2>&-; ls out >before
        \(command) --dry-run
        """)
      let real = try night("diff <(ls out) before >&2; \(command)")
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
