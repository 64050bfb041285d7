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

  /// Only the summary named requests that match nothing, so a nightly job never did. A damaged
  /// manifest or report was refused without saying what to do; and the directory of several copies
  /// was made, and stayed empty.
  @Test func anOutputWithoutSomebodyIsMadeAndProved() throws { try expectTranscript("erase") }

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
