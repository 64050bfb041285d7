import Foundation
import Stages

/// data-model 12 and 8 read aloud: everything is computed from the whole history, with dictionaries
/// and texts, for clarity.
struct NaiveMerge {
  let steps: [Step]
  let stitch: Stitch
  var withValues = true
  /// What erase marks leave of them.
  private let erasure: NaiveErasure

  init(steps: [Step], stitch: Stitch = .first) {
    self.steps = steps
    self.stitch = stitch
    erasure = NaiveErasure(steps)
  }

  /// Distinct events in the sense of data-model 12, the earliest delivery of each, and how many of
  /// each name were duplicates.
  private var counted: (events: [Step], duplicates: [String: Int]) {
    var ids: Set<String> = []
    var events: [Step] = []
    var duplicates: [String: Int] = [:]
    for step in steps.filter({ $0.kind == .event }).sorted(by: { $0.time < $1.time }) {
      if step.id.isEmpty || ids.insert(step.delivered).inserted {
        events.append(step)
      } else {
        duplicates[step.name, default: 0] += 1
      }
    }
    return (events, duplicates)
  }

  /// How many events of each input are duplicates, by the input with the delivery that counts: the
  /// first one.
  func duplicates() -> [[String]: Int] {
    let events = steps.filter { $0.kind == .event && !$0.id.isEmpty }
    let deliveries = Dictionary(grouping: events, by: \.delivered)
    var pairs: [[String]: Int] = [:]
    for delivered in deliveries.values {
      let inputs = delivered.map(\.input).sorted {
        InputSourceID(path: $0).number < InputSourceID(path: $1).number
      }
      for input in inputs.dropFirst() { pairs[[input, inputs[0]], default: 0] += 1 }
    }
    return pairs
  }

  /// The custom id of each linked installation.
  private var links: [String: String] {
    let links = Dictionary(grouping: steps.filter { $0.kind == .link }, by: \.key)
    return links.compactMapValues(erasure.link).mapValues { "custom:\($0.value)" }
  }

  /// Who publishes the state of each key.
  private var persons: [String: [String]] {
    let links = stitch == .first ? self.links : [:]
    var persons: [String: [String]] = [:]
    for step in steps where !step.key.isEmpty && step.kind != .link {
      let person = links[step.key] ?? step.key
      if persons[person]?.contains(step.key) != true {
        persons[person, default: []].append(step.key)
      }
    }
    for (installation, person) in links where persons[person]?.contains(installation) != true {
      persons[person, default: []].append(installation)
    }
    return persons
  }

  /// The profiles of a run with one partition, and how many arrays were too long.
  func profiles() -> (lines: String, overflow: Int) {
    var overflow = 0
    let published = persons.filter { $0.value.count > 1 || erasure.isPublished($0.key) }
    let lines = published.sorted { less($0.key, $1.key) }.map { person, keys in
      profile(person, keys, &overflow) + "\n"
    }
    return (lines.joined(), overflow)
  }

  private func profile(_ person: String, _ keys: [String], _ overflow: inout Int) -> String {
    let isCustom = person.hasPrefix("custom:")
    let id = quoted(String(person.dropFirst(isCustom ? 7 : 8)))
    var identifiers = isCustom ? "\"custom_id\":\(id)" : "\"installation_id\":\(id)"
    let folded = keys.filter { $0.hasPrefix("install:") }.sorted(by: less)
    if isCustom && !folded.isEmpty {
      let texts = folded.map { quoted(String($0.dropFirst(8))) }
      identifiers += ",\"installation_ids\":[\(texts.joined(separator: ","))]"
    }
    var parts = [
      "\"id\":\(id)", "\"kind\":\"\(isCustom ? "person" : "installation")\"",
      "\"identifiers\":{\(identifiers)}",
    ]

    let mine = erasure.left.filter { keys.contains($0.key) }
    let clear = mine.filter { $0.kind == .clear }.map(\.time).max() ?? .min
    let isAttribute: (Step) -> Bool = {
      [.set, .unset, .addItem, .removeItem].contains($0.kind) && $0.time >= clear
    }
    let byKey = Dictionary(grouping: mine.filter(isAttribute), by: \.name)
    // Every byte of a key is greater than the quote that ends it, so texts sort as keys do.
    let attributes = byKey.compactMap { attribute($0.key, $0.value, &overflow) }.sorted(by: less)
    if !attributes.isEmpty {
      parts.append("\"attributes\":{\(attributes.joined(separator: ","))}")
    }

    let byName = Dictionary(grouping: mine.filter { $0.kind == .event }, by: \.name)
    let events = byName.sorted { less($0.key, $1.key) }.map { event($0.key, $0.value) }
    if !events.isEmpty { parts.append("\"events\":{\(events.joined(separator: ","))}") }

    if let location = erasure.location(of: keys) {
      let time = ",\"time\":\"\(text(location.time))\"}"
      parts.append("\"location\":\(location.value.dropLast(1))\(time)")
    }
    let installations = keys.filter { $0.hasPrefix("install:") }
    if !installations.isEmpty, installations.allSatisfy(erasure.isOptedOut) {
      parts.append("\"opted_out\":true")
    }
    let optedOut = folded.filter(erasure.isOptedOut).map { quoted(String($0.dropFirst(8))) }
    if isCustom, !optedOut.isEmpty {
      parts.append("\"opted_out_installations\":[\(optedOut.joined(separator: ","))]")
    }
    let times = keys.compactMap(erasure.seen)
    if let first = times.map(\.lowerBound).min(), let last = times.map(\.upperBound).max() {
      parts.append(seen(first, last))
    }
    return "{\(parts.joined(separator: ","))}"
  }

