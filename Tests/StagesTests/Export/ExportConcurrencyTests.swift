import Pipeline
import Stages
import TestSupport
import Testing

@testable import Jobs

/// Tables of an output: the same facts as its lines, and the same bytes however they were made.
@Suite struct ExportConcurrencyTests {
  private static let tables = [
    "profiles", "profile_attributes", "profile_events", "event_counts", "daily_counts",
  ]

  private func export(
    _ fixture: RunFixture, _ output: String, to tables: String, _ format: ExportFormat = .csv,
    changes: Bool = false, jobs: Int = 2, control: JobControl = JobControl(), replace: Bool = false
  ) throws(Failure) -> ExportSummary {
    var options = fixture.options([], to: tables)
    options.read.jobs = jobs
    options.publish.replace = replace
    return try ExportJob(
      fixture.scratch(output), format: format, onlyChanges: changes, options: options,
      control: control
    ).run()
  }

  /// An output of random lines, and of values that tables could break on.
  private func output(_ seed: UInt64, partitions: Int) throws -> RunFixture {
    let fixture = try RunFixture()
    var log = RandomLog(seed: seed, tellsPrivacy: true)
    let wild = #"a,\"b\"\r\nc\u0000 d'e\\ é\u2028"#
    let lines =
      log.lines(700) + [
        #"{"identifiers":{"custom_id":"\#(wild.replacing(#"\r\n"#, with: #"\r"#))"},"#
          + #""time":"2024-06-01T00:00:00Z","attributes":{"text":"\#(wild)","date(day)":"2024-06-01T00:00:00Z","#
          + #""url(page)":"https://a.example/,\"","yes":true,"no":false,"n":-1,"x":1.50E+2,"list":["\#(wild)","z"]},"#
          + #""events":[{"name":"n","attributes":{"a":"\#(wild.replacing(#"\r\n"#, with: ""))"}}]}"#,
        #"{"identifiers":{"installation_id":"i"},"time":"2024-06-01T00:00:00Z","#
          + #""location":{"latitude":48.5,"longitude":-2,"accuracy":10},"opted_out":true}"#,
      ]
    try fixture.log(Array(lines.prefix(300)), "before.ndjson")
    try fixture.log(Array(lines.dropFirst(300)), "log.ndjson")
    func set(_ options: inout RunOptions) {
      options.snapshot.partitions = partitions
      options.read.rules.unknownFields = .keep
    }
    try fixture.run(["before.ndjson"], to: "before", set)
    try fixture.run(["log.ndjson"], to: "out", after: "before", set)
    return fixture
  }

  // MARK: - The same facts

  /// The rows of a table as texts; nil is null. The first one names the columns.
  private func rows(
    _ table: String, of tables: String, _ format: ExportFormat, _ fixture: RunFixture
  ) throws -> [[String?]] {
    var rows: [[String?]] = []
    for path in try fixture.scratch.files(below: tables)
    where path.hasPrefix(table + "/") || path.hasPrefix(table + ".") {
      let text = try fixture.text("\(tables)/\(path)")
      switch format {
      case .csv:
        let part = Self.parseCSV(text)
        rows += rows.isEmpty ? part : Array(part.dropFirst())
      case .ndjson:
        let lines = try text.split(separator: 0x0A).map { try NaiveJSON(parsing: Array($0)) }
        if rows.isEmpty, let first = lines.first { rows.append(first.names) }
        rows += lines.map { line in line.names.map { Self.cell(line[$0]) } }
      }
    }
    return rows
  }

  private static func cell(_ value: NaiveJSON?) -> String? {
    switch value {
    case .string(let text): text
    case .number(let text): text
    case .bool(let flag): "\(flag)"
    default: nil
    }
  }

