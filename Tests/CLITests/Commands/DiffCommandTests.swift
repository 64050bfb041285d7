import TestSupport
import Testing

/// `eventmill diff`: what is printed, and exit codes.
@Suite struct DiffCommandTests: CommandSuite {
  let directory: ScratchDirectory

  /// Two nights, the second after the first.
  init() throws {
    directory = try ScratchDirectory()
    let nights = [
      [
        #"{"identifiers":{"custom_id":"u","installation_id":"phone"},"time":"2024-06-01T09:00:00Z","attributes":{"age":26,"city":"Lyon","tags":["a"]},"events":[{"name":"seen","time":"2024-06-01T09:00:00Z"}]}"#,
        #"{"installation_id":"tablet","name":"seen","time":"2024-06-01T10:00:00"}"#,
        #"{"custom_id":"v","name":"seen","time":"2024-06-01T10:00:00"}"#,
        #"{"custom_id":"v","name":"bad name","time":"2024-06-01T10:00:00"}"#,
      ],
      [
        #"{"identifiers":{"custom_id":"u"},"time":"2024-06-02T09:00:00Z","attributes":{"age":"27","city":null,"size":1.5},"events":[{"name":"bought","time":"2024-06-02T09:00:00Z","attributes":{"price":3}}]}"#,
        #"{"identifiers":{"custom_id":"w","installation_id":"tablet"},"events":[{"name":"seen","time":"2024-06-02T10:00:00Z","attributes":{"text":"a\u202eb"}}]}"#,
        #"{"custom_id":"v"}"#,
      ],
    ]
    for (number, lines) in nights.enumerated() {
      try directory.write(lines.map { $0 + "\n" }.joined(), to: "\(number + 1).ndjson")
    }
    let run = "run --max-rejects 100% --out"
    try succeed("\(run) out-1 1.ndjson", "\(run) out-2 --previous out-1 2.ndjson")
  }

  @Test func whatChangedInANight() throws {
    let result = try expect(6, "diff --profiles out-1 out-2")
    #expect(try Golden.difference(result.text, from: "diff.txt") == nil)
    let json = try expect(6, "diff --profiles --json out-1 out-2")
    #expect(try Golden.difference(json.text, from: "diff.ndjson") == nil)
    for line in json.lines { _ = try NaiveJSON(parsing: String(line)) }
    #expect(
      try succeed("diff out-2 out-2/").text == "out-2 and out-2/ are equal: 3 profiles\n")
    #expect(try self.json("diff out-1 out-1")["equal"] == .bool(true))
  }

  @Test func whatIsNoOutput() throws {
    for words in ["out-1", "out-1 none", "out-1 .", "out-1 out-2 out-2"] {
      #expect(try expect(2, "diff \(words)").output.isEmpty, "\(words)")
    }
    try directory.write("{}", to: "out-2/manifest.json")
    try expect(4, "diff out-1 out-2")
  }
}
