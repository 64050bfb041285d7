@testable import Jobs
import Pipeline
import TestSupport
import Testing

@testable import Stages

/// Lines of the further dialects with a rejected part: the accepted parts are not taken twice.
@Suite struct RedriveDialectConcurrencyTests {
  private static let group =
    #"{"custom_id":"u","id":"g","time":"2024-05-02T09:15:00.000Z","action":["batch.group",{"actions":["#
    + #"["batch.user.event",{"e":"seen"}],["batch.user.event",{"e":"BAD"}],"BAD","#
    + #"["batch.user.event",{"e":"seen"}],["batch.user.tag",{"c":"fav","t":"ski","a":"add"}],"#
    + #"["batch.user.tag",{"c":"out","t":"BAD"}]]}]}"#
  private static let installation =
    #"{"sDate":"2024-05-02T09:15:00.000Z","name":"_INSTALL_DATA_CHANGED","di":"i","cus":"u","#
    + #""params":{"added":{"push.b":true,"size.i":"BAD"}}}"#
  private static let wholes =
    [#"{"sDate":"2024-05-02T09:15:00.000Z","name":"E.SEEN","cus":"BAD"}"#]

  /// The line with its faults corrected.
  private static func corrected(_ line: String) -> String {
    line.replacing(#""e":"BAD""#, with: #""e":"late""#)
      .replacing(#","BAD","#, with: #",["batch.user.event",{"e":"later"}],"#)
      .replacing(#""t":"BAD""#, with: #""t":"sea","a":"remove""#)
      .replacing(#":"BAD"}}}"#, with: ":4}}}").replacing(#""cus":"BAD""#, with: #""cus":"v""#)
  }

  /// The log without faults gives the same output as the log with its faults corrected and
  /// reprocessed.
  @Test func correctedPartsAreTakenOnce() throws {
    let it = try RedriveFixture()
    let faulty = [Self.group, Self.installation] + Self.wholes
    let damaged = faulty.map { $0.replacing(#""e":"BAD""#, with: #""e":"""#) }
      .map { $0.replacing(#""cus":"BAD""#, with: #""cus":"null""#) }
    try it.fixture.log(damaged, "a.ndjson")
    try it.fixture.run(["a.ndjson"], to: "first")
    try it.edit("first", as: "edited.ndjson") { entry in
      // The text of a line is quoted in the entry.
      entry.replacing(#"\"e\":\"\""#, with: #"\"e\":\"late\""#)
        .replacing(#",\"BAD\","#, with: #",[\"batch.user.event\",{\"e\":\"later\"}],"#)
        .replacing(#"\"t\":\"BAD\""#, with: #"\"t\":\"sea\",\"a\":\"remove\""#)
        .replacing(#":\"BAD\"}}}"#, with: ":4}}}")
        .replacing(#"\"cus\":\"null\""#, with: #"\"cus\":\"v\""#)
    }
    let summary = try it.redrive(["edited.ndjson"], to: "again")
    #expect(summary.entriesLeft == 0)
    #expect(summary.facts.ledger.acceptedEvents == 3 && summary.facts.ledger.appliedOperations == 2)
    try it.fixture.run(["again"], to: "merged", after: "first")
    try it.fixture.log(faulty.map(Self.corrected), "right.ndjson")
    try it.fixture.run(["right.ndjson"], to: "right")
    let merged = try it.fixture.snapshot(of: "merged")
    let right = try it.fixture.snapshot(of: "right")
    #expect(merged.keys.sorted() == right.keys.sorted())
    for (path, bytes) in right { #expect(merged[path] == bytes, "\(path)") }
    let counts = try it.fixture.lines("merged/\(RunFiles.countsJSON)")
    #expect(counts.compactMap { $0["name"]?.text } == ["late", "later", "seen"])
    #expect(counts.compactMap { $0["count"]?.integer } == [1, 1, 3])
  }
}