  /// The records of RFC 4180, byte by byte; a field that is empty and not in quotes is nil.
  private static func parseCSV(_ text: [UInt8]) -> [[String?]] {
    var (rows, row, field): ([[String?]], [String?], [UInt8]) = ([], [], [])
    var (isQuoted, wasQuoted) = (false, false)
    var rest = text[...]
    func endField() {
      row.append(field.isEmpty && !wasQuoted ? nil : String(decoding: field, as: UTF8.self))
      (field, wasQuoted) = ([], false)
    }
    while let byte = rest.popFirst() {
      switch (byte, isQuoted) {
      case (UInt8(ascii: "\""), true):
        if rest.first == byte { field.append(rest.removeFirst()) } else { isQuoted = false }
      case (UInt8(ascii: "\""), false): (isQuoted, wasQuoted) = (true, true)
      case (UInt8(ascii: ","), false): endField()
      case (0x0D, false):
        endField()
        rows.append(row)
        row = []
        #expect(rest.popFirst() == 0x0A)
      default: field.append(byte)
      }
    }
    #expect(row.isEmpty && field.isEmpty, "every record ends")
    return rows
  }

  /// The rows that the published lines should make, by the shortest code.
  private func expected(_ fixture: RunFixture) throws -> [String: [[String?]]] {
    var rows: [String: [[String?]]] = [:]
    for line in try sources("profiles/", of: fixture) { try append(line, to: &rows) }
    return try rows.merging(expectedCounts(fixture)) { $1 }
  }

  private func expectedCounts(_ fixture: RunFixture) throws -> [String: [[String?]]] {
    var rows: [String: [[String?]]] = [:]
    for source in try sources("event_counts.ndjson", of: fixture) {
      let line = try NaiveJSON(parsing: source.bytes)
      rows["event_counts", default: []].append(
        ["name", "count", "first_seen", "last_seen", "profiles", "duplicates"].map {
          Self.cell(line[$0])
        } + [source["dialects"]?.text, source["source_names"]?.text ?? "[]"])
    }
    for line in try fixture.lines("out/daily_counts.ndjson") {
      let period = ["complete_from", "day", "week", "month"].first { line[$0] != nil }
      rows["daily_counts", default: []].append(
        [period ?? "none", period.flatMap { line[$0]?.text }]
          + ["event", "first", "count", "active", "new"].map { Self.cell(line[$0]) })
    }
    return rows
  }

