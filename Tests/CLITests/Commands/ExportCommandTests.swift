import TestSupport
import Testing

/// `eventmill export`: what is printed, and the files it makes.
@Suite struct ExportCommandTests {
  private func output() throws -> ScratchDirectory {
    let directory = try ScratchDirectory()
    let log = [
      #"{"identifiers":{"custom_id":"u, \"1\"","installation_id":"dev-1"},"time":"2024-06-01T09:00:00Z","attributes":{"age":26,"city":"Lyon","date(born)":"1990-01-01T00:00:00","programs":["gold","silver"],"url(page)":"https://a.example/"}}"#,
      #"{"identifiers":{"custom_id":"u, \"1\""},"events":[{"name":"bought","time":"2024-06-01T11:00:00Z","attributes":{"$label":"toys","price":1.50}}]}"#,
      #"{"installation_id":"dev-2","name":"seen","time":"2024-06-03T11:00:00"}"#,
      #"{"identifiers":{"installation_id":"dev-2"},"time":"2024-06-03T12:00:00Z","location":{"latitude":48.85,"longitude":2.35},"opted_out":true}"#,
      #"{"custom_id":"v","installation_id":"dev-3","time":"2024-06-04T12:00:00Z","identifiers":{"custom_id":"v","installation_id":"dev-3"}}"#,
    ].map { $0 + "\n" }
    try directory.write(log.joined(), to: "log.ndjson")
    let run = try RunProcess.eventmill(
      ["run", "--out", "out", "--max-rejects", "100%", "log.ndjson"], directory: directory)
    try #require(run.status == 0, "\(run.errors)")
    return directory
  }

  @Test func theTablesAndWhatDescribesThem() throws {
    let directory = try output()
    for format in ["csv", "ndjson"] {
      let result = try RunProcess.eventmill(
        ["export", "out", "--out", format, "--format", format], directory: directory)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.lines.first == "published \(format)" && result.lines.count == 7)
      let files = try RunProcess.bash(
        "cd \(format) && for f in */*.zst *.zst; do echo \"== $f\"; zstd -dcq $f; done; "
          + "for f in load.sql schema.json; do echo \"== $f\"; cat $f; done",
        directory: directory)
      #expect(files.status == 0, "\(files.errors)")
      #expect(try Golden.difference(files.text, from: "export-\(format).txt") == nil)
    }
  }

  @Test func whatHasToBeSaid() throws {
    let directory = try output()
    for arguments in [["out"], ["--out", "t"], ["out", "--out", "t", "--format", "v1"]] {
      let result = try RunProcess.eventmill(["export"] + arguments, directory: directory)
      #expect(result.status == 2, "\(arguments)")
      #expect(result.errors.hasPrefix("error: reading the command line: "), "\(arguments)")
    }
    #expect(try directory.names() == ["log.ndjson", "out"])
  }
}
