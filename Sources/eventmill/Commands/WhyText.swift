import Jobs
import Pipeline

/// The reasons for the values of a profile, for people (`eventmill inspect --why`).
struct WhyText {
  /// Statements shown of each value; `--json` has all of them.
  private static let mostShown = 6
  /// Characters of a value that are shown.
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
        .text("") { $0.time.map(ProfileText.shown) ?? "no time" },
        .text("") { statement in
          let count = statement.count ?? 0
          return statement.kind + (statement.value.map { " \(short($0))" } ?? "")
            + (count > 1 ? ", the last of \(NumberFormat.grouped(count))" : "")
        },
        .text("", \.key.visible), .text("") { $0.site.map(text) ?? "in the state" },
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

  /// The position of a line of a log, in the form of editors.
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
  /// Writes what was lost of a log, and why, as fields of the object that is open.
  func writeLost(to json: inout JSONWriter) {
    json.members(["source": path ?? "", "offset": offset ?? 0, "why": why])
  }
}

extension LogSite {
  /// Writes the site as fields of the object that is open.
  func write(to json: inout JSONWriter) {
    json.members(["source": source, "line": line, "offset": offset])
  }
}
