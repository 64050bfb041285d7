import Jobs
import Pipeline
import Stages

/// A published profile for people (`eventmill inspect`): identifiers, attributes, collections of
/// tags, events from the latest to the earliest.
///
/// Ages count back from the newest time of the output and not from today, so the text of an output
/// never changes.
struct InspectText {
  /// Width at which long texts are folded, in characters; nil to keep them whole.
  let width: Int?
  /// The newest event of the output, in milliseconds since 1970.
  let newest: Int?
  let heading: (String) -> String

  /// The lines of `profile`; `installation` is the requested one, if it is part of it.
  func lines(of profile: JSONValue, installation: String?) -> [String] {
    let attributes = profile["attributes"]?.members ?? []
    return identity(profile, installation)
      + table("attributes", attributes.filter { $0.value.kind != .array })
      + table("tags", attributes.filter { $0.value.kind == .array })
      + events(profile["events"]?.members ?? [])
  }

  private func identity(_ profile: JSONValue, _ installation: String?) -> [String] {
    let kind = profile["kind"]?.text ?? "profile"
    var rows: [(String, String)] = []
    let installations = (profile["identifiers"]?["installation_ids"]?.items ?? []).map { id in
      let id = id.text ?? ""
      return id.visible + (id == installation ? " (asked for)" : "")
    }
    if !installations.isEmpty {
      rows.append(("installations", installations.joined(separator: ", ")))
    }
    let times = [("first seen", profile["first_seen"]), ("last seen", profile["last_seen"])]
    for (name, field) in times {
      guard let time = Self.milliseconds(field) else { continue }
      let age =
        time == newest
        ? ", the newest time" : distance(time).map { ", \($0) before the newest time" } ?? ""
      rows.append((name, "\(Self.shown(time))\(age)"))
    }
    for (name, value) in profile.members where !Self.shownElsewhere.contains(name) {
      rows.append((Self.titles[name] ?? name.visible, Self.shown(value)))
    }
    return [heading("\(kind) \((profile["id"]?.text ?? "").visible)")] + lines(of: rows)
  }

  /// Fields of a profile with a line or a table of their own.
  private static let shownElsewhere: Set = [
    "id", "kind", "identifiers", "attributes", "events", "first_seen", "last_seen",
  ]

  private static let titles = ["opted_out": "opted out", "opted_out_installations": "opt-outs"]

  private func table(_ title: String, _ rows: [(name: String, value: JSONValue)]) -> [String] {
    if rows.isEmpty { return [] }
    return ["", heading("\(title) (\(NumberFormat.grouped(rows.count)))")]
      + lines(of: rows.map { ($0.name.visible, Self.shown($0.value)) })
  }

  private func lines(of rows: [(String, String)]) -> [String] {
    let column = rows.map(\.0.count).max() ?? 0
    return rows.flatMap { name, value in
      folded("  \(name)\(String(repeating: " ", count: column - name.count))  ", value)
    }
  }

  private func events(_ events: [(name: String, value: JSONValue)]) -> [String] {
    if events.isEmpty { return [] }
    typealias Row = (event: (name: String, value: JSONValue), last: Int?)
    let rows: [Row] = events.map { ($0, Self.milliseconds($0.value["last_seen"])) }
    // Sorting is stable.
    let sorted = rows.sorted { (a: Row, b: Row) -> Bool in a.last ?? .min > b.last ?? .min }
    let table = TextTable(
      of: sorted,
      [
        .text("  event") { "  \($0.event.name.visible)" },
        .right("count") { $0.event.value["count"]?.int.map(NumberFormat.grouped) ?? "" },
        .text("first seen") { Self.milliseconds($0.event.value["first_seen"]).map(Self.shown) },
        .text("last seen") { $0.last.map(Self.shown) },
        .right("age") { $0.last.flatMap(distance) ?? "" },
      ])
    let shown = table.lines(width: width, heading: heading)
    return ["", heading("events (\(NumberFormat.grouped(events.count)))"), shown[0]]
      + zip(shown.dropFirst(), sorted).flatMap { line, row in
        [line] + (row.event.value["value"].map { folded("    ", Self.shown($0)) } ?? [])
      }
  }

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

  /// A value as text: strings without quotes, lists by their items, objects as JSON.
  private static func shown(_ value: JSONValue) -> String {
    if let text = value.text { return text.visible }
    if value.kind == .array { return value.items.map(nested).joined(separator: ", ") }
    if value.kind == .object {
      return value.members.map { "\($0.name.visible): \(nested($0.value))" }.joined(separator: ", ")
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

  private static let narrowest = 20
}
