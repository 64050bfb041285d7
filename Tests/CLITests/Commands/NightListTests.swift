import TestSupport
import Testing

/// `eventmill night list`, and what a dry run says that a night takes.
@Suite struct NightListTests: NightSuite {
  let directory: ScratchDirectory

  /// Three published nights, 2024-06-01 to -03. The second repeats a file of the first.
  init() throws {
    directory = try Self.threeNights(
      "cp logs/2024-06-01/app-02.ndjson logs/2024-06-02/copy.ndjson")
    try night("-q --from-night 2024-06-01 --to-night 2024-06-03")
  }

  private func list(_ words: String = "") throws -> [NaiveJSON] {
    try objects("night list --to-night 2024-06-05 --out out/%Y-%m-%d \(words)")
  }

  private static func states(_ nights: [NaiveJSON]) -> [String] {
    nights.map { "\($0["night"]?.text?.suffix(2) ?? "") \($0["state"]?.text ?? "")" }
  }

  /// Flips a bit of a file, at an offset from its end.
  private func damage(_ name: String, at offset: Int) throws {
    var bytes = try directory.bytes(name)
    bytes[bytes.count - offset] ^= 1
    try directory.write(bytes, to: name)
  }

  @Test func everyNightHasAState() throws {
    #expect(
      Self.states(try list("--keep-daily 1")).prefix(3)
        == ["01 good", "02 kept as a base", "03 good"])
    var nights = try list()
    #expect(Self.states(nights) == ["01 good", "02 good", "03 good", "04 missing"])
    #expect(nights[3]["through"]?.text == "2024-06-05" && nights[3]["nights"]?.integer == 2)
    #expect(nights[1]["base"]?.text == "2024-06-01" && nights[0]["base"] == nil)
    #expect(nights[0]["lines"]?.integer ?? 0 > 90 && nights[0]["bytes"]?.integer ?? 0 > 0)
    let reject = String(repeating: "{\n", count: 90)
    try directory.write(reject + Sample.event("u", "n") + "\n", to: "logs/2024-06-04/a.ndjson")
    try night("-q --to-night 2024-06-04", expect: 3)
    try damage("out/2024-06-02/manifest.json", at: 1000)
    nights = try list()
    #expect(
      Self.states(nights) == ["01 good", "02 damaged", "03 good", "04 rejected", "05 missing"])
    #expect(nights[3]["why"]?.text == "see out/2024-06-04.rejected")
  }

  /// What is not there was removed if a later night continues from it. Far away days cost nothing.
  @Test func nightsThatAreNotThere() throws {
    try directory.move("out/2024-06-02", to: "away")
    try directory.write("mine", to: "out/2024-06-04/file")
    try directory.makeDirectory("out/9999-12-31")
    // A lock that is not held, though the process exists.
    try directory.write("1\n", to: "out/.2024-06-05.lock")
    #expect(
      Self.states(try list()) == [
        "01 good", "02 removed", "03 good", "04 damaged", "05 missing", "31 missing",
      ])
    try expect(1, "night list --out nowhere/%Y-%m-%d", "is its disk mounted?")
  }

  /// A changed report says nothing, and a file of another length is damage.
  @Test func onlyWhatIsIntactCounts() throws {
    try damage("out/2024-06-02/report.json", at: 3)
    try directory.write("", to: "out/2024-06-03/event_counts.csv")
    let nights = try list()
    #expect(Self.states(nights).prefix(3) == ["01 good", "02 unknown", "03 damaged"])
    #expect(nights[2]["why"]?.text == "event_counts.csv is of another length")
  }

  @Test func filesHaveTheirNight() throws {
    try directory.write(Sample.event("u", "late") + "\n", to: "logs/2024-06-01/late.ndjson")
    let files = try list("--files --logs logs/%Y-%m-%d")
    for (name, expected) in [
      ("2024-06-01/app-02.ndjson", "2024-06-01 read"), ("copy.ndjson", "2024-06-02 skipped"),
      ("late.ndjson", "- unread"),
    ] {
      let found = files.filter { $0["path"]?.text?.hasSuffix(name) ?? false }
        .map { "\($0["night"]?.text ?? "-") \($0["outcome"]?.text ?? "")" }
      #expect(found == [expected], "\(name)")
    }
  }

  @Test func aDryRunSaysWhatANightTakes() throws {
    let result = try night(
      "--json --dry-run --to-night 2024-06-04", before: "cp -r logs/2024-06-03 logs/2024-06-04")
    let night = try NaiveJSON(parsing: String(result.lines.first ?? ""))
    #expect(night["action"]?.text == "would_publish")
    #expect(night["estimated_bytes"]?.integer ?? 0 > 0 && night["estimated_seconds"] != nil)
  }
}
