package import Pipeline

/// A mapping proposed for some lines, with the certainty of each choice (`mapping infer`).
package struct MappingProposal: Sendable {
  package struct Choice: Sendable {
    /// The field of a mapping.
    package let field: String
    package let path: String
    /// 0 to 100: from the share of the lines with a suitable value at the path, and from how usual
    /// its name is for the field.
    package let certainty: Int
    package let why: String
  }

  /// The choices, in the order of the fields of a mapping.
  package private(set) var choices: [Choice] = []
  /// Required fields without a suitable path.
  package private(set) var missing: [String] = []
  /// Number of lines read.
  package let lines: Int

  private let survey: PathSurvey
  /// The chosen paths, by the field of a mapping.
  private var paths: [String: PathSurvey.Path] = [:]
  private var timeForm = PathSurvey.TimeForm.text

  /// Usual names of fields, the most certain first.
  private enum Usual {
    static let name = [
      "event_name", "event", "event_type", "eventname", "eventtype", "action", "activity", "name",
      "type", "verb", "kind",
    ]
    static let time = [
      "timestamp", "event_time", "event_timestamp", "time", "ts", "occurred_at", "created_at",
      "date", "at", "created",
    ]
    static let id = [
      "event_id", "message_id", "insert_id", "uuid", "id", "eventid", "messageid", "guid", "_id",
    ]
    static let customID = [
      "user_id", "userid", "customer_id", "custom_id", "account_id", "member_id", "distinct_id",
      "uid", "user", "customer", "player_id", "login", "username",
    ]
    static let installationID = [
      "device_id", "installation_id", "install_id", "anonymous_id", "client_id", "visitor_id",
      "deviceid", "anonymousid", "cookie_id", "user_pseudo_id", "session_id",
    ]
    static let attributes = [
      "properties", "attributes", "event_properties", "params", "data", "payload", "props",
      "fields", "context",
    ]
  }

  init(_ survey: PathSurvey) {
    self.survey = survey
    lines = survey.lines
    addTime()
    addName()
    let id = best(Usual.id, (0.5, 0.5)) { path in
      Self.isScalar(path) && share(path.lines) > 0.5
        && (path.hasMoreValues || path.differentValues == path.lines)
    }
    add("id", id) { _ in "a different value in every line" }
    add("custom_id", best(Usual.customID, (0.3, 0.7), where: Self.isScalar), Self.values)
    add(
      "installation_id", best(Usual.installationID, (0.3, 0.7), where: Self.isScalar), Self.values)
    if paths["custom_id"] == nil, paths["installation_id"] == nil { missing.append("custom_id") }
    let attributes = best(Usual.attributes, (0.4, 0.6)) { path in
      path.objects == path.lines && path.names.count == 1
    }
    add("attributes", attributes) { _ in "objects with fields" }
  }

  // MARK: - Choices

  /// How well a name matches a list of usual ones: 1 for the first, less for later ones, 0 for
  /// others.
  private static func fit(_ path: PathSurvey.Path, _ usual: [String]) -> Double {
    let name = folded(path.names.last ?? "")
    guard let rank = usual.firstIndex(where: { folded($0) == name }) else { return 0 }
    return 1 - Double(rank) / Double(2 * usual.count)
  }

  private static func folded(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  private func share(_ count: Int) -> Double { lines == 0 ? 0 : Double(count) / Double(lines) }

  /// The path with the highest score above 0. Each further level lowers the score. Of equals the
  /// first is used.
  private func best(
    _ score: (PathSurvey.Path) -> Double
  ) -> (path: PathSurvey.Path, score: Double)? {
    var best: (path: PathSurvey.Path, score: Double)?
    for path in survey.paths {
      let value = score(path) - Double(path.names.count - 1) * 0.05
      if value > best?.score ?? 0 { best = (path, value) }
    }
    return best
  }

  /// The best path with a usual name that nothing else uses.
  private func best(
    _ usual: [String], _ weights: (share: Double, fit: Double),
    where suits: (PathSurvey.Path) -> Bool
  ) -> (path: PathSurvey.Path, score: Double)? {
    let taken = paths.values.map(\.pointer)
    return best { path in
      let fit = Self.fit(path, usual)
      guard fit > 0, !taken.contains(path.pointer), suits(path) else { return 0 }
      return weights.share * share(path.lines) + weights.fit * fit
    }
  }

  private mutating func add(
    _ field: String, _ found: (path: PathSurvey.Path, score: Double)?,
    _ why: (PathSurvey.Path) -> String
  ) {
    guard let (path, score) = found else { return }
    paths[field] = path
    choices.append(
      Choice(
        field: field, path: path.pointer, certainty: min(99, max(1, Int(score * 100))),
        why: why(path)))
  }

  private mutating func addTime() {
    let found = best { path in
      let most = path.times.max() ?? 0
      // A few values of another form are tolerated.
      return most == 0 || share(most) < 0.5 || most * 20 < path.lines * 19
        ? 0 : 0.45 * share(most) + 0.55 * Self.fit(path, Usual.time)
    }
    guard let times = found?.path.times, let index = times.firstIndex(of: times.max() ?? 0) else {
      return missing.append("time")
    }
    let form = PathSurvey.TimeForm.allCases[index]
    timeForm = form
    add("time", found) { _ in
      form == .text ? "text that is a time" : "numbers that are \(form.rawValue) since 1970"
    }
  }

  private mutating func addName() {
    let found = best { path in
      guard path.texts == path.lines, share(path.lines) >= 0.5, !path.hasMoreValues,
        path.differentValues <= max(20, min(1_000, lines / 2)), path.times.max() == 0
      else { return 0 }
      let fit = Self.fit(path, Usual.name)
      return 0.3 * share(path.lines) + 0.6 * fit + (path.differentValues > 1 ? 0.1 : 0)
    }
    if found == nil { missing.append("name") }
    add("name", found) { "text with \(Self.values($0))" }
  }

  private static func isScalar(_ path: PathSurvey.Path) -> Bool {
    path.texts + path.integers == path.lines
  }

  private static func values(_ path: PathSurvey.Path) -> String {
    (path.hasMoreValues ? "more than " : "")
      + NumberFormat.count(path.differentValues, "different value")
  }

  // MARK: - As a mapping

  /// The mapping as text for editing, or as one line.
  package func text(dialect: String, isOneLine: Bool = false) -> ByteBuffer {
    // Fields of nearly every line. A few lines, such as heartbeats, may have another form.
    let usual = ["name", "time"].compactMap { paths[$0] }.filter { share($0.lines) >= 0.9 }
    let owner = [paths["custom_id"] ?? paths["installation_id"]].compactMap { $0 }
    let match = (usual.isEmpty ? owner : usual).map { "{\"path\": \($0.pointer.jsonText)}" }
    func text(_ field: String, else missing: String = "") -> String {
      (paths[field]?.pointer ?? missing).jsonText
    }
    let units = [PathSurvey.TimeForm.seconds: "s", .microseconds: "us", .nanoseconds: "ns"]
    let fields = ["custom_id", "installation_id", "id", "time"].filter { paths[$0] != nil }
      .map { field in
        let unit = field == "time" ? units[timeForm] : nil
        let path = unit.map { "{\"path\": \(text(field)), \"unit\": \"\($0)\"}" } ?? text(field)
        return "\n  \"\(field)\": \(path),"
      }
    let mapping = """
      {
        "eventmill_mapping": 1,
        "dialect": \(dialect.jsonText),
        "match": [\(match.joined(separator: ", "))],\(fields.joined())
        "lines": [
          {
            "name": \(text("name", else: "/name")),
            "attributes": \(text("attributes"))
          }
        ]
      }

      """
    guard isOneLine else { return ByteBuffer(text: mapping) }
    return ByteBuffer(text: mapping.split(separator: "\n").map { $0.drop { $0 == " " } }.joined())
  }
}
