import Jobs
import Pipeline
import Stages

/// `eventmill inspect`: prints profiles for people, and the state (docs/reference/file-formats.md).
struct InspectCommand: Request {
  let options: CommandOptions
  private var output: String { options.operands[0] }
  private var ids: ArraySlice<String> { options.operands.dropFirst() }

  func execute(on console: Console) throws(Failure) -> ExitCode {
    if options.asksWhy || !options.history.isEmpty {
      return try JobRunner.run(on: console) { control throws(Failure) in
        try answer(on: console, control)
      }
    }
    let control = console.beginUnwatched()
    if let condition = options.condition { return try search(condition, on: console, control) }
    return try options.showsState
      ? printState(of: ids.first, on: console, control) : printProfiles(on: console, control)
  }

  private static let usual = 10

  private func search(
    _ condition: ProfileCondition, on console: Console, _ control: JobControl
  ) throws(Failure) -> ExitCode {
    let newest = try ProfileLookup(output, control: control).newest
    let most = options.top ?? Self.usual
    var (found, isFirst) = (0, true)
    try console.untilClosed { () throws(Failure) in
      try ProfileSearch(output, condition, control: control).run { profile throws(Failure) in
        found += 1
        if found > most { return false }
        try print(profile, nil, newest: newest, &isFirst, on: console)
        try console.endIfClosed()
        return true
      }
    }
    if found == 0 {
      if console.settings.json {
        try console.write(JSONWriter.document { $0.members(["found": 0]) })
      } else {
        console.note("no profile of \(output) fits")
      }
    }
    if found > most { console.note("there are more; --top N shows N") }
    try console.flush()
    return found == 0 ? .failed : .done
  }

  /// Reports that nothing of `id`, or of its key in the state, is published.
  private func report(
    _ note: String, _ id: String, key: String? = nil, on console: Console
  ) throws(Failure) {
    guard console.settings.json else { return console.note(note) }
    try console.write(
      JSONWriter.document { json in
        json.members(["id": id, "published": false])
        if let key { json.member("key", key) }
      })
  }

  /// Prints a blank line before every answer but the first.
  private func separate(_ isFirst: inout Bool, on console: Console) throws(Failure) {
    if !isFirst, !console.settings.json { try console.print("") }
    isFirst = false
  }

  private func printProfiles(
    on console: Console, _ control: JobControl
  ) throws(Failure) -> ExitCode {
    var lookup = try ProfileLookup(output, control: control)
    var (code, isFirst) = (ExitCode.done, true)
    for id in ids {
      try control.check()
      let outcomes = try lookup.find(id)
      if outcomes.isEmpty { try report("\(output) does not know \(id)", id, on: console) }
      for outcome in outcomes {
        switch outcome {
        case .profile(let profile, let installation):
          try print(profile, installation, newest: lookup.newest, &isFirst, on: console)
        case .unpublished(let key):
          try report(
            "the state of \(output) knows \(key), and nothing of it is "
              + "published; see eventmill inspect --state", id, key: key, on: console)
        }
      }
      if outcomes.allSatisfy({ $0.published == nil }) { code = .failed }
    }
    try console.flush()
    return code
  }

  private func print(
    _ profile: JSONValue, _ installation: String?, newest: Int?, _ isFirst: inout Bool,
    on console: Console
  ) throws(Failure) {
    try separate(&isFirst, on: console)
    if console.settings.json { return try console.print(profile.source) }
    let text = ProfileText(width: console.resultWidth, newest: newest, heading: console.heading)
    for line in text.lines(of: profile, installation: installation) { try console.print(line) }
  }

  private func answer(on console: Console, _ control: JobControl) throws(Failure) -> ExitCode {
    var lookup = try ProfileLookup(output, control: control)
    let questions = PersonQuestions(
      output, logs: options.history + options.logs, mappings: options.run.read.rules.mappings,
      jobs: options.run.read.jobs, control: control)
    var (code, isFirst) = (ExitCode.done, true)
    // Of the logs, which are the same for all.
    var lost: [Failure] = []
    var unread: [UnreadLog] = []
    for id in ids {
      try control.check()
      let profiles = try lookup.find(id).compactMap(\.published)
      if profiles.isEmpty {
        try report("nothing of \(id) is published in \(output)", id, on: console)
        if options.asksWhy { code = .failed }
      }
      for (profile, installation) in profiles where options.asksWhy {
        try separate(&isFirst, on: console)
        let answer = try questions.why(profile, installation: installation, in: &lookup)
        (lost, unread) = (answer.lost, answer.unread)
        if console.settings.json {
          try console.write(JSONWriter.document { answer.write(to: &$0) })
        } else {
          for line in WhyText(heading: console.heading).lines(of: answer) {
            try console.print(line)
          }
        }
      }
      if options.asksWhy { continue }
      let published: [JSONValue?] = profiles.map(\.0)
      for profile in published.isEmpty ? [nil] : published {
        if profile != nil { try separate(&isFirst, on: console) }
        let parts: [LoggedPart]
        (parts, lost, unread) = try questions.history(of: profile, id, in: &lookup)
        if profile == nil, parts.isEmpty { code = .failed }
        try print(parts, profile?["id"]?.text ?? id, on: console)
      }
    }
    if !console.settings.json {
      if let note = UnreadLog.note(on: unread, of: output) { console.note(note) }
    } else if !options.asksWhy {
      // Logs that were not read to their end, or that the output was made without.
      let inputs = JSONWriter.lines(of: lost) { failure, json in
        json.members(["scope": "input", "outcome": "lost"])
        failure.writeLost(to: &json)
      }
      try console.write(inputs)
      let others = JSONWriter.lines(of: unread) { log, json in
        json.member("scope", "input")
        log.write(to: &json)
      }
      try console.write(others)
    }
    try console.flush()
    return lost.isEmpty ? code : console.report(lost: lost)
  }

  private func print(_ parts: [LoggedPart], _ id: String, on console: Console) throws(Failure) {
    if console.settings.json {
      for part in parts { try console.write(JSONWriter.document { part.write(to: &$0) }) }
      return
    }
    try console.print(console.heading("\(id.visible): \(NumberFormat.count(parts.count, "part"))"))
    if parts.isEmpty { return }
    let lines = HistoryText.lines(
      of: parts, width: console.resultWidth, heading: console.heading, bad: console.bad)
    for line in lines { try console.print(line) }
  }

  private func printState(
    of key: String?, on console: Console, _ control: JobControl
  ) throws(Failure) -> ExitCode {
    let job = InspectJob(output, control: control)
    let write: (ByteView) throws(Failure) -> Void = { line throws(Failure) in
      try console.write(line)
      try console.endIfClosed()
    }
    var isKnown = true
    try console.untilClosed { () throws(Failure) in
      if let key { isKnown = try job.run(key: key, write) } else { try job.run(write) }
    }
    guard let key, !isKnown else { return .done }
    try report("the state of \(output) does not know \(key)", key, on: console)
    return .failed
  }
}

extension ProfileLookup.Outcome {
  /// The profile, and the installation that was requested; nil when nothing is published.
  fileprivate var published: (JSONValue, String?)? {
    guard case .profile(let profile, let installation) = self else { return nil }
    return (profile, installation)
  }
}

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
