package import Pipeline

/// A mapping proposed for some lines, with the certainty of each choice (`mapping infer`).
package struct MappingProposal: Sendable {
  /// The choice of a path.
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
  private var time: (path: PathSurvey.Path, form: PathSurvey.TimeForm)?
  private var name: PathSurvey.Path?
  private var id: PathSurvey.Path?
  private var customID: PathSurvey.Path?
  private var installationID: PathSurvey.Path?
  private var attributes: PathSurvey.Path?

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
    chooseTime()
    chooseName()
    chooseIDs()
    chooseAttributes()
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

  private mutating func add(
    _ field: String, _ path: PathSurvey.Path, _ score: Double, _ why: String
  ) {
    choices.append(
      Choice(
        field: field, path: path.pointer, certainty: min(99, max(1, Int(score * 100))), why: why))
  }

  private mutating func chooseTime() {
    let found = best { path in
      let most = path.times.max() ?? 0
      // A few values of another form are tolerated.
      return most == 0 || share(most) < 0.5 || most * 20 < path.lines * 19
        ? 0 : 0.45 * share(most) + 0.55 * Self.fit(path, Usual.time)
    }
    guard let found, let most = found.path.times.max(),
      let index = found.path.times.firstIndex(of: most)
    else {
      missing.append("time")
      return
    }
    let form = PathSurvey.TimeForm.allCases[index]
    time = (found.path, form)
    add(
      "time", found.path, found.score,
      form == .text ? "text that is a time" : "numbers that are \(form.rawValue) since 1970")
  }

  private mutating func chooseName() {
    let found = best { path in
      guard path.texts == path.lines, share(path.lines) >= 0.5, !path.hasMoreValues,
        path.differentValues <= max(20, min(1_000, lines / 2)), path.times.max() == 0
      else { return 0 }
      let fit = Self.fit(path, Usual.name)
      return 0.3 * share(path.lines) + 0.6 * fit + (path.differentValues > 1 ? 0.1 : 0)
    }
    guard let found else {
      missing.append("name")
      return
    }
    name = found.path
    add(
      "name", found.path, found.score,
      "text with \(Self.values(found.path))")
  }

  private mutating func chooseIDs() {
    let taken = [time?.path.pointer, name?.pointer]
    func isFree(_ path: PathSurvey.Path) -> Bool { !taken.contains(path.pointer) }
    if let found = best({ path in
      let fit = Self.fit(path, Usual.id)
      let isUnique = path.hasMoreValues || path.differentValues == path.lines
      return fit > 0 && isFree(path) && isUnique && path.texts + path.integers == path.lines
        && share(path.lines) > 0.5 ? 0.5 * share(path.lines) + 0.5 * fit : 0
    }) {
      id = found.path
      add("id", found.path, found.score, "a different value in every line")
    }
    let eventID = id?.pointer
    func owner(_ usual: [String]) -> (path: PathSurvey.Path, score: Double)? {
      best { path in
        let fit = Self.fit(path, usual)
        return fit > 0 && isFree(path) && path.pointer != eventID
          && path.texts + path.integers == path.lines
          ? 0.3 * share(path.lines) + 0.7 * fit : 0
      }
    }
    if let found = owner(Usual.customID) {
      customID = found.path
      add("custom_id", found.path, found.score, Self.values(found.path))
    }
    if let found = owner(Usual.installationID) {
      installationID = found.path
      add("installation_id", found.path, found.score, Self.values(found.path))
    }
    if customID == nil, installationID == nil { missing.append("custom_id") }
  }

  private static func values(_ path: PathSurvey.Path) -> String {
    (path.hasMoreValues ? "more than " : "")
      + NumberFormat.count(path.differentValues, "different value")
  }

  private mutating func chooseAttributes() {
    guard
      let found = best({ path in
        let fit = Self.fit(path, Usual.attributes)
        return fit > 0 && path.objects == path.lines && path.names.count == 1
          ? 0.4 * share(path.lines) + 0.6 * fit : 0
      })
    else { return }
    attributes = found.path
    add("attributes", found.path, found.score, "objects with fields")
  }

  // MARK: - As a mapping

  /// The mapping as text for editing, or as one line.
  package func text(dialect: String, isOneLine: Bool = false) -> ByteBuffer {
    // Fields of nearly every line. A few lines, such as heartbeats, may have another form.
    let match = [name, time?.path].compactMap { $0 }.filter { share($0.lines) >= 0.9 }
    let paths = (match.isEmpty ? [customID ?? installationID].compactMap { $0 } : match)
      .map { "{\"path\": \($0.pointer.jsonText)}" }
    let fields = [
      ("custom_id", customID?.pointer.jsonText),
      ("installation_id", installationID?.pointer.jsonText), ("id", id?.pointer.jsonText),
      ("time", time.map(Self.time)),
    ].compactMap { field, value in value.map { "\n  \"\(field)\": \($0)," } }
    let text = """
      {
        "eventmill_mapping": 1,
        "dialect": \(dialect.jsonText),
        "match": [\(paths.joined(separator: ", "))],\(fields.joined())
        "lines": [
          {
            "name": \((name?.pointer ?? "/name").jsonText),
            "attributes": \((attributes?.pointer ?? "").jsonText)
          }
        ]
      }

      """
    guard isOneLine else { return ByteBuffer(text: text) }
    return ByteBuffer(text: text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined())
  }

  private static func time(_ path: PathSurvey.Path, _ form: PathSurvey.TimeForm) -> String {
    let units = [PathSurvey.TimeForm.seconds: "s", .microseconds: "us", .nanoseconds: "ns"]
    guard let unit = units[form] else { return path.pointer.jsonText }
    return "{\"path\": \(path.pointer.jsonText), \"unit\": \"\(unit)\"}"
  }
}
