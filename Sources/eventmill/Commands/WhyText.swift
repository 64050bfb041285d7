import Jobs
import Pipeline

/// The reasons for the values of a profile, for people (`eventmill inspect --why`).
struct WhyText {
  private static let mostShown = 6
  private static let longestValue = 60

  let heading: (String) -> String

  func lines(of answer: WhyAnswer) -> [String] {
    let kind = answer.profile["kind"]?.text ?? "profile"
    let asked = answer.installation.map { "install:\($0)" }
    var lines = [heading("\(kind) \((answer.profile["id"]?.text ?? "").visible)")]
    for (title, registers) in [
      ("installations", answer.links), ("attributes", answer.attributes),
      ("events", answer.events), ("other fields", answer.fields),
    ] where !registers.isEmpty {
      lines += ["", heading("\(title) (\(NumberFormat.grouped(registers.count)))")]
      for register in registers {
        let value = register.published.map(Self.short) ?? "not published"
        let isAsked = register.name == asked ? " (asked for)" : ""
        let arrow = title == "installations" && register.published != nil ? "→ " : ""
        lines.append("  \(register.name.visible)\(isAsked)  \(arrow)\(value)")
        lines += Self.lines(of: register.statements)
      }
    }
    if answer.marks.isEmpty { return lines }
    let marks = "clears and erase marks (\(NumberFormat.grouped(answer.marks.count)))"
    return lines + ["", heading(marks)] + Self.lines(of: answer.marks)
  }

  private static func lines(of statements: [WhyAnswer.Judged]) -> [String] {
    let table = TextTable(
      of: statements.prefix(mostShown),
      [
        .text("    ") { "    \($0.outcome.rawValue)" },
        .text("") { $0.time.map(InspectText.shown) ?? "no time" },
        .text("") { statement in
          let count = statement.count ?? 0
          return statement.kind + (statement.value.map { " \(short($0))" } ?? "")
            + (count > 1 ? ", the last of \(NumberFormat.grouped(count))" : "")
        }, .text("", \.key.visible), .text("") { $0.site.map(text) ?? "in the state" },
        .text("") { statement in
          [statement.why, statement.isDuplicate ? "a duplicate" : ""].filter { !$0.isEmpty }
            .joined(separator: "; ")
        },
      ])
    let more = statements.count - mostShown
    return table.lines().dropFirst().map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    } + (more > 0 ? ["    … and \(NumberFormat.grouped(more)) more (--json has all)"] : [])
  }

  static func text(_ site: LogSite) -> String {
    "\(site.source.visible):\(site.line) (offset \(site.offset))"
  }

  private static func short(_ value: String) -> String {
    let text = value.visible
    return text.count > longestValue ? "\(text.prefix(longestValue - 1))…" : text
  }
}

extension WhyAnswer {
  /// Writes the answer as fields of the object that is open (docs/reference/file-formats.md).
  func write(to json: inout JSONWriter) {
    json.members(["kind": profile["kind"]?.text ?? "", "id": profile["id"]?.text ?? ""])
    if let installation { json.member("asked_for", installation) }
    json.array("keys", of: keys)
    Self.write("installations", links, to: &json)
    Self.write("attributes", attributes, to: &json)
    Self.write("events", events, to: &json)
    Self.write("fields", fields, to: &json)
    json.objects("marks", of: marks) { $0.write(to: &$1) }
    if !lost.isEmpty { json.objects("lost", of: lost) { $0.writeLost(to: &$1) } }
    if !unread.isEmpty { json.objects("unread", of: unread) { $0.write(to: &$1) } }
  }

  private static func write(
    _ name: StaticString, _ registers: [Register], to json: inout JSONWriter
  ) {
    json.objects(name, of: registers) { register, json in
      json.member("name", register.name)
      if let published = register.published {
        json.member("published") { $0.append(text: published) }
      }
      json.objects("statements", of: register.statements) { $0.write(to: &$1) }
    }
  }
}

