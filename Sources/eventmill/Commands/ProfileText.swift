import Jobs
import Pipeline

/// A published profile for people (`eventmill inspect`): identifiers, attributes, collections of
/// tags, events from the latest to the earliest.
///
/// Ages count back from the newest time of the output and not from today, so the text of an output
/// never changes.
struct ProfileText {
  /// Width at which long texts are folded, in characters; nil to keep them whole.
  let width: Int?
  /// The newest event of the output, in milliseconds since 1970.
  let newest: Int?
  let heading: (String) -> String
  private var lines: [String] = []

  init(width: Int?, newest: Int?, heading: @escaping (String) -> String) {
    (self.width, self.newest, self.heading) = (width, newest, heading)
  }

  /// The lines of `profile`; `installation` is the requested one, if it is part of it.
  static func lines(
    of profile: JSONValue, installation: String?, width: Int?, newest: Int?,
    heading: @escaping (String) -> String
  ) -> [String] {
    var text = ProfileText(width: width, newest: newest, heading: heading)
    text.writeIdentity(profile, installation)
    let attributes = profile["attributes"]?.members ?? []
    text.writeTable("attributes", attributes.filter { $0.value.kind != .array }.map(Self.row))
    text.writeTable("tags", attributes.filter { $0.value.kind == .array }.map(Self.row))
    text.writeEvents(profile["events"]?.members ?? [])
    return text.lines
  }

  private mutating func writeIdentity(_ profile: JSONValue, _ installation: String?) {
    let kind = profile["kind"]?.text ?? "profile"
    lines.append(heading("\(kind) \((profile["id"]?.text ?? "").visible)"))
    var rows: [(String, String)] = []
    let installations = (profile["identifiers"]?["installation_ids"]?.items ?? []).map { id in
      let id = id.text ?? ""
      return id.visible + (id == installation ? " (asked for)" : "")
    }
    if !installations.isEmpty {
      rows.append(("installations", installations.joined(separator: ", ")))
    }
    let times: [(String, JSONValue?)] = [
      ("first seen", profile["first_seen"]), ("last seen", profile["last_seen"]),
    ]
    for (name, time) in times {
      guard let time = Self.milliseconds(time) else { continue }
      let age =
        time == newest
        ? ", the newest time" : distance(time).map { ", \($0) before the newest time" } ?? ""
      rows.append((name, "\(Self.shown(time))\(age)"))
    }
    for (name, value) in profile.members where !Self.shownElsewhere.contains(name) {
      rows.append((Self.title(name), Self.shown(value)))
    }
    writeRows(rows)
  }

  /// Fields of a profile with a line or a table of their own.
  private static let shownElsewhere: Set = [
    "id", "kind", "identifiers", "attributes", "events", "first_seen", "last_seen",
  ]

  private static func title(_ field: String) -> String {
    switch field {
    case "opted_out": "opted out"
    case "opted_out_installations": "opt-outs"
    default: field.visible
    }
  }

  private static func row(_ attribute: (name: String, value: JSONValue)) -> (String, String) {
    (attribute.name.visible, shown(attribute.value))
  }

  private mutating func writeTable(_ title: String, _ rows: [(String, String)]) {
    if rows.isEmpty { return }
    lines += ["", heading("\(title) (\(NumberFormat.grouped(rows.count)))")]
    writeRows(rows)
  }

  private mutating func writeRows(_ rows: [(String, String)]) {
    let column = rows.map(\.0.count).max() ?? 0
    for (name, value) in rows {
      let padding = String(repeating: " ", count: column - name.count)
      lines += folded("  \(name)\(padding)  ", value)
    }
  }

  private mutating func writeEvents(_ events: [(name: String, value: JSONValue)]) {
    if events.isEmpty { return }
    lines += ["", heading("events (\(NumberFormat.grouped(events.count)))")]
    var table = TextTable([
      ("  event", .left), ("count", .right), ("first seen", .left), ("last seen", .left),
      ("age", .right),
    ])
    typealias Row = (event: (name: String, value: JSONValue), last: Int?)
    let rows: [Row] = events.map { ($0, Self.milliseconds($0.value["last_seen"])) }
    // Sorting is stable.
    let sorted = rows.sorted { (a: Row, b: Row) -> Bool in a.last ?? .min > b.last ?? .min }
    for (event, last) in sorted {
      table.add([
        "  \(event.name.visible)",
        event.value["count"]?.int.map(NumberFormat.grouped) ?? "",
        Self.milliseconds(event.value["first_seen"]).map(Self.shown) ?? "-",
        last.map(Self.shown) ?? "-", last.flatMap(distance) ?? "",
      ])
    }
    let shown = table.lines(width: width, heading: heading)
    lines.append(shown[0])
    for (line, row) in zip(shown.dropFirst(), sorted) {
      lines.append(line)
      if let value = row.event.value["value"] { lines += folded("    ", Self.shown(value)) }
    }
  }

  // MARK: - Times

  /// A published time, in milliseconds since 1970.
  private static func milliseconds(_ time: JSONValue?) -> Int? {
    guard let (tape, index) = time?.node else { return nil }
    return tape.time(at: index)
  }

  /// The time between `time` and the newest time, in its greatest unit.
  private func distance(_ time: Int) -> String? {
    guard let newest, newest >= time else { return nil }
    let seconds = (newest - time) / 1000
    return switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3600) h"
    default: "\(NumberFormat.grouped(seconds / 86_400)) d"
    }
  }

  /// `2024-06-01 03:02:09.791`; a zero fraction is omitted.
  static func shown(_ time: Int) -> String {
    Timestamp.text(time).replacing("T", with: " ").replacing(".000Z", with: "")
      .replacing("Z", with: "")
  }

  // MARK: - Values

  /// A value as text: strings without quotes, lists by their items, objects as JSON.
  private static func shown(_ value: JSONValue) -> String {
    if let text = value.text { return text.visible }
    if value.kind == .array { return value.items.map(nested).joined(separator: ", ") }
    if value.kind == .object {
      return value.members.map { "\($0.name.visible): \(nested($0.value))" }
        .joined(separator: ", ")
    }
    return value.source.visible
  }

  /// A value inside of another one, delimited by brackets.
  private static func nested(_ value: JSONValue) -> String {
    switch value.kind {
    case .array: "[\(shown(value))]"
    case .object: "{\(shown(value))}"
    default: shown(value)
    }
  }

  /// `text` after `start`, on as many lines as needed; broken between words if possible.
  private func folded(_ start: String, _ text: String) -> [String] {
    let indent = String(repeating: " ", count: start.count)
    guard let width, text.count > max(width - start.count, Self.narrowest) else {
      return [start + text]
    }
    let room = max(width - start.count, Self.narrowest)
    var lines: [String] = []
    var rest = text[...]
    while rest.count > room {
      let piece = rest.prefix(room)
      let blank = piece.lastIndex(of: " ")
      lines.append(String(rest[..<(blank ?? piece.endIndex)]))
      rest = rest[(blank.map { rest.index(after: $0) } ?? piece.endIndex)...]
    }
    lines.append(String(rest))
    return lines.enumerated().map { ($0.offset == 0 ? start : indent) + $0.element }
  }

  /// The least width for a text on a line, in characters.
  private static let narrowest = 20
}
