@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

/// Hashes only find: people whose keys have one hash are still two, with the same event, too.
@Suite struct EqualHashTests {
  private static let people = EqualHashes.texts(5, behind: Array("custom:x".utf8), isASCII: true)
    .map { "x" + String(decoding: $0, as: UTF8.self) }

  private static func lines(_ time: String) -> [String] {
    people.map { #"{"id":"e","custom_id":"\#($0)","name":"seen","time":"\#(time)"}"# }
  }

  @Test func peopleWhoseKeysHaveOneHashAreNotMixed() throws {
    let fixture = try RunFixture()
    try fixture.log(Self.lines("2024-05-01T00:00:00"), "a.ndjson")
    try fixture.log(Self.lines("2024-05-02T00:00:00"), "b.ndjson")
    try fixture.log(Self.lines("2024-05-01T00:00:00").reversed(), "c.ndjson")
    for partitions in [1, 3] {
      let summary = try fixture.run(["a.ndjson", "b.ndjson", "c.ndjson"], to: "out\(partitions)") {
        $0.snapshot.partitions = partitions
      }
      #expect(summary.ledger.accepted == 10 && summary.ledger.duplicates == 5)
      #expect(summary.profiles == 5)
    }
  }

  @Test func countTellsThemApart() throws {
    let fixture = try RunFixture()
    let lines = Self.lines("2024-05-01T00:00:00")
    try fixture.log(lines + lines, "a.ndjson")
    let options = fixture.options(["a.ndjson"], to: "")
    let ledger = try CountJob(options.read, control: JobControl()).run().read.facts.total
    #expect(ledger.accepted == 5 && ledger.duplicates == 5)
  }
}