extension WhyAnswer.Judged {
  fileprivate func write(to json: inout JSONWriter) {
    json.members(["outcome": outcome.rawValue, "kind": kind, "key": key])
    if let time { json.member("time", Timestamp.text(time)) }
    if let value { json.member("value") { $0.append(text: value) } }
    if let count { json.member("count", count) }
    if isDuplicate { json.member("duplicate", true) }
    site?.write(to: &json)
    if !why.isEmpty { json.member("why", why) }
  }
}

extension Failure {
  func writeLost(to json: inout JSONWriter) {
    json.members(["source": path ?? "", "offset": offset ?? 0, "why": why])
  }
}

extension LogSite {
  func write(to json: inout JSONWriter) {
    json.members(["source": source, "line": line, "offset": offset])
  }
}

/// The statements of logs about a person, for people (`eventmill inspect --history`).
enum HistoryText {
  static func lines(
    of parts: [LoggedPart], width: Int?, heading: (String) -> String, bad: (String) -> String
  ) -> [String] {
    let table = TextTable(
      of: parts,
      [
        .text("time") { $0.time.map(InspectText.shown) }, .text("what", \.words.visible),
        .text("outcome", \.outcome), .text("night", \.night?.visible),
        .location("where") { "\($0.site.source.visible):\($0.site.line)" },
      ], bad: { ["rejected", "refused", "unread"].contains($0.outcome) ? [2] : [] })
    let rows = table.lines(width: width, heading: heading, bad: bad)
    return [rows[0]]
      + zip(rows.dropFirst(), parts).flatMap { row, part in
        [row] + reasons(of: part).map { "    \($0.visible)" }
      }
  }

  private static func reasons(of part: LoggedPart) -> [String] {
    let text = ByteBuffer(text: part.reasons)
    let items = (try? JSONDocument(text.view))?.root.items ?? []
    return items.map { reason in
      let path = reason["path"]?.text ?? ""
      return (reason["code"]?.text ?? "") + (path.isEmpty ? "" : " at \(path)")
        + (reason["message"]?.text.map { ": \($0)" } ?? "")
    }
  }
}

extension LoggedPart {
  private static let longestValue = 40

  fileprivate var words: String {
    switch subject {
    case .line: "line"
    case .event(_, let name): "event \(name)"
    case .operation(_, let key): key == "*" ? "clear" : "operation \(key)\(shownValue)"
    case .link(let installation, let person): "link of \(installation) to \(person)"
    }
  }

  private var shownValue: String {
    if value.isEmpty { return "" }
    return " = \(value.prefix(Self.longestValue))\(value.count > Self.longestValue ? "…" : "")"
  }

  /// Writes the part as fields of the object that is open (docs/reference/file-formats.md).
  func write(to json: inout JSONWriter) {
    if let time { json.member("time", Timestamp.text(time)) }
    site.write(to: &json)
    if let dialect { json.member("dialect", dialect) }
    if let key { json.member("key", key) }
    switch subject {
    case .line: json.member("scope", "line")
    case .event(let index, let name):
      json.members(["scope": "event", "index": index, "name": name])
    case .operation(let index, let name):
      json.members(["scope": "operation", "index": index, "name": name])
    case .link(let installation, let person):
      json.members(["scope": "link", "installation": installation, "custom_id": person])
    }
    json.member("outcome", outcome)
    if let night { json.member("night", night) }
    if !reasons.isEmpty { json.member("reasons") { $0.append(text: reasons) } }
    if !value.isEmpty { json.member("value") { $0.append(text: value) } }
  }
}

extension UnreadLog {
  func write(to json: inout JSONWriter) {
    json.members(["source": path, "outcome": outcome])
    if let copied { json.member("as", copied) }
    if firstLine > 1 { json.member("from_line", firstLine) }
  }

  /// The note on logs that `output` was made without; nil without any.
  static func note(on logs: [UnreadLog], of output: String) -> String? {
    guard let first = logs.first else { return nil }
    let some = logs.count > 1 ? "\(NumberFormat.grouped(logs.count)) of these logs, such as " : ""
    return "\(output) was made without \(some)\(first.path): "
      + (first.copied.map { "it has the content of \($0)" }
        ?? (first.firstLine > 1
          ? "it has grown since, by line \(first.firstLine) and what follows"
          : "it is not among the inputs, or has changed since"))
  }
}
