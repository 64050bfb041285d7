import TestSupport
import Testing

/// Logs whose records are not their lines (data-model 2).
@Suite struct RecordFormTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws { directory = try ScratchDirectory() }

  private static let records = (0..<8).map { number in
    #"{"id":"e-\#(number)","custom_id":"u-\#(number % 3)","name":"seen","#
      + #""time":"2024-06-01T00:00:0\#(number)Z"}"#
  }
  /// The records over several lines each.
  private static let objects = records.map { record in
    record.replacing("{", with: "{\n  ").replacing(",", with: ",\n  ").replacing("}", with: "\n}")
  }
  static let forms = [
    "[\(records.joined(separator: ","))]", "[\n\(records.joined(separator: ",\n"))\n]\n",
    objects.joined(separator: "\n") + "\n", " [\r\n\(objects.joined(separator: ",\r\n"))\r\n]\r\n",
  ]

  private func profiles(of output: String) throws -> [Substring] {
    try bash("zstd -dcq \(output)/profiles/*.zst").lines
  }

  /// The form of a log does not matter, and neither does where a night finds it cut.
  @Test(arguments: forms)
  func theFormDoesNotMatter(_ text: String) throws {
    try directory.write(Array(Self.records.joined(separator: "\n").utf8), to: "lines.ndjson")
    try succeed("run --quiet --out lines lines.ndjson")
    let expected = try profiles(of: "lines")
    let bytes = Array(text.utf8)
    for cut in stride(from: 1, through: bytes.count, by: 41) {
      try directory.write(Array(bytes[..<cut]), to: "log.json")
      try succeed("run --quiet --max-rejects 100% --out first log.json")
      try directory.write(bytes, to: "log.json")
      try succeed("run --quiet --previous first --out second log.json")
      #expect(try profiles(of: "second") == expected, "cut at \(cut)")
      for name in ["first", "second", "log.json"] { try directory.remove(name) }
    }
  }

  /// Rejects have the number of the record's first line, its own offset, and its text in one line,
  /// which `redrive` reads; what is cut is told.
  @Test func rejectsNameTheRecord() throws {
    try directory.write(Array("[\n{\n\"name\":\"seen\"\n},\n  7,\n{\"a\":\n".utf8), to: "log.json")
    let explained = try succeed("explain log.json")
    let lines = try explained.lines.map { try NaiveJSON(parsing: Array($0.utf8)) }
    #expect(lines.map { $0["line"]?.integer } == [2, 5, 6])
    let result = try succeed("run --max-rejects 100% --out out log.json")
    #expect(result.errors.contains("log.json (line 6): it was cut short: its last record is not"))
    let rejects = try bash("zstd -dcq out/rejects.ndjson.zst").lines
    #expect(rejects.map { $0.contains(#""raw":"{ \"name\":\"seen\" }""#) } == [true, false, false])
    #expect(rejects[1].hasPrefix(#"{"source":"log.json","line":5,"offset":23,"#))
    try succeed("redrive --quiet --default-time 2024-06-01T00:00:00Z --out redriven out")
    #expect(try succeed("count redriven").errors.hasPrefix("1 line, "))
  }

  @Test func anArrayWithoutAnEndIsToldEvenIfItsRecordsAreWhole() throws {
    try directory.write(Array("[\(Self.records[0])".utf8), to: "log.json")
    let errors = try succeed("count log.json").errors
    #expect(errors.contains("log.json (line 1): it was cut short: its array has no end; fetch"))
  }
}
