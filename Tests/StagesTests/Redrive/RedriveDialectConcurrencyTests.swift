@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Lines of the further dialects with a rejected part: the accepted parts are not taken twice.
@Suite struct RedriveDialectConcurrencyTests {
  private static let group =
    #"{"custom_id":"u","id":"g","time":"2024-05-02T09:15:00.000Z","action":["batch.group",{"actions":["#
    + #"["batch.user.event",{"e":"seen"}],["batch.user.event",{"e":""}],"BAD","#
    + #"["batch.user.event",{"e":"seen"}],["batch.user.tag",{"c":"fav","t":"ski","a":"add"}],"#
    + #"["batch.user.tag",{"c":"out","t":"BAD"}]]}]}"#
  private static let installation =
    #"{"sDate":"2024-05-02T09:15:00.000Z","name":"_INSTALL_DATA_CHANGED","di":"i","cus":"u","#
    + #""params":{"added":{"push.b":true,"size.i":"BAD"}}}"#
  private static let whole = #"{"sDate":"2024-05-02T09:15:00.000Z","name":"E.SEEN","cus":"null"}"#

  /// Faults, and what they are corrected to.
  private static let corrections = [
    (#""e":"""#, #""e":"late""#), (#","BAD","#, #",["batch.user.event",{"e":"later"}],"#),
    (#""t":"BAD""#, #""t":"sea","a":"remove""#), (#":"BAD"}}}"#, ":4}}}"),
    (#""cus":"null""#, #""cus":"v""#),
  ]

  /// The log without faults gives the same output as the log with its faults corrected and
  /// reprocessed.
  @Test func correctedPartsAreTakenOnce() throws {
    let it = try RedriveFixture()
    let faulty = [Self.group, Self.installation, Self.whole]
    try it.fixture.log(faulty, "a.ndjson")
    try it.fixture.run(["a.ndjson"], to: "first")
    // The text of a line is quoted in the entry.
    let quoted = { (text: String) in text.replacing("\"", with: #"\""#) }
    let corrected = { (text: String, spelt: (String) -> String) in
      Self.corrections.reduce(text) { $0.replacing(spelt($1.0), with: spelt($1.1)) }
    }
    try it.edit("first", as: "edited.ndjson") { corrected($0, quoted) }
    let summary = try it.redrive(["edited.ndjson"], to: "again")
    #expect(summary.entriesLeft == 0)
    #expect(summary.ledger.acceptedEvents == 3 && summary.ledger.appliedOperations == 2)
    try it.fixture.run(["again"], to: "merged", after: "first")
    try it.fixture.log(faulty.map { corrected($0) { $0 } }, "right.ndjson")
    try it.fixture.run(["right.ndjson"], to: "right")
    try it.expectSameSnapshot("merged", "right")
    let counts = try it.fixture.lines("merged/\(RunFiles.countsJSON)")
    #expect(
      counts.map { "\($0["name"]?.text ?? "") \($0["count"]?.integer ?? 0)" }
        == ["late 1", "later 1", "seen 3"])
  }
}
