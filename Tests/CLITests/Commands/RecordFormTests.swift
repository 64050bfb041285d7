import TestSupport
import Testing

/// Logs whose records are not their lines (data-model 2).
@Suite struct RecordFormTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws { directory = try ScratchDirectory() }

  private static let records: [String] = (0..<8).map { number in
    #"{"id":"e-\#(number)","custom_id":"u-\#(number % 3)","name":"seen","#
      + #""time":"2024-06-01T00:00:0\#(number)Z"}"#
  }
  /// The records over several lines each.
  private static let objects: [String] = records.map { record in
    record.replacing("{", with: "{\n  ").replacing(",", with: ",\n  ").replacing("}", with: "\n}")
  }
  private static let forms: [String] = [
    "[\(records.joined(separator: ","))]", "[\n\(records.joined(separator: ",\n"))\n]\n",
    objects.joined(separator: "\n") + "\n", " [\r\n\(objects.joined(separator: ",\r\n"))\r\n]\r\n",
  ]

  /// The form of a log does not matter, and neither does where a night finds it cut.
  @Test(arguments: forms)
  func theFormDoesNotMatter(_ text: String) throws {
    try directory.write(Self.records.joined(separator: "\n"), to: "lines.ndjson")
    let count = text.utf8.count
    let result = try bash(
      """
      profiles() { zstd -dcq $1/profiles/*.zst; }
      "$eventmill" run --quiet --out lines lines.ndjson && profiles lines >expected || exit
      cat >whole <<'END'
      \(text)
      END
      truncate -s \(count) whole
      for cut in $(seq 1 41 \(count)); do
        head -c $cut whole >log.json
        "$eventmill" run --quiet --replace --max-rejects 100% --out first log.json && cp whole log.json &&
          "$eventmill" run --quiet --replace --previous first --out second log.json &&
          profiles second | cmp - expected || { echo "cut at $cut"; exit 1; }
      done
      """)
    #expect(result.status == 0, "\(result.text)\(result.errors)")
  }

  /// Rejects have the number of the record's first line, its own offset, and its text in one line,
  /// which `redrive` reads; what is cut is told.
  @Test func rejectsNameTheRecord() throws {
    try directory.write("[\n{\n\"name\":\"seen\"\n},\n  7,\n{\"a\":\n", to: "log.json")
    #expect(try objects("explain log.json").map { $0["line"]?.integer } == [2, 5, 6])
    try expect(
      0, "run --max-rejects 100% --out out log.json",
      "log.json (line 6): it was cut short: its last record is not")
    let rejects = try bash("zstd -dcq out/rejects.ndjson.zst").lines
    #expect(rejects.map { $0.contains(#""raw":"{ \"name\":\"seen\" }""#) } == [true, false, false])
    #expect(rejects[1].hasPrefix(#"{"source":"log.json","line":5,"offset":23,"#))
    try succeed("redrive --quiet --default-time 2024-06-01T00:00:00Z --out redriven out")
    #expect(try succeed("count redriven").errors.hasPrefix("1 line, "))
    // An array without an end is told, even if its records are whole.
    try directory.write("[\(Self.records[0])", to: "log.json")
    try expect(
      0, "count log.json", "log.json (line 1): it was cut short: its array has no end; fetch")
  }
}
