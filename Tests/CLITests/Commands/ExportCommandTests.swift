import TestSupport
import Testing

/// `eventmill export`: what is printed, and the files it makes.
@Suite struct ExportCommandTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    let log = [
      #"{"identifiers":{"custom_id":"u, \"1\"","installation_id":"dev-1"},"time":"2024-06-01T09:00:00Z","attributes":{"age":26,"city":"Lyon","date(born)":"1990-01-01T00:00:00","programs":["gold","silver"],"url(page)":"https://a.example/"}}"#,
      #"{"identifiers":{"custom_id":"u, \"1\""},"events":[{"name":"bought","time":"2024-06-01T11:00:00Z","attributes":{"$label":"toys","price":1.50}}]}"#,
      #"{"installation_id":"dev-2","name":"seen","time":"2024-06-03T11:00:00"}"#,
      #"{"identifiers":{"installation_id":"dev-2"},"time":"2024-06-03T12:00:00Z","location":{"latitude":48.85,"longitude":2.35},"opted_out":true}"#,
      #"{"custom_id":"v","installation_id":"dev-3","time":"2024-06-04T12:00:00Z","identifiers":{"custom_id":"v","installation_id":"dev-3"}}"#,
    ]
    try directory.write(log.map { $0 + "\n" }.joined(), to: "log.ndjson")
    try succeed("run --out out --max-rejects 100% log.ndjson")
  }

  @Test(arguments: ["csv", "ndjson"]) func theTablesAndWhatDescribesThem(_ format: String) throws {
    let result = try succeed("export out --out \(format) --format \(format)")
    #expect(result.lines.first == "published \(format)" && result.lines.count == 7)
    let files = try bash(
      "cd \(format) && for f in */*.zst *.zst; do echo \"== $f\"; zstd -dcq $f; done; "
        + "for f in load.sql schema.json; do echo \"== $f\"; cat $f; done")
    #expect(files.status == 0, "\(files.errors)")
    #expect(try Golden.difference(files.text, from: "export-\(format).txt") == nil)
  }

  @Test func whatHasToBeSaid() throws {
    for words in ["out", "--out t", "out --out t --format v1"] {
      try expect(2, "export \(words)", "error: reading the command line: ")
    }
    #expect(try directory.names() == ["log.ndjson", "out"])
  }
}
