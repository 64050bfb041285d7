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

  @Test(arguments: [
    (
      "--by day",
      """
      day         name     count
      2024-06-01  ad_seen      1
      2024-06-02  ad_seen      1
      2024-06-02  bought       1
      2024-06-02  closed       1
      none        closed       1
      total                    5

      """
    ),
    (
      "--by dialect --top 1",
      """
      dialect  name     count
      v1       ad_seen      2
      3 more                3
      total                 5

      """
    ),
    (
      "--by attribute:$label --format csv",
      "value,name,count\r\n\"a,\"\"b\"\"\",ad_seen,1\r\n"
        + "none,bought,1\r\nnone,closed,2\r\nwild\u{1b}[31m,ad_seen,1\r\n"
    ),
    (
      "--format csv --top 2",
      "name,count,first_seen,last_seen,duplicates\r\n"
        + "ad_seen,2,2024-06-01T00:30:00.000Z,2024-06-02T01:30:00.000Z,1\r\n"
        + "closed,2,2024-06-02T02:00:00.000Z,2024-06-02T02:00:00.000Z,0\r\n"
    ),
  ])
  func rows(_ words: String, _ expected: String) throws {
    #expect(try expect(0, "count log \(words)", "6 lines, 5 events, 1 duplicate,").text == expected)
  }

  @Test func theMostFrequentRows() throws {
    let json = try expect(0, "count log --by=hour --top=2 --json")
    #expect(
      json.lines.dropLast().map(String.init) == [
        #"{"hour":"2024-06-01T00:00:00.000Z","name":"ad_seen","count":1}"#,
        #"{"hour":"2024-06-02T01:00:00.000Z","name":"ad_seen","count":1}"#,
      ])
    #expect(json.errors.hasPrefix("3 more rows are not shown\n"))
    #expect(
      try succeed("count log --top 1").lines.dropFirst().map { String($0.prefix(14)) } == [
        "ad_seen      2", "2 more       3", "total        5",
      ])
    let line = try succeed("count log --top 1 --json")
    #expect(line.lines.count == 2 && line.text.hasPrefix(#"{"name":"ad_seen","count":2,"#))
    let table = try succeed("count log --by attribute:$label").text
    #expect(!table.contains("\u{1b}") && table.contains("wild?[31m"))
  }

  @Test func wrongUsage() throws {
    try expect(
      2, "count log --format csv --json", "--format csv and --json cannot be used together")
    #expect(
      try expect(2, "count log --by week").errors
        == "error: reading the command line: --by cannot be \"week\": it must be day, "
        + "hour, dialect, file or attribute:KEY, where KEY is an attribute key or $label; "
        + "for example --by day\n")
    try expect(2, "count log --top 0")
  }
}
