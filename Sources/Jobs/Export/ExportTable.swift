import Pipeline
import Stages

/// A flat table for analysts (docs/reference/file-formats.md). Rows, header lines, `schema.json`
/// and `load.sql` are derived from its columns.
enum ExportTable: String, CaseIterable, Sendable {
  case changes = "profile_changes"
  case profiles
  case attributes = "profile_attributes"
  case events = "profile_events"
  case counts = "event_counts"
  case days = "daily_counts"

  struct Column: Sendable {
    let name: StaticString
    let type: ColumnType
    let isNullable: Bool
    let meaning: String

    init(_ name: StaticString, _ type: ColumnType, null isNullable: Bool = false, _ meaning: String)
    {
      (self.name, self.type, self.isNullable, self.meaning) = (name, type, isNullable, meaning)
    }
  }

  /// The type of a column, by its name in `schema.json`.
  enum ColumnType: String, Sendable {
    case text, integer, double, boolean
    /// A day in UTC, such as `2024-06-01`.
    case date
    /// A time in UTC, such as `2024-06-01T00:00:00.000Z`.
    case timestamp
    /// A JSON array of strings, as text.
    case list
    /// A JSON object, as text.
    case json

    /// The type of DuckDB.
    var sql: StaticString {
      switch self {
      case .text: "VARCHAR"
      case .integer: "BIGINT"
      case .double: "DOUBLE"
      case .boolean: "BOOLEAN"
      case .date: "DATE"
      case .timestamp: "TIMESTAMP"
      case .list: "VARCHAR[]"
      case .json: "JSON"
      }
    }
  }

  private static let kind = Column("kind", .text, "person or installation; kind and id are the key")
  private static let id = Column(
    "id", .text, "the custom id of a person, or the id of an installation")

  var meaning: StaticString {
    switch self {
    case .changes: "a row per profile that is not the one of the previous output"
    case .profiles: "a row per published profile"
    case .attributes: "a row per attribute of a profile, and per item of one that is an array"
    case .events: "a row per profile and event name"
    case .counts: "a row per event name"
    case .days: "figures of days, weeks and months, in rows of several kinds"
    }
  }

  /// The columns that identify a row.
  var key: [StaticString] {
    switch self {
    case .changes, .profiles: ["kind", "id"]
    case .attributes: ["kind", "id", "key", "position"]
    case .events: ["kind", "id", "event"]
    case .counts: ["event"]
    case .days: ["period", "name", "event", "first_day"]
    }
  }

  var columns: [Column] {
    switch self {
    case .changes:
      [
        Self.id, Self.kind,
        Column(
          "change", .text, "added, changed, or removed: then there is no such profile any more"),
      ]
    case .profiles: Self.profileColumns
    case .attributes:
      [
        Self.kind, Self.id,
        Column("key", .text, "the attribute, without \(Self.openings)"),
        Column("type", .text, "\(Self.scalars), or array: of an item of one"),
        Column(
          "value", .text,
          "the value as text; numbers as the source wrote them; of an array, one item"),
        Column("position", .integer, "of an item, its index in the array; else 0"),
      ]
    case .events:
      [
        Self.kind, Self.id,
        Column("event", .text, "the event name"),
        Column("count", .integer, "events of this profile"),
      ] + Self.seen("event of these") + [
        Column(
          "value", .json, null: true, "attributes of the latest of them; null when it has none")
      ]
    case .counts:
      [
        Column("event", .text, "the event name"),
        Column("count", .integer, "events, duplicates aside"),
      ] + Self.seen("event of these") + [
        Column("profiles", .integer, "published profiles that have it"),
        Column("duplicates", .integer, "events that had been counted already"),
        Column("dialects", .json, "valid events read, by dialect"),
        Column("source_names", .list, "up to five other names in the sources"),
      ]
    case .days: Self.dayColumns
    }
  }

  private static let openings =
    KeyForm.typed.map { $0.key("…") }.joined(separator: " or ")
  private static let scalars =
    ValueType.allCases.filter { $0 != .array }.map(\.rawValue).joined(separator: ", ")

  private static let profileColumns =
    [
      id, kind,
      Column("custom_id", .text, null: true, "null for an installation"),
      Column("installation_ids", .list, "installations of the person; of an installation, itself"),
    ] + seen("event or operation") + [
      Column("attributes", .json, "all attributes by their keys"),
      Column("opted_out", .boolean, "whether all installations have opted out"),
      Column("latitude", .double, null: true, "where the profile was last, in degrees"),
      Column("longitude", .double, null: true, "where it was last, in degrees"),
      Column("accuracy", .double, null: true, "of that location, in meters"),
      Column("location_time", .timestamp, null: true, "when the location was reported"),
      Column(
        "opted_out_installations", .list,
        "installations that have opted out; of an installation, itself"),
    ]

  private static let dayColumns = [
    Column(
      "period", .text, "day, week or month; none: events of no known day; complete_from: see there"),
    Column(
      "name", .text, null: true,
      "2024-06-01, 2024-W22 or 2024-06; of complete_from, the day figures are complete from"),
    Column("event", .text, null: true, "the event that is counted in events"),
    Column(
      "first_day", .date, null: true,
      "active are only people who were active on this day for the first time"),
    Column("events", .integer, null: true, "events of that name"),
    Column("active", .integer, null: true, "people with an event"),
    Column("new", .integer, null: true, "those of them who were active for the first time"),
  ]

  private static func seen(_ of: String) -> [Column] {
    [("first_seen" as StaticString, "earliest"), ("last_seen", "latest")].map { name, which in
      Column(name, .timestamp, null: true, "time of the \(which) \(of); null when none has a time")
    }
  }
}

package enum ExportFormat: String, CaseIterable, Sendable {
  /// RFC 4180, with a header line in each file. Null is an empty field, empty text is `""`.
  case csv
  /// A JSON object per row with all columns; null is `null`.
  case ndjson
}

extension ExportTable {
  /// Whether there is a file for each part of the output; else there is one.
  var isInParts: Bool { self != .counts && self != .days }

  func path(_ format: ExportFormat, part: Int, of count: Int) -> String {
    isInParts ? RunFiles.numbered(template(format), part, of: count) : template(format)
  }

  /// The same with `#` for numbers.
  func template(_ format: ExportFormat) -> String {
    "\(rawValue)\(isInParts ? "/part-#-of-#" : "").\(format.rawValue).zst"
  }
}
