import TestSupport
import Testing

/// `eventmill verify`: exit code and what is printed.
@Suite struct VerifyCommandTests {
  private func output() throws -> ScratchDirectory {
    let directory = try ScratchDirectory()
    let log = #"{"id":"1","custom_id":"u","name":"ad_seen","time":"2024-06-01T00:00:00"}"# + "\n"
    try directory.write(log, to: "log.ndjson")
    let run = try RunProcess.eventmill(["run", "--out", "out", "log.ndjson"], directory: directory)
    #expect(run.status == 0)
    return directory
  }

  @Test func nothingWrong() throws {
    let directory = try output()
    let result = try RunProcess.eventmill(["verify", "out"], directory: directory)
    #expect(result.status == 0)
    #expect(result.text == "out: 8 files, 1 profile; no problems\n")
    let quiet = try RunProcess.eventmill(["verify", "--quiet", "out"], directory: directory)
    #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.errors.isEmpty)
  }

  @Test func somethingWrong() throws {
    let directory = try output()
    try directory.remove("out/event_counts.csv")
    let result = try RunProcess.eventmill(["verify", "out"], directory: directory)
    #expect(result.status == 1)
    #expect(
      result.lines == [
        "event_counts.csv: it is listed, but cannot be read: No such file or directory",
        "out: 7 files, 1 profile; 1 problem",
      ])
    let quiet = try RunProcess.eventmill(["verify", "--quiet", "out"], directory: directory)
    #expect(quiet.status == 1 && quiet.lines.count == 1)
    let json = try NaiveJSON(
      parsing: RunProcess.eventmill(["verify", "--json", "out"], directory: directory).text)
    #expect(json["ok"] == .bool(false) && json["problem_count"] == .number("1"))
    #expect(json["problems"]?[0]?["file"] == .string("event_counts.csv"))
    #expect(json["files"] == .number("7"))
  }

  @Test func aMissingManifestIsAProblemAndAMissingDirectoryWrongUsage() throws {
    let directory = try output()
    try directory.remove("out/manifest.json")
    #expect(try RunProcess.eventmill(["verify", "out"], directory: directory).status == 1)
    #expect(try RunProcess.eventmill(["verify", "none"], directory: directory).status == 2)
    #expect(try RunProcess.eventmill(["verify"], directory: directory).status == 2)
  }

  @Test func severalOutputsAreVerifiedInOneStep() throws {
    let directory = try output()
    #expect(
      try RunProcess.eventmill(["run", "--out", "b", "log.ndjson"], directory: directory).status
        == 0)
    let both = try RunProcess.eventmill(["verify", "out", "b"], directory: directory)
    #expect(both.status == 0 && both.text.split(separator: "\n").count == 2)
    try directory.write("x", to: "b/extra")
    let json = try RunProcess.eventmill(["verify", "--json", "out", "b"], directory: directory)
    #expect(json.status == 1)
    let found = try json.lines.map { try NaiveJSON(parsing: String($0))["ok"] }
    #expect(found == [.bool(true), .bool(false)])
    let withOther = try RunProcess.eventmill(["verify", "b", "none"], directory: directory)
    #expect(withOther.status == 1 && withOther.text.contains("b: "), "\(withOther.text)")
    #expect(withOther.errors.contains("none: it does not exist"))
    let only = try RunProcess.eventmill(["verify", "out", "none"], directory: directory)
    #expect(only.status == 2 && only.text.contains("out: "))
  }

  /// More than are listed: the code is that of what is left, and damage is listed beside it.
  @Test func damageIsNotHiddenBehindWhatIsLeft() throws {
    let directory = try ScratchDirectory()
    let people = (0..<120).map { "person-\($0)" }
    try directory.write(
      people.map { Sample.event($0, "seen") + "\n" }.joined(), to: "log.ndjson")
    try directory.write(
      people.map { "{\"custom_id\":\"\($0)\"}\n" }.joined(), to: "requests")
    let arguments = ["verify", "--requests", "requests", "out"]
    #expect(
      try RunProcess.eventmill(["run", "-q", "--out", "out", "log.ndjson"], directory: directory)
        .status == 0)
    #expect(try RunProcess.eventmill(arguments, directory: directory).status == 6)
    try directory.write("x", to: "out/extra")
    let damaged = try RunProcess.eventmill(arguments, directory: directory)
    #expect(damaged.status == 1 && damaged.text.contains("extra: the manifest"), "\(damaged.text)")
  }
}
