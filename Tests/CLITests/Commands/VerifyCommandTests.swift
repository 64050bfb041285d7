import TestSupport
import Testing

/// `eventmill verify`: exit code and what is printed.
@Suite struct VerifyCommandTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    try directory.write(Sample.event("u", "seen") + "\n", to: "log.ndjson")
    try succeed("run --out out log.ndjson")
  }

  /// A missing manifest is a problem, and a missing directory wrong usage.
  @Test func oneOutputAndSeveral() throws { try expectTranscript("verify") }

  /// More than are listed: the code is that of what is left, and damage is listed beside it.
  @Test func damageIsNotHiddenBehindWhatIsLeft() throws {
    let people = (0..<120).map { "person-\($0)" }
    try directory.write(people.map { Sample.event($0, "seen") + "\n" }.joined(), to: "log.ndjson")
    try directory.write(
      people.map { "{\"custom_id\":\"\($0)\"}\n" }.joined(), to: "requests")
    try succeed("run -q --replace --out out log.ndjson")
    try expect(6, "verify --requests requests out")
    try directory.write("x", to: "out/extra")
    let damaged = try expect(1, "verify --requests requests out")
    #expect(damaged.text.contains("extra: the manifest"), "\(damaged.text)")
  }
}
