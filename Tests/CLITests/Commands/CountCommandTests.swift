import TestSupport
import Testing

/// `eventmill count`: rows, forms and limits.
@Suite struct CountCommandTests: CommandSuite {
  let directory: ScratchDirectory
  private static let log = [
    #"{"id":"1","custom_id":"u","name":"ad_seen","time":"2024-06-01T00:30:00Z","label":"a,\"b\""}"#,
    #"{"id":"1","custom_id":"u","name":"ad_seen","time":"2024-06-01T00:30:00Z","label":"z"}"#,
    #"{"custom_id":"u","name":"ad_seen","time":"2024-06-02T01:30:00Z","label":"wild\u001b[31m"}"#,
    #"{"custom_id":"u","name":"bought","time":"2024-06-02T01:00:00Z"}"#,
    #"{"custom_id":"u","name":"closed","time":"2024-06-02T02:00:00Z"}"#,
    #"{"identifiers":{"custom_id":"u"},"events":[{"name":"closed","untimed":true}]}"#,
  ]

  init() throws {
    directory = try ScratchDirectory()
    try directory.write(Self.log.map { $0 + "\n" }.joined(), to: "log")
  }

  @Test func rowsFormsAndLimits() throws { try expectTranscript("count") }
}
