import Pipeline

/// The text of rows of one table, written cell by cell in the order of its columns. For one thread
/// at a time.
final class TableText {
  /// Bytes of capacity kept from block to block.
  private static let retainedCapacity = 4 << 20

  private let columns: [ExportTable.Column]
  private let format: ExportFormat
  private(set) var text = ByteBuffer()
  private(set) var rows = 0
  private(set) var longestRow = 0
  /// The beginning of the next row.
  private var start = 0
  private var column = 0

  init(_ table: ExportTable, _ format: ExportFormat) {
    (columns, self.format) = (table.columns, format)
  }

  func removeAll() {
    text.removeAll()
    text.shrink(to: Self.retainedCapacity)
    (rows, longestRow, start) = (0, 0, 0)
  }

  /// Appends the header line of a file; nothing in NDJSON.
  func appendHeader() {
    guard format == .csv else { return }
    for column in columns {
      begin()
      text.append(column.name)
      end()
    }
    rows -= 1
  }

  /// Appends a cell of text, or a null.
  func append(_ value: ByteView?) {
    begin()
    switch (format, value) {
    case (.csv, nil): break
    case (.csv, let value?): appendField(value)
    case (.ndjson, nil): text.append("null")
    case (.ndjson, let value?): text.appendJSONString(value)
    }
    end()
  }

  /// Appends a cell with a word that is written unquoted in both formats.
  func append(word: String) {
    begin()
    if format == .ndjson { text.append(JSONByte.quote) }
    text.append(text: word)
    if format == .ndjson { text.append(JSONByte.quote) }
    end()
  }

  /// Appends a cell of a number or a truth value, in its JSON form, or a null.
  func append(token: ByteView?) {
    begin()
    if let token { text.append(token) } else if format == .ndjson { text.append("null") }
    end()
  }

  func append(_ number: Int) {
    begin()
    text.append(decimal: number)
    end()
  }

  private func begin() {
    precondition(column < columns.count, "a row has a cell for each column")
    switch format {
    case .csv: if column > 0 { text.append(JSONByte.comma) }
    case .ndjson:
      text.append(column == 0 ? "{\"" : ",\"")
      text.append(columns[column].name)
      text.append("\":")
    }
  }

  private func end() {
    column += 1
    guard column == columns.count else { return }
    column = 0
    rows += 1
    text.append(format == .csv ? "\r\n" : "}\n")
    longestRow = max(longestRow, text.count - start)
    start = text.count
  }

  /// Appends a field of CSV: in quotes if it is empty, or has a comma, a quote or a line end.
  private func appendField(_ value: ByteView) {
    guard value.isEmpty || (0..<value.count).contains(where: { Self.needsQuotes(value[$0]) }) else {
      return text.append(value)
    }
    text.append(JSONByte.quote)
    var rest = value
    while let quote = rest.firstIndex(of: JSONByte.quote) {
      text.append(rest[0..<quote + 1])
      text.append(JSONByte.quote)
      rest = rest.dropFirst(quote + 1)
    }
    text.append(rest)
    text.append(JSONByte.quote)
  }

  private static func needsQuotes(_ byte: UInt8) -> Bool {
    byte == JSONByte.quote || byte == JSONByte.comma || byte == JSONByte.lineFeed
      || byte == JSONByte.carriageReturn
  }
}

/// Receives the rows of one file of an output in order, and writes them to the files of its tables.
///
/// Frames are cut by their text, so the bytes of the files do not depend on the number of cores.
/// Memory is that of the frames under way (``ParallelFrameEncoder``).
final class ExportSink {
  private let encoder: ParallelFrameEncoder
  private let streams: [SeekableTextStream<SeekableFile>]
  private let cores: CoreQueues
  /// The result for each table; with its files, when they are finished.
  private var tables: [ExportedTable]

  /// A sink to the files `paths` of `tables`, which it creates in `folder`.
  init(
    _ tables: [ExportTable], _ format: ExportFormat, at paths: [String], in folder: StagedFolder,
    level: Int, cores: CoreQueues
  ) throws(Failure) {
    self.cores = cores
    encoder = ParallelFrameEncoder(cores, level: level, filledAtOnce: tables.count)
    self.tables = tables.map { ExportedTable($0) }
    var streams: [SeekableTextStream<SeekableFile>] = []
    for (table, path) in zip(tables, paths) {
      let stream = SeekableTextStream(SeekableFile(try folder.create(path)), encoder)
      let header = TableText(table, format)
      header.appendHeader()
      try stream.append(header.text.view)
      streams.append(stream)
    }
    self.streams = streams
  }

  /// Receives the rows of the next unit.
  func take(_ unit: ExportUnit) throws(Failure) {
    for (index, table) in unit.tables.enumerated() {
      try streams[index].append(table.text.view)
      tables[index].add(table)
    }
  }

  /// Finishes the files, and returns the results.
  func finish() throws(Failure) -> [ExportedTable] {
    try cores.withCore { () throws(Failure) in
      for (index, stream) in streams.enumerated() {
        try stream.end { file throws(Failure) in
          self.tables[index].files.append(try file.finish())
        }
      }
      try encoder.finish()
    }
    return tables
  }
}
