@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

@Suite struct VerifyFoldsConcurrencyTests {
  /// A key that has data and is published nowhere is a fault of the output.
  @Test func verifyFindsWhatIsPublishedNowhere() throws {
    let fixture = try RunFixture()
    try fixture.log(
      [
        DeviceHistory.record("zoe", "d", 1, event: "a"),
        DeviceHistory.record("amy", nil, 1, event: "a"),
        DeviceHistory.record(nil, "d", 1, event: "a"),
      ], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    let output = ForgedOutput(fixture)
    let part = RunFiles.part(0, of: 1, in: RunFiles.profiles)
    try output.changeFrames(part) { frames in
      frames = frames.map { text in
        Array(
          String(decoding: text, as: UTF8.self)
            .replacing(",\"installation_ids\":[\"d\"]", with: "").utf8)
      }
    }
    let problems = try fixture.problems(of: output.path)
    #expect(problems.contains("profiles: otherFolds 0, 1"), "\(problems)")
  }

  /// The state of an installation that folds is in no profile, and must still be what one can show:
  /// the next run publishes it.
  @Test(arguments: ["Rome", "{\"ci"])
  func verifyReadsTheValuesOfFoldedInstallations(_ bytes: String) throws {
    let output = try Self.folded()
    let part = RunFiles.part(0, of: 1, in: RunFiles.state)
    try output.changeFrames(part) { frames in
      frames = frames.map { $0.replacing(Array(bytes.utf8), with: [0xFF, 0xFF, 0xFF, 0xFF]) }
    }
    let problems = try output.fixture.problems(of: output.path)
    #expect(problems.contains { $0.hasSuffix(": badState") }, "\(problems)")
  }

  /// Profiles and the states of their keys have the same events.
  @Test func verifyAddsUpTheEventsOfTheState() throws {
    let output = try Self.folded()
    try output.changeFrames(RunFiles.part(0, of: 1, in: RunFiles.profiles)) { frames in
      frames = frames.map {
        $0.replacing(Array("\"count\":1".utf8), with: Array("\"count\":2".utf8))
      }
    }
    let problems = try output.fixture.problems(of: output.path)
    #expect(problems.contains("profiles: otherEventsOfState 2, a, 1"), "\(problems)")
  }

  private static func folded() throws -> ForgedOutput {
    let fixture = try RunFixture()
    let event =
      #"{"name":"a","time":"2024-05-02T00:00:00Z","attributes":{"city":"Rome"}}"#
    try fixture.log(
      [
        DeviceHistory.record("zoe", "d", 1),
        #"{"identifiers":{"installation_id":"d"},"events":[\#(event)]}"#,
      ], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    let output = ForgedOutput(fixture)
    #expect(try fixture.problems(of: output.path) == [])
    return output
  }
}
