@testable import Jobs
import Pipeline
import Stages
import TestSupport
import Testing

@Suite struct VerifyFoldsConcurrencyTests {
  private static let profiles = RunFiles.part(0, of: 1, in: RunFiles.profiles)
  private static let state = RunFiles.part(0, of: 1, in: RunFiles.state)

  /// A key that has data and is published nowhere is a fault of the output. The state of an
  /// installation that folds is in no profile, and must still be what one can show: the next run
  /// publishes it. Profiles and the states of their keys have the same events.
  @Test(
    arguments: [
      (profiles, #","installation_ids":["d"]"#, [], "profiles: otherFolds 0, 1"),
      (state, "Rome", [0xFF, 0xFF, 0xFF, 0xFF], ": badState"),
      (state, "{\"ci", [0xFF, 0xFF, 0xFF, 0xFF], ": badState"),
      (state, ":\"Rome\"", Array(":\n\"Rom\"".utf8), ": badState"),
      (state, "1.25", Array("1e2e".utf8), ": badState"),
      (profiles, "\"count\":1", Array("\"count\":2".utf8), "profiles: otherEventsOfState 2, a, 1"),
    ] as [(String, String, [UInt8], String)])
  func verifyComparesFolds(_ file: String, _ old: String, _ new: [UInt8], _ problem: String) throws
  {
    let fixture = try RunFixture()
    let event = #"{"name":"a","time":"2024-05-02T00:00:00Z","attributes":{"city":"Rome"}}"#
    try fixture.log(
      [
        DeviceHistory.record("zoe", "d", 1),
        #"{"identifiers":{"installation_id":"d"},"events":[\#(event)]}"#,
        DeviceHistory.record(nil, "d", 1, #""attributes":{"age":1.25}"#),
      ], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    try ForgedOutput(fixture).changeFrames(file) { frames in
      frames = frames.map { $0.replacing(Array(old.utf8), with: new) }
    }
    let found = try fixture.problems(of: fixture.scratch("out"))
    #expect(found.contains { $0.hasSuffix(problem) }, "\(found)")
  }
}
