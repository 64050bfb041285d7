import TestSupport
import Testing

/// `eventmill diff`: what is printed, and exit codes.
@Suite struct DiffCommandTests {
  /// Two nights, the second after the first.
  private func nights() throws -> ScratchDirectory {
    let directory = try ScratchDirectory()
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
      let log = "\(number + 1).ndjson"
      try directory.write(lines.map { $0 + "\n" }.joined(), to: log)
      let previous = number == 0 ? [] : ["--previous", "out-1"]
      let run = try RunProcess.eventmill(
        ["run", "--max-rejects", "100%", "--out", "out-\(number + 1)"] + previous + [log],
        directory: directory)
      #expect(run.status == 0, "\(run.errors)")
    }
    return directory
  }

  @Test func whatChangedInANight() throws {
    let result = try RunProcess.eventmill(
      ["diff", "--profiles", "out-1", "out-2"], directory: nights())
    #expect(result.status == 6, "\(result.errors)")
    #expect(try Golden.difference(result.text, from: "diff.txt") == nil)
  }

  @Test func whatChangedAsJSON() throws {
    let result = try RunProcess.eventmill(
      ["diff", "--profiles", "--json", "out-1", "out-2"], directory: nights())
    #expect(result.status == 6, "\(result.errors)")
    #expect(try Golden.difference(result.text, from: "diff.ndjson") == nil)
    for line in result.lines { _ = try NaiveJSON(parsing: String(line)) }
  }

  @Test func equalOutputs() throws {
    let directory = try nights()
    let result = try RunProcess.eventmill(["diff", "out-2", "out-2/"], directory: directory)
    #expect(result.status == 0)
    #expect(result.text == "out-2 and out-2/ are equal: 3 profiles\n")
    let json = try RunProcess.eventmill(["diff", "--json", "out-1", "out-1"], directory: directory)
    #expect(json.status == 0)
    #expect(try NaiveJSON(parsing: json.text)["equal"] == .bool(true))
  }

  @Test func whatIsNoOutput() throws {
    let directory = try nights()
    for words in [["out-1"], ["out-1", "none"], ["out-1", "."], ["out-1", "out-2", "out-2"]] {
      let result = try RunProcess.eventmill(["diff"] + words, directory: directory)
      #expect(result.status == 2 && result.output.isEmpty, "\(words)")
    }
    try directory.write("{}", to: "out-2/manifest.json")
    #expect(try RunProcess.eventmill(["diff", "out-1", "out-2"], directory: directory).status == 4)
  }
}
