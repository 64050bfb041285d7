import TestSupport
import Testing

/// `eventmill erase`, and `verify --requests` as its proof.
@Suite struct EraseCommandTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    let lines = [("anna", "ad_seen"), ("bob", "ad_seen"), ("anna", "-")].map {
      #"{"custom_id":"\#($0)","name":"\#($1)","time":"2024-06-01T00:00:00"}"# + "\n"
    }
    try directory.write(lines.joined(), to: "log.ndjson")
    try directory.write("{\"custom_id\":\"anna\"}\n{\"custom_id\":\"carl\"}\n", to: "ids.ndjson")
    try succeed("run --out out log.ndjson")
  }

  private static let erase = "erase --requests ids.ndjson"

  @Test func anOutputWithoutSomebodyIsMadeAndProved() throws {
    let before = try expect(6, "verify --requests ids.ndjson out")
    #expect(before.lines.count == 6)
    #expect(before.lines.allSatisfy { !$0.contains("anna") })
    #expect(
      try succeed("\(Self.erase) --erased-at 2024-07-01 --out new out").lines == [
        "published new", "erased      1 of 2 requests, at 2024-07-01T00:00:00.000Z",
        "  line 1: custom_id \"anna\": removed 1 event; later data up to 2024-07-01T00:00:00.000Z "
          + "is suppressed",
        "profiles    1", "rejects     1 without their text",
        "no data     1 request matched nothing:", "  line 2: custom_id \"carl\"",
      ])
    try succeed("verify --requests ids.ndjson new")
    // In its own place, too.
    #expect(try json("\(Self.erase) --replace --out new new")["found"]?.integer == 0)
  }

  /// The present is the moment of a request without a time, also for a run.
  @Test func theMomentIsNow() throws {
    let json = try json("run --requests ids.ndjson --out new log.ndjson")
    let moment = try #require(json["erased_at"]?.text)
    #expect(moment > "2026")
    #expect(json["erasures"]?[0]?["id"]?.text == "anna")
    #expect(json["erasures"]?[0]?["mark"]?.text == moment)
    #expect(try document("new/manifest.json")["options"]?["erased_at"]?.text == moment)
    // Made again with it, the bytes are the same; without it, --if-same accepts it.
    let again = "run --quiet --requests ids.ndjson --if-same --out new log.ndjson"
    try succeed(again)
    try expect(2, "\(again) --erased-at 2024-07-01")
    try expect(2, "partial --requests ids.ndjson --out half log.ndjson", "--erased-at")
  }

  /// Only the summary named them, so a nightly job never did.
  @Test(arguments: [
    "erase --quiet --requests ids.ndjson --out new out",
    "run --quiet --requests ids.ndjson --out new log.ndjson",
  ])
  func requestsThatMatchNothingAreWarnedOf(_ line: String) throws {
    let result = try succeed(line)
    #expect(result.output.isEmpty)
    #expect(result.errors == "warning: 1 request for erasure matched nothing: line 2\n")
  }

  @Test func whatIsRefusedLeavesNothing() throws {
    for line in [
      "erase --requests log.ndjson --out new out", "verify --requests log.ndjson out",
      "run --requests log.ndjson --out new log.ndjson", "run --honor-opt-out --out new -",
      "\(Self.erase) --out new log.ndjson", "\(Self.erase) --out new",
      "\(Self.erase) --out new --nights none-%Y%m%d", "\(Self.erase) --out new out ./out",
    ] { try expect(2, line) }
    #expect(try directory.names() == ["ids.ndjson", "log.ndjson", "out"])
    // The directory of several copies was made, and stayed empty.
    try directory.write([], to: "damaged/manifest.json")
    #expect(try run("\(Self.erase) --out a/new out damaged").status != 0)
    #expect(try directory.names() == ["damaged", "ids.ndjson", "log.ndjson", "out"])
  }

  /// A damaged manifest or report was refused without saying what to do.
  @Test(arguments: ["manifest.json", "report.json"])
  func damageNamesItsRemedy(file: String) throws {
    try directory.write(directory.bytes("out/\(file)") + Array("x".utf8), to: "out/\(file)")
    let result = try expect(4, "\(Self.erase) --out new out")
    #expect(result.errors.hasSuffix("; restore it from a copy\n"), "\(result.errors)")
  }

  /// All kept nights at once, in their places.
  @Test func allNightsAreErasedTogether() throws {
    try directory.write([], to: "nights/.lock")
    let nights = ["nights/2024-06-01", "nights/2024-06-02"]
    try succeed(
      "run --quiet --out \(nights[0]) log.ndjson",
      "run --quiet --allow-empty --out \(nights[1]) --previous \(nights[0])")
    let line = "\(Self.erase) --nights nights/%Y-%m-%d --out nights --replace"
    let before = try directory.bytes("\(nights[1])/manifest.json")
    try succeed("\(line) --json --dry-run")
    #expect(try directory.bytes("\(nights[1])/manifest.json") == before)
    try directory.makeDirectory("\(nights[1]).rejected")
    let erased = try expect(
      0, "\(line) --json", "nights/2024-06-02.rejected has lines of a run")
    let summary = try NaiveJSON(parsing: erased.text)
    let outputs = summary["outputs"]?.items ?? []
    #expect(outputs.map { $0["output"]?.text } == nights)
    #expect(outputs.map { $0["profiles"]?.integer } == [1, 1])
    #expect(summary["unknown"]?.items.map(\.integer) == [2])
    for night in nights { try succeed("verify --requests ids.ndjson \(night)") }
  }

  /// The next night knows only the hash of the id, and finds it beside any character.
  @Test(arguments: ["a+b", "u3.x", "u3"])
  func idsBesideOtherCharactersAreLeftOutOfTheNextNight(_ id: String) throws {
    let result = try bash(
      """
      printf '%s\\n' '{"custom_id":"\(id)"}' >ids
      printf '%s\\n' '{"custom_id":"\(id)","name":"seen","time":"2024-06-01T10:00:00Z"}' >1
      for text in '\(id)-y@z' 'x.\(id).y' '~\(id)'; do
        printf '%s\\n' '{"custom_id":"o","name":"","time":"2024-06-02T10:00:00Z","x":"'$text'"}'
      done >2
      "$eventmill" run -q --out one 1 && "$eventmill" erase -q --requests ids --out two one \
        && "$eventmill" run -q --max-rejects 100% --previous two --out three 2 \
        && "$eventmill" verify --requests ids three
      """)
    #expect(result.status == 0, "\(result.text)\(result.errors)")
  }
}
