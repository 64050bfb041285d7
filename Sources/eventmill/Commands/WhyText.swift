import Jobs
import Pipeline

/// The reasons for the values of a profile, for people (`eventmill inspect --why`).
struct WhyText {
  /// Statements shown of each value; `--json` has all of them.
  private static let mostShown = 6
  /// Characters of a value that are shown.
  private static let longestValue = 60

  private let heading: (String) -> String
  private var lines: [String] = []

  /// The lines of `answer`.
  static func lines(of answer: WhyAnswer, heading: @escaping (String) -> String) -> [String] {
    var text = WhyText(heading: heading)
    text.write(answer)
    return text.lines
  }

  private init(heading: @escaping (String) -> String) { self.heading = heading }

  private mutating func write(_ answer: WhyAnswer) {
    let kind = answer.profile["kind"]?.text ?? "profile"
    lines.append(heading("\(kind) \((answer.profile["id"]?.text ?? "").visible)"))
    let asked = answer.installation.map { "install:\($0)" }
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
        write(register.statements)
      }
    }
    guard !answer.marks.isEmpty else { return }
    lines += ["", heading("clears and erase marks (\(NumberFormat.grouped(answer.marks.count)))")]
    write(answer.marks)
  }

  private mutating func write(_ statements: [WhyAnswer.Judged]) {
    var table = TextTable(
      ["    ", "", "", "", "", ""].map { ($0, .left) })
    for statement in statements.prefix(Self.mostShown) {
      let count = statement.count.map { $0 > 1 ? ", the last of \(NumberFormat.grouped($0))" : "" }
      let value = statement.value.map { " \(Self.short($0))" } ?? ""
      let repeated = statement.isDuplicate ? ["a duplicate"] : []
      table.add([
        "    \(statement.outcome.rawValue)", statement.time.map(ProfileText.shown) ?? "no time",
        "\(statement.kind)\(value)\(count ?? "")", statement.key.visible,
        statement.site.map(Self.text) ?? "in the state",
        ((statement.why.isEmpty ? [] : [statement.why]) + repeated).joined(separator: "; "),
      ])
    }
    lines += table.lines().dropFirst().map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
    let more = statements.count - Self.mostShown
    if more > 0 { lines.append("    … and \(NumberFormat.grouped(more)) more (--json has all)") }
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