  /// The rows that the published changes should make.
  private func expectedChanges(_ fixture: RunFixture) throws -> [String: [[String?]]] {
    var rows: [String: [[String?]]] = [:]
    for line in try sources("changes/", of: fixture) {
      let (change, profile) = (try #require(line["change"]), try #require(line["profile"]))
      rows["profile_changes", default: []].append(
        try [profile["id"], profile["kind"], change].map {
          Self.cell(try NaiveJSON(parsing: #require($0).bytes))
        })
      if change.text != #""removed""# { try append(profile, to: &rows) }
    }
    return try rows.merging(expectedCounts(fixture)) { $1 }
  }

  /// The rows of a profile.
  private func append(_ source: SourceJSON, to rows: inout [String: [[String?]]]) throws {
    let line = try NaiveJSON(parsing: source.bytes)
    let who = [line["kind"]?.text, line["id"]?.text]
    let identifiers = source["identifiers"]
    let installation = identifiers?["installation_id"]
    let location = line["location"]
    rows["profiles", default: []].append(
      [who[1], who[0], line["identifiers"]?["custom_id"]?.text]
        + [identifiers?["installation_ids"]?.text ?? "[\(installation?.text ?? "")]"]
        + [line["first_seen"]?.text, line["last_seen"]?.text]
        + [source["attributes"]?.text ?? "{}", line["opted_out"] == nil ? "false" : "true"]
        + ["latitude", "longitude", "accuracy", "time"].map { Self.cell(location?[$0]) }
        + [
          source["opted_out_installations"]?.text
            ?? "[\(line["opted_out"] == nil ? "" : installation?.text ?? "")]"
        ])
    for name in line["attributes"]?.names ?? [] {
      guard let value = line["attributes"]?[name] else { continue }
      for (position, (key, type, item)) in Self.attribute(name, value).enumerated() {
        rows["profile_attributes", default: []].append(
          who + [key, type, Self.cell(item), "\(position)"])
      }
    }
    for name in line["events"]?.names ?? [] {
      let event = line["events"]?[name]
      rows["profile_events", default: []].append(
        who + [name] + ["count", "first_seen", "last_seen"].map { Self.cell(event?[$0]) }
          + [source["events"]?[name]?["value"]?.text])
    }
  }

  /// The lines of the files of the output whose paths begin with `prefix`.
  private func sources(_ prefix: String, of fixture: RunFixture) throws -> [SourceJSON] {
    try fixture.scratch.files(below: "out").filter { $0.hasPrefix(prefix) }.flatMap { path in
      try fixture.text("out/\(path)").split(separator: 0x0A).map { SourceJSON(Array($0)) }
    }
  }

  /// The rows of an attribute: its key, its type, and the value or the items.
  private static func attribute(
    _ name: String, _ value: NaiveJSON
  ) -> [(key: String, type: String, item: NaiveJSON)] {
    for form in ["date", "url"] where name.hasPrefix("\(form)(") {
      return [(String(name.dropFirst(form.count + 1).dropLast()), form, value)]
    }
    switch value {
    case .string: return [(name, "string", value)]
    case .number(let text):
      return [(name, text.contains { ".eE".contains($0) } ? "double" : "integer", value)]
    case .bool: return [(name, "boolean", value)]
    default: return value.items.map { (name, "array", $0) }
    }
  }

  @Test(arguments: Effort.first(2, of: Array(1...8)), ExportFormat.allCases)
  func rowsAreThoseOfTheLines(_ seed: Int, _ format: ExportFormat) throws {
    let fixture = try output(UInt64(seed), partitions: seed % 3 + 1)
    for changes in [false, true] {
      let summary = try export(
        fixture, "out", to: "tables", format, changes: changes, replace: true)
      #expect(summary.tables.map(\.name) == (changes ? ["profile_changes"] : []) + Self.tables)
      let expected = try changes ? expectedChanges(fixture) : expected(fixture)
      let described = try fixture.json("tables/schema.json")["tables"]?.items ?? []
      for table in summary.tables {
        let how: Comment = "\(table.name), seed \(seed)"
        let found = try rows(table.name, of: "tables", format, fixture)
        let schema = try #require(described.first { $0["name"]?.text == table.name })
        let columns = schema["columns"]?.items.map { $0["name"]?.text } ?? []
        #expect(found.first == columns, how)
        #expect(Array(found.dropFirst()) == expected[table.name], how)
        let key = (schema["key"]?.items ?? []).compactMap { columns.firstIndex(of: $0.text) }
        #expect(Set(found.map { row in key.map { row[$0] } }).count == found.count, how)
        #expect(table.rows > 3 && table.rows == found.count - 1, how)
        #expect(schema["rows"]?.integer == table.rows, how)
      }
      #expect(try fixture.problems(of: fixture.scratch("tables")) == [])
    }
  }

  // MARK: - The same bytes

  @Test func bytesDoNotDependOnTheNumberOfCores() throws {
    let fixture = try output(5, partitions: 2)
    for (format, jobs) in [(.csv, 1), (.csv, 2), (.csv, 5), (.ndjson, 1), (.ndjson, 3)]
      as [(ExportFormat, Int)]
    {
      let tables = "\(format)-\(jobs)"
      _ = try export(fixture, "out", to: tables, format, jobs: jobs)
      #expect(try fixture.bytes(of: tables) == fixture.bytes(of: "\(format)-1"), "\(tables)")
    }
  }

  @Test func anOutputWithoutProfilesMakesEmptyTables() throws {
    let fixture = try RunFixture()
    try fixture.log([], "a.ndjson")
    try fixture.run(["a.ndjson"], to: "out")
    for format in ExportFormat.allCases {
      let summary = try export(fixture, "out", to: "\(format)", format)
      #expect(summary.tables.allSatisfy { $0.rows == 0 && $0.files == 1 })
      for table in Self.tables {
        #expect(try rows(table, of: "\(format)", format, fixture).count == (format == .csv ? 1 : 0))
      }
      #expect(try fixture.problems(of: fixture.scratch("\(format)")) == [])
    }
  }

  // MARK: - All or nothing

  private func failure(_ fixture: RunFixture, _ output: String, replace: Bool = false) -> Failure? {
    Failure.of(try export(fixture, output, to: "tables", replace: replace))
  }

  @Test func whatIsNoWholeOutputIsRefused() throws {
    let fixture = try output(3, partitions: 1)
    #expect(failure(fixture, "none")?.kind == .usage)
    _ = try export(fixture, "out", to: "other")
    #expect(failure(fixture, "other")?.why == "it is an export, not an output")
    let first = Failure.of(try export(fixture, "before", to: "tables", changes: true))
    #expect(first?.kind == .usage && first?.why == "it continues no earlier output")
    let part = "out/profiles/part-00000-of-00001.ndjson.zst"
    let text = try fixture.text(part)
    for change in [{ $0.removeLast(40) }, { $0[$0.count / 3] ^= 1 }] as [(inout [UInt8]) -> Void] {
      let whole = try fixture.scratch.bytes(part)
      try fixture.scratch.change(part, change)
      let damaged = try #require(failure(fixture, "out"))
      #expect(damaged.kind == .corrupt && damaged.advice == ExportJob.repair, "\(damaged.message)")
      try fixture.scratch.write(whole, to: part)
    }
    // Whole frames of the same lines, compressed again: only the hash differs.
    try fixture.compressedLog(text, part)
    #expect(failure(fixture, "out")?.why == "its content does not match its manifest")
    try fixture.compressedLog(Array("{\"id\":\"u\"}\n".utf8), part)
    #expect(failure(fixture, "out")?.why == "it is not a line that eventmill writes")
    try fixture.scratch.remove(part)
    #expect(failure(fixture, "out")?.kind == .io)
    #expect(!fixture.scratch.has("tables"))
    try fixture.expectOnly(["before", "before.ndjson", "log.ndjson", "other", "out"])
  }

  /// It was read to its end, and then compared with the manifest.
  @Test func aFrameLongerThanTheBoundIsDamage() throws {
    let fixture = try output(1, partitions: 1)
    var empty = ByteBuffer()
    try ZstdEncoder(level: 1).compress("", into: &empty)
    let path = "profiles/part-00000-of-00001.ndjson.zst"
    try fixture.scratch.remove("out/\(path)")
    let file = SeekableFile(try OutputFile(path: path, in: fixture.scratch("out")))
    try file.append(frame: empty.view, decompressed: FrameFileReader.longestText + 1, lines: 0)
    _ = try file.finish()
    let failure = failure(fixture, "out")
    #expect(failure?.kind == .corrupt && failure?.why.contains("the most is 268,435,456") == true)
  }

  @Test func onlyOwnFilesAreReplaced() throws {
    let fixture = try output(4, partitions: 1)
    _ = try export(fixture, "out", to: "tables", .ndjson)
    #expect(failure(fixture, "out")?.kind == .usage)
    // What load.sql makes belongs to the export, and is replaced with it.
    try fixture.scratch.write([1], to: "tables/profiles.parquet")
    #expect(try fixture.problems(of: fixture.scratch("tables")) == [])
    #expect(failure(fixture, "out", replace: true) == nil)
    #expect(!fixture.scratch.has("tables/profiles.parquet"))
    #expect(!fixture.scratch.has("tables/event_counts.ndjson.zst"), "those of CSV took its place")
    try fixture.scratch.write([1], to: "tables/own.txt")
    let other = failure(fixture, "out", replace: true)
    #expect(other?.why == "it holds own.txt, which eventmill has not made")
    #expect(other?.advice == "move own.txt away, or name another directory")
    #expect(try fixture.problems(of: fixture.scratch("tables")) == ["own.txt: notListed"])
    try fixture.scratch.remove("tables/own.txt")
    try fixture.scratch.write([1], to: "tables/load.sql")
    #expect(
      try fixture.problems(of: fixture.scratch("tables")).contains { $0.hasPrefix("load.sql") })
  }
}

extension SourceJSON {
  fileprivate var text: String { String(decoding: bytes, as: UTF8.self) }
}
