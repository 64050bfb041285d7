import TestSupport
import Testing

/// `eventmill count`: rows, forms and limits.
@Suite struct CountCommandTests {
  private static let log = [
    #"{"id":"1","custom_id":"u","name":"ad_seen","time":"2024-06-01T00:30:00Z","label":"a,\"b\""}"#,
    #"{"id":"1","custom_id":"u","name":"ad_seen","time":"2024-06-01T00:30:00Z","label":"z"}"#,
    #"{"custom_id":"u","name":"ad_seen","time":"2024-06-02T01:30:00Z","label":"wild\u001b[31m"}"#,
    #"{"custom_id":"u","name":"bought","time":"2024-06-02T01:00:00Z"}"#,
    #"{"custom_id":"u","name":"closed","time":"2024-06-02T02:00:00Z"}"#,
    #"{"identifiers":{"custom_id":"u"},"events":[{"name":"closed","untimed":true}]}"#,
  ].map { $0 + "\n" }.joined()

  private func count(_ arguments: [String]) throws -> RunProcess.Result {
    let directory = try ScratchDirectory()
    try directory.write(Self.log, to: "log.ndjson")
    return try RunProcess.eventmill(["count", "log.ndjson"] + arguments, directory: directory)
  }

  @Test func rowsAreSortedByGroupAndName() throws {
    let result = try count(["--by", "day"])
    #expect(result.status == 0)
    #expect(
      result.lines.map(String.init) == [
        "day         name     count",
        "2024-06-01  ad_seen      1",
        "2024-06-02  ad_seen      1",
        "2024-06-02  bought       1",
        "2024-06-02  closed       1",
        "none        closed       1",
        "total                    5",
      ])
    #expect(result.errors.contains("6 lines, 5 events, 1 duplicate,"))
  }

  @Test func theMostFrequentRows() throws {
    let table = try count(["--by", "dialect", "--top", "1"])
    #expect(
      table.lines.map(String.init) == [
        "dialect  name     count",
        "v1       ad_seen      2",
        "3 more                3",
        "total                 5",
      ])
    let json = try count(["--by=hour", "--top=2", "--json"])
    #expect(
      json.lines.dropLast().map(String.init) == [
        #"{"hour":"2024-06-01T00:00:00.000Z","name":"ad_seen","count":1}"#,
        #"{"hour":"2024-06-02T01:00:00.000Z","name":"ad_seen","count":1}"#,
      ])
    #expect(json.errors.hasPrefix("3 more rows are not shown\n"))
    let names = try count(["--top", "1"])
    #expect(
      names.lines.dropFirst().map { String($0.prefix(14)) } == [
        "ad_seen      2", "2 more       3", "total        5",
      ])
    let line = try count(["--top", "1", "--json"])
    #expect(line.lines.count == 2 && line.text.hasPrefix(#"{"name":"ad_seen","count":2,"#))
  }

  @Test func commaSeparatedValues() throws {
    let groups = try count(["--by", "attribute:$label", "--format", "csv"])
    #expect(
      groups.text == "value,name,count\r\n\"a,\"\"b\"\"\",ad_seen,1\r\n"
        + "none,bought,1\r\nnone,closed,2\r\nwild\u{1b}[31m,ad_seen,1\r\n")
    let names = try count(["--format", "csv", "--top", "2"])
    #expect(
      names.text == "name,count,first_seen,last_seen,duplicates\r\n"
        + "ad_seen,2,2024-06-01T00:30:00.000Z,2024-06-02T01:30:00.000Z,1\r\n"
        + "closed,2,2024-06-02T02:00:00.000Z,2024-06-02T02:00:00.000Z,0\r\n")
    let table = try count(["--by", "attribute:$label"])
    #expect(!table.text.contains("\u{1b}") && table.text.contains("wild?[31m"))
  }

  @Test func wrongUsage() throws {
    let both = try count(["--format", "csv", "--json"])
    #expect(
      both.status == 2 && both.errors.contains("--format csv and --json cannot be used together"))
    let group = try count(["--by", "week"])
    #expect(group.status == 2)
    #expect(
      group.errors == "error: reading the command line: --by cannot be \"week\": it must be day, "
        + "hour, dialect, file or attribute:KEY, where KEY is an attribute key or $label; "
        + "for example --by day\n")
    #expect(try count(["--top", "0"]).status == 2)
  }
}
