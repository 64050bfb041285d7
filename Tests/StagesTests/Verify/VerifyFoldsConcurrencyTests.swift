@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

@Suite struct VerifyFoldsConcurrencyTests {
  private static let profiles = RunFiles.part(0, of: 1, in: RunFiles.profiles)
  private static let state = RunFiles.part(0, of: 1, in: RunFiles.state)

  /// The problems after `old` was replaced in the frames of a file. A device of zoe has an event.
  private func problems(_ file: String, _ old: String, _ new: [UInt8]) throws -> [String] {
    let fixture = try RunFixture()
    let event = #"{"name":"a","time":"2024-05-02T00:00:00Z","attributes":{"city":"Rome"}}"#
    try fixture.log(
      [
        DeviceHistory.record("zoe", "d", 1),
        #"{"identifiers":{"installation_id":"d"},"events":[\#(event)]}"#,
      ], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    let output = ForgedOutput(fixture)
    try output.changeFrames(file) { frames in
      frames = frames.map { $0.replacing(Array(old.utf8), with: new) }
    }
    return try fixture.problems(of: output.path)
  }

  /// A key that has data and is published nowhere is a fault of the output.
  @Test func verifyFindsWhatIsPublishedNowhere() throws {
    let found = try problems(Self.profiles, #","installation_ids":["d"]"#, [])
    #expect(found.contains("profiles: otherFolds 0, 1"), "\(found)")
  }

  /// The state of an installation that folds is in no profile, and must still be what one can show:
  /// the next run publishes it.
  @Test(arguments: ["Rome", "{\"ci"])
  func verifyReadsTheValuesOfFoldedInstallations(_ bytes: String) throws {
    let found = try problems(Self.state, bytes, [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(found.contains { $0.hasSuffix(": badState") }, "\(found)")
  }

  /// Profiles and the states of their keys have the same events.
  @Test func verifyAddsUpTheEventsOfTheState() throws {
    let found = try problems(Self.profiles, "\"count\":1", Array("\"count\":2".utf8))
    #expect(found.contains("profiles: otherEventsOfState 2, a, 1"), "\(found)")
  }
}
