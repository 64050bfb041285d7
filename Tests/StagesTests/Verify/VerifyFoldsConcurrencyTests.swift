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
}
