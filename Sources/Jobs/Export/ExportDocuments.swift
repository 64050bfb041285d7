import Pipeline

/// The documents that describe the tables of an export: `schema.json` for programs, `load.sql` for
/// DuckDB.
struct ExportDocuments {
  static let schema = "schema.json"
  /// Version of the layout of the schema, and of the tables.
  private static let formatVersion = 1
  static let load = "load.sql"
  /// The files that `load.sql` creates.
  static let loaded = ExportTable.allCases.map { "\($0.rawValue).parquet" }

  /// The table of one row that `load.sql` keeps in a database: which state its tables have.
  private static let state = "export_state"

  let tables: [ExportedTable]
  let format: ExportFormat
  /// Hashes of the state of the output, and of the previous one.
  let state: UInt64
  let previousState: UInt64

  /// Writes both files.
  func write(to folder: StagedFolder) throws(Failure) {
    let schema = schema
    try folder.write(schema.view, to: Self.schema, lines: NewlineScan(schema.view).count)
    let opening = isOfChanges ? updating : opening
    let others = ExportTable.allCases.filter { table in !tables.contains { $0.table == table } }
    let dropped = others.map { "DROP TABLE IF EXISTS \($0.rawValue);\n" }
    let load = ByteBuffer(
      text: tables.map(sql).reduce(opening, +) + dropped.joined() + "COMMIT;\n")
    try folder.write(load.view, to: Self.load, lines: NewlineScan(load.view).count)
  }

  private var schema: ByteBuffer {
    JSONWriter.document(.pretty) { json in
      json.member("eventmill_export", Self.formatVersion)
      json.member("format", format.rawValue)
      json.objects("tables", of: tables) { exported, json in
        json.member("name", exported.table.rawValue)
        json.member("meaning", "\(exported.table.meaning)")
        json.member("rows", exported.rows)
        json.array("files", of: exported.files.map(\.path))
        json.array("key", of: exported.table.key.map { "\($0)" })
        json.objects("columns", of: exported.table.columns) { column, json in
          json.member("name", "\(column.name)")
          json.member("type", column.type.rawValue)
          json.member("nullable", column.isNullable)
          json.member("meaning", column.meaning)
        }
      }
    }
  }

  private var isOfChanges: Bool { tables.contains { $0.table == .changes } }

  private var opening: String {
    """
    -- Loads the tables of an eventmill export into DuckDB, and writes each as a Parquet file.
    \(Self.use)
    CREATE OR REPLACE TABLE \(Self.state) AS SELECT '\(XXH64.text(state))' AS state;


    """
  }

  private var updating: String {
    let (before, now) = (XXH64.text(previousState), XXH64.text(state))
    return """
      -- Brings the tables that an eventmill export has made in DuckDB to the next night, and writes
      -- what has changed as Parquet files. What an erasure has removed is not in it: export all
      -- tables then.
      \(Self.use)
      UPDATE \(Self.state) SET state = CASE WHEN state IN ('\(before)', '\(now)') THEN '\(now)'
        ELSE error('these tables are not of the night before: load it first, or export all') END;


      """
  }

  private static let use = """
    -- Run it in the directory that it is in: duckdb ../people.duckdb <load.sql
    -- Times are UTC. If a statement fails, the tables stay as they were.

    BEGIN;
    """

  /// The statements that create the typed table, or replace in it what has changed, and write its
  /// Parquet file.
  private func sql(_ exported: ExportedTable) -> String {
    let table = exported.table
    let name = table.rawValue
    let files =
      table.isInParts ? "\(name)/*.\(format.rawValue).zst" : table.path(format, part: 0, of: 1)
    let columns = table.columns.map { "    '\($0.name)': '\(Self.readType($0.type))'" }
    let values = table.columns.map { "  \(Self.value(of: $0))" }
    let comments = table.columns.map {
      "COMMENT ON COLUMN \(name).\"\($0.name)\" IS '\(Self.escaped($0.meaning))';\n"
    }
    let isUpdated = table.isInParts && table != .changes && isOfChanges
    let changed = "WHERE (kind, id) IN (SELECT (kind, id) FROM \(ExportTable.changes.rawValue))"
    let created = isUpdated ? "TEMP TABLE new_\(name)" : "TABLE \(name)"
    let update =
      isUpdated
      ? """
      DELETE FROM \(name) \(changed);
      INSERT INTO \(name) FROM new_\(name);

      """ : ""
    return """
      CREATE OR REPLACE \(created) AS SELECT
      \(values.joined(separator: ",\n"))
      FROM \(reader)('\(files)', \(options(exported)), columns = {
      \(columns.joined(separator: ",\n"))
      });
      \(update)COMMENT ON TABLE \(name) IS '\(Self.escaped("\(table.meaning)"))';
      \(comments.joined())COPY (\(Self.plain(table))\(isUpdated ? " \(changed)" : "")) \
      TO '\(name).parquet' (FORMAT parquet, COMPRESSION zstd);


      """
  }

  private var reader: String { format == .csv ? "read_csv" : "read_json" }

  /// DuckDB's default for the longest row, in bytes.
  private static let usualRow = 2_000_000

  /// DuckDB's options for reading the files. Nothing is inferred from the first rows. The longest
  /// row is set only if needed: buffers hold several of them.
  private func options(_ exported: ExportedTable) -> String {
    let longest = exported.longestRow + 1
    let isLong = longest > Self.usualRow
    return switch format {
    case .csv:
      #"auto_detect = false, header = true, delim = ',', quote = '"', escape = '"', "#
        + #"new_line = '\r\n', nullstr = '', allow_quoted_nulls = false"#
        + (isLong ? ", max_line_size = \(longest)" : "")
    case .ndjson:
      "format = 'newline_delimited'" + (isLong ? ", maximum_object_size = \(longest)" : "")
    }
  }

  /// The type for reading a column: JSON is text in both formats.
  private static func readType(_ type: ExportTable.ColumnType) -> StaticString {
    type == .json || type == .list ? ExportTable.ColumnType.text.sql : type.sql
  }

  private static func value(of column: ExportTable.Column) -> String {
    let name = "\"\(column.name)\""
    return switch column.type {
    case .json: "CAST(\(name) AS JSON) AS \(name)"
    case .list: "CAST(CAST(\(name) AS JSON) AS \(column.type.sql)) AS \(name)"
    default: name
    }
  }

  /// The columns in a Parquet file: JSON as text, which other readers expect.
  private static func plain(_ table: ExportTable) -> String {
    let texts = table.columns.filter { $0.type == .json }.map { column in
      "CAST(\"\(column.name)\" AS VARCHAR) AS \"\(column.name)\""
    }
    return texts.isEmpty
      ? "FROM \(table.rawValue)"
      : "SELECT * REPLACE (\(texts.joined(separator: ", "))) FROM \(table.rawValue)"
  }

  private static func escaped(_ text: String) -> String { text.replacing("'", with: "''") }
}