  private func event(_ name: String, _ all: [Step]) -> String {
    let count = counted.events.filter { event in
      event.name == name && !erasure.isErased(event) && all.contains { $0.key == event.key }
    }.count
    let timed = all.filter { $0.time != EventTime.absent }
    let last = timed.map(\.time).max() ?? EventTime.absent
    let value = all.filter { $0.time == last }.map(\.value).max(by: less) ?? ""
    let written = withValues && !value.isEmpty ? ",\"value\":\(value)" : ""
    return "\"\(name)\":{\"count\":\(count)\(seen(all))\(written)}"
  }

  /// `,"first_seen":…` of those events that have a time.
  private func seen(_ events: [Step]) -> String {
    let times = events.map(\.time).filter { $0 != EventTime.absent }
    guard let first = times.min(), let last = times.max() else { return "" }
    return "," + seen(first, last)
  }

  private func attribute(_ key: String, _ all: [Step], _ overflow: inout Int) -> String? {
    var base: Step?
    for step in all where step.kind == .set || step.kind == .unset {
      if let other = base, !wins(step, over: other) { continue }
      base = step
    }
    var marks: [String: Step] = [:]
    for step in all where step.kind == .addItem || step.kind == .removeItem {
      if let base, step.time < base.time { continue }
      if let other = marks[step.value] {
        if step.time < other.time { continue }
        if step.time == other.time && step.kind == .addItem { continue }
      }
      marks[step.value] = step
    }
    let added = marks.values.filter { $0.kind == .addItem }
    let isSet = base?.kind == .set
    let baseItems = isSet ? array(base?.value ?? "") : nil
    if marks.isEmpty || (added.isEmpty && isSet && baseItems == nil) {
      guard let base, isSet else { return nil }
      let name = [.plain: key, .date: "date(\(key))", .url: "url(\(key))"][base.form] ?? key
      return "\"\(name)\":\(base.value)"
    }
    var items = (baseItems ?? []).filter { marks[$0]?.kind != .removeItem }
    let new = added.filter { !items.contains($0.value) }
    items += new.sorted { $0.time != $1.time ? $0.time < $1.time : less($0.value, $1.value) }
      .map(\.value)
    if items.isEmpty { return nil }
    if items.count > 25 { overflow += 1 }
    return "\"\(key)\":[\(items.prefix(25).map(quoted).joined(separator: ","))]"
  }

  private func wins(_ step: Step, over other: Step) -> Bool {
    if step.time != other.time { return step.time > other.time }
    if step.kind != other.kind { return step.kind == .set }
    if step.kind == .unset { return false }
    if step.value != other.value { return less(other.value, step.value) }
    return step.form.rawValue < other.form.rawValue
  }

