import TestSupport
import Testing

/// `eventmill erase`, and `verify --requests` as its proof.
@Suite struct EraseCommandTests {
  private func output() throws -> ScratchDirectory {
    let directory = try ScratchDirectory()
    let log =
      #"{"custom_id":"anna","name":"ad_seen","time":"2024-06-01T00:00:00"}"# + "\n"
      + #"{"custom_id":"bob","name":"ad_seen","time":"2024-06-01T00:00:00"}"# + "\n"
      + #"{"custom_id":"anna","name":"-","time":"2024-06-01T00:00:00"}"# + "\n"
    try directory.write(log, to: "log.ndjson")
    try directory.write(
      #"{"custom_id":"anna"}"# + "\n" + #"{"custom_id":"carl"}"# + "\n",
      to: "ids.ndjson")
    let run = try RunProcess.eventmill(["run", "--out", "out", "log.ndjson"], directory: directory)
    #expect(run.status == 0)
    return directory
  }

  @Test func anOutputWithoutSomebodyIsMadeAndProved() throws {
    let directory = try output()
    let before = try RunProcess.eventmill(
      ["verify", "--requests", "ids.ndjson", "out"], directory: directory)
    #expect(before.status == 6)
    #expect(before.lines.count == 6)
    #expect(before.lines.allSatisfy { !$0.contains("anna") })
    let erased = try RunProcess.eventmill(
      ["erase", "--requests", "ids.ndjson", "--erased-at", "2024-07-01", "--out", "new", "out"],
      directory: directory)
    #expect(erased.status == 0)
    #expect(
      erased.lines == [
        "published new", "erased      1 of 2 requests, at 2024-07-01T00:00:00.000Z",
        "  line 1: custom_id \"anna\": removed 1 event; later data up to 2024-07-01T00:00:00.000Z "
          + "is suppressed",
        "profiles    1", "rejects     1 without their text",
        "no data     1 request matched nothing:", "  line 2: custom_id \"carl\"",
      ])
    let after = try RunProcess.eventmill(
      ["verify", "--requests", "ids.ndjson", "new"], directory: directory)
    #expect(after.status == 0)
    // In its own place, too.
    let json = try RunProcess.eventmill(
      ["erase", "--json", "--replace", "--requests", "ids.ndjson", "--out", "new", "new"],
      directory: directory)
    #expect(json.status == 0)
    #expect(try NaiveJSON(parsing: json.text)["found"]?.integer == 0)
  }

  /// The present is the moment of a request without a time, also for a run.
  @Test func theMomentIsNow() throws {
    let directory = try output()
    let run = try RunProcess.eventmill(
      ["run", "--json", "--requests", "ids.ndjson", "--out", "new", "log.ndjson"],
      directory: directory)
    let json = try NaiveJSON(parsing: run.text)
    let moment = try #require(json["erased_at"]?.text)
    #expect(moment > "2026")
    #expect(json["erasures"]?[0]?["id"]?.text == "anna")
    #expect(json["erasures"]?[0]?["mark"]?.text == moment)
    let manifest = try NaiveJSON(parsing: directory.bytes("new/manifest.json"))
    #expect(manifest["options"]?["erased_at"]?.text == moment)
    // Made again with it, the bytes are the same; without it, --if-same accepts it.
    let again = [
      "run", "--quiet", "--requests", "ids.ndjson", "--if-same", "--out", "new", "log.ndjson",
    ]
    #expect(try RunProcess.eventmill(again, directory: directory).status == 0)
    let other = again + ["--erased-at", "2024-07-01"]
    #expect(try RunProcess.eventmill(other, directory: directory).status == 2)
    let partial = try RunProcess.eventmill(
      ["partial", "--requests", "ids.ndjson", "--out", "half", "log.ndjson"], directory: directory)
    #expect(partial.status == 2 && partial.errors.contains("--erased-at"))
  }

  /// Only the summary named them, so a nightly job never did.
  @Test(arguments: [
    ["erase", "--quiet", "--requests", "ids.ndjson", "--out", "new", "out"],
    ["run", "--quiet", "--requests", "ids.ndjson", "--out", "new", "log.ndjson"],
  ])
  func requestsThatMatchNothingAreWarnedOf(arguments: [String]) throws {
    let result = try RunProcess.eventmill(arguments, directory: try output())
    #expect(result.status == 0 && result.output.isEmpty)
    #expect(result.errors == "warning: 1 request for erasure matched nothing: line 2\n")
  }

  /// The directory of several copies was made, and stayed empty.
  @Test func aFailureLeavesNoDirectory() throws {
    let directory = try output()
    try directory.write([], to: "damaged/manifest.json")
    let result = try RunProcess.eventmill(
      ["erase", "--requests", "ids.ndjson", "--out", "a/new", "out", "damaged"],
      directory: directory)
    #expect(result.status != 0)
    #expect(try directory.names() == ["damaged", "ids.ndjson", "log.ndjson", "out"])
  }

  /// A damaged manifest or report was refused without saying what to do.
  @Test(arguments: ["manifest.json", "report.json"])
  func damageNamesItsRemedy(file: String) throws {
    let directory = try output()
    try directory.write(directory.bytes("out/\(file)") + Array("x".utf8), to: "out/\(file)")
    let result = try RunProcess.eventmill(
      ["erase", "--requests", "ids.ndjson", "--out", "new", "out"], directory: directory)
    #expect(result.status == 4)
    #expect(result.errors.hasSuffix("; restore it from a copy\n"), "\(result.errors)")
  }

  /// All kept nights at once, in their places.
  @Test func allNightsAreErasedTogether() throws {
    let directory = try output()
    try directory.write([], to: "nights/.lock")
    for (night, previous) in [("01", nil), ("02", "nights/2024-06-01")] as [(String, String?)] {
      let run = try RunProcess.eventmill(
        ["run", "--quiet", "--allow-empty", "--out", "nights/2024-06-\(night)"]
          + (previous.map { ["--previous", $0] } ?? ["log.ndjson"]), directory: directory)
      #expect(run.status == 0, "\(run.errors)")
    }
    let arguments = [
      "erase", "--json", "--requests", "ids.ndjson", "--nights", "nights/%Y-%m-%d", "--out",
      "nights",
      "--replace",
    ]
    let before = try directory.bytes("nights/2024-06-02/manifest.json")
    let rehearsed = try RunProcess.eventmill(arguments + ["--dry-run"], directory: directory)
    #expect(rehearsed.status == 0)
    #expect(try directory.bytes("nights/2024-06-02/manifest.json") == before)
    try directory.makeDirectory("nights/2024-06-02.rejected")
    let erased = try RunProcess.eventmill(arguments, directory: directory)
    #expect(erased.status == 0, "\(erased.errors)")
    #expect(erased.errors.contains("nights/2024-06-02.rejected has lines of a run"))
    let outputs = try NaiveJSON(parsing: erased.text)["outputs"]?.items ?? []
    #expect(outputs.map { $0["output"]?.text } == ["nights/2024-06-01", "nights/2024-06-02"])
    #expect(outputs.map { $0["profiles"]?.integer } == [1, 1])
    #expect(try NaiveJSON(parsing: erased.text)["unknown"]?.items.map(\.integer) == [2])
    for night in ["01", "02"] {
      let absent = try RunProcess.eventmill(
        ["verify", "--requests", "ids.ndjson", "nights/2024-06-\(night)"], directory: directory)
      #expect(absent.status == 0)
    }
    for arguments in [
      ["erase", "--requests", "ids.ndjson", "--out", "new"],
      ["erase", "--requests", "ids.ndjson", "--out", "new", "--nights", "none-%Y%m%d"],
      ["erase", "--requests", "ids.ndjson", "--out", "new", "out", "./out"],
    ] {
      #expect(try RunProcess.eventmill(arguments, directory: directory).status == 2, "\(arguments)")
    }
  }

  /// The next night knows only the hash of the id, and finds it beside any character.
  @Test(arguments: ["a+b", "u3.x", "u3"])
  func idsBesideOtherCharactersAreLeftOutOfTheNextNight(_ id: String) throws {
    let directory = try ScratchDirectory()
    let result = try RunProcess.bash(
      """
      printf '%s\\n' '{"custom_id":"\(id)"}' >ids
      printf '%s\\n' '{"custom_id":"\(id)","name":"seen","time":"2024-06-01T10:00:00Z"}' >1
      for text in '\(id)-y@z' 'x.\(id).y' '~\(id)'; do
        printf '%s\\n' '{"custom_id":"o","name":"","time":"2024-06-02T10:00:00Z","x":"'$text'"}'
      done >2
      "$eventmill" run -q --out one 1 && "$eventmill" erase -q --requests ids --out two one \
        && "$eventmill" run -q --max-rejects 100% --previous two --out three 2 \
        && "$eventmill" verify --requests ids three
      """, directory: directory)
    #expect(result.status == 0, "\(result.text)\(result.errors)")
  }

  @Test func aFileThatHoldsNoRequestsIsRefused() throws {
    let directory = try output()
    for arguments in [
      ["erase", "--requests", "log.ndjson", "--out", "new", "out"],
      ["verify", "--requests", "log.ndjson", "out"],
      ["run", "--requests", "log.ndjson", "--out", "new", "log.ndjson"],
      ["run", "--honor-opt-out", "--out", "new", "-"],
      ["erase", "--requests", "ids.ndjson", "--out", "new", "log.ndjson"],
    ] {
      let result = try RunProcess.eventmill(arguments, directory: directory)
      #expect(result.status == 2, "\(arguments)")
    }
    #expect(try directory.names() == ["ids.ndjson", "log.ndjson", "out"])
  }
}
