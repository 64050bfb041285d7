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

  @Test func oneOutput() throws {
    #expect(try succeed("verify out").text == "out: 8 files, 1 profile; no problems\n")
    let good = try succeed("verify --quiet out")
    #expect(good.output.isEmpty && good.errors.isEmpty)
    try directory.remove("out/event_counts.csv")
    #expect(
      try expect(1, "verify out").lines == [
        "event_counts.csv: it is listed, but cannot be read: No such file or directory",
        "out: 7 files, 1 profile; 1 problem",
      ])
    #expect(try expect(1, "verify --quiet out").lines.count == 1)
    let json = try json("verify out", expect: 1)
    #expect(json["ok"] == .bool(false) && json["problem_count"]?.integer == 1)
    #expect(json["problems"]?[0]?["file"]?.text == "event_counts.csv")
    #expect(json["files"]?.integer == 7)
    // A missing manifest is a problem, and a missing directory wrong usage.
    try directory.remove("out/manifest.json")
    try expect(1, "verify out")
    try expect(2, "verify none")
    try expect(2, "verify")
  }

  @Test func severalOutputsAreVerifiedInOneStep() throws {
    try succeed("run --out b log.ndjson")
    #expect(try succeed("verify out b").lines.count == 2)
    try directory.write("x", to: "b/extra")
    #expect(
      try objects("verify out b", expect: 1).map { $0["ok"] } == [.bool(true), .bool(false)])
    let withOther = try expect(1, "verify b none", "none: it does not exist")
    #expect(withOther.text.contains("b: "), "\(withOther.text)")
    #expect(try expect(2, "verify out none").text.contains("out: "))
  }

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