  /// `event_counts.ndjson`.
  func counts() -> String {
    let (events, duplicates) = counted
    let all = steps.filter { $0.kind == .event }
    return Dictionary(grouping: all, by: \.name).sorted { less($0.key, $1.key) }.map { name, read in
      let count = events.filter { $0.name == name }.count
      let profiles = persons.values.filter { keys in
        read.contains { keys.contains($0.key) && !erasure.isErased($0) }
      }.count
      let dialects = Dialect.allCases.sorted { $0.name < $1.name }.compactMap {
        dialect -> String? in
        let number = read.filter { $0.dialect == dialect }.count
        return number > 0 ? "\"\(dialect.name)\":\(number)" : nil
      }
      let sourceNames = Set(read.map(\.sourceName)).subtracting([""]).sorted(by: less).prefix(5)
      let called =
        sourceNames.isEmpty
        ? "" : ",\"source_names\":[\(sourceNames.map(quoted).joined(separator: ","))]"
      return "{\"name\":\"\(name)\",\"count\":\(count)\(seen(read)),"
        + "\"profiles\":\(profiles),\"duplicates\":\(duplicates[name] ?? 0),"
        + "\"dialects\":{\(dialects.joined(separator: ","))}\(called)}\n"
    }.joined()
  }

  /// `daily_counts.ndjson`.
  func daily() -> String {
    let timed = counted.events.filter { $0.time != EventTime.absent }
    let untimed = counted.events.filter { $0.time == EventTime.absent }
    let published = persons.filter { $0.value.count > 1 || erasure.isPublished($0.key) }
    let people = published.values.map { keys in
      let events = steps.filter {
        $0.kind == .event && $0.time != EventTime.absent && keys.contains($0.key)
          && !erasure.isDayErased($0)
      }
      return Set(events.map { String(text($0.time).prefix(10)) })
    }
    var lines: [String] = []
    for (period, name) in [("month", month(of:)), ("week", week(of:))]
      as [(String, (String) -> String)]
    {
      let active = people.flatMap { Set($0.map(name)) }
      lines += Dictionary(grouping: active) { $0 }.sorted { $0.key < $1.key }.map {
        "{\"\(period)\":\"\($0.key)\",\"active\":\($0.value.count)}"
      }
    }
    let days = Set(timed.map { String(text($0.time).prefix(10)) }).union(people.joined())
    for day in days.sorted() {
      let active = people.filter { $0.contains(day) }.compactMap { $0.min() }
      let new = active.filter { $0 == day }.count
      lines.append("{\"day\":\"\(day)\",\"active\":\(active.count),\"new\":\(new)}")
      lines += Dictionary(grouping: active) { $0 }.sorted { $0.key < $1.key }.map {
        "{\"day\":\"\(day)\",\"first\":\"\($0.key)\",\"active\":\($0.value.count)}"
      }
      let events = timed.filter { text($0.time).hasPrefix(day) }
      lines += counts(of: events) { "{\"day\":\"\(day)\",\"event\":\"\($0)\",\"count\":\($1)}" }
    }
    lines += counts(of: untimed) { "{\"event\":\"\($0)\",\"count\":\($1)}" }
    return lines.map { $0 + "\n" }.joined()
  }

  private func counts(of events: [Step], _ line: (String, Int) -> String) -> [String] {
    Dictionary(grouping: events, by: \.name).sorted { less($0.key, $1.key) }.map {
      line($0.key, $0.value.count)
    }
  }

  private func month(of day: String) -> String { String(day.prefix(7)) }

  private func week(of day: String) -> String {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    let date = try? Date("\(day)T00:00:00Z", strategy: .iso8601)
    let parts = calendar.dateComponents(
      [.yearForWeekOfYear, .weekOfYear], from: date ?? .distantPast)
    let week = parts.weekOfYear ?? 0
    return "\(parts.yearForWeekOfYear ?? 0)-W\(week < 10 ? "0" : "")\(week)"
  }

  private func seen(_ first: Int, _ last: Int) -> String {
    "\"first_seen\":\"\(text(first))\",\"last_seen\":\"\(text(last))\""
  }

  private func text(_ milliseconds: Int) -> String {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(style)
  }

  private func array(_ value: String) -> [String]? {
    guard value.hasPrefix("[") else { return nil }
    return try? JSONDecoder().decode([String].self, from: Data(value.utf8))
  }
}

func less(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }

/// The JSON of a text, with the shortest escapes.
func quoted(_ text: String) -> String {
  var escaped = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": escaped += "\\\(scalar)"
    case "\n": escaped += "\\n"
    case "\t": escaped += "\\t"
    case "\u{0}"..<" ": escaped += "\\u00" + (scalar.value < 16 ? "0" : "") + hex(scalar.value)
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return "\"\(escaped)\""
}

private func hex(_ number: UInt32) -> String { String(number, radix: 16) }
