import Jobs
import Pipeline

/// The statements of logs about a person, in order of time, for people (`eventmill inspect
/// --history`).
enum HistoryText {
  /// The lines about the parts, with tables of at most `width` columns.
  static func lines(
    of parts: [LoggedPart], width: Int?, heading: (String) -> String, bad: (String) -> String
  ) -> [String] {
    let table = TextTable(
      of: parts,
      [
        .text("time") { $0.time.map(ProfileText.shown) }, .text("what", \.words.visible),
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
  /// Characters of a value that are shown.
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
}

extension UnreadLog {
  /// Writes the log as fields of the object that is open.
  func write(to json: inout JSONWriter) {
    json.members(["source": path, "outcome": outcome])
    if let copied { json.member("as", copied) }
    if firstLine > 1 { json.member("from_line", firstLine) }
  }

  /// What a user should know about the logs that the output `output` was made without; nil without
  /// any.
  static func note(on logs: [UnreadLog], of output: String) -> String? {
    guard let first = logs.first else { return nil }
    let some =
      logs.count > 1 ? "\(NumberFormat.grouped(logs.count)) of these logs, such as " : ""
    return "\(output) was made without \(some)\(first.path): "
      + (first.copied.map { "it has the content of \($0)" }
        ?? (first.firstLine > 1
          ? "it has grown since, by line \(first.firstLine) and what follows"
          : "it is not among the inputs, or has changed since"))
  }
}

extension LoggedPart {
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
