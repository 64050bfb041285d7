package import Pipeline
package import Stages

/// What is known about how to read some lines (`mapping infer`): a dialect, a built-in mapping, or
/// a mapping each of whose choices the lines support.
package struct MappingProposal: Sendable {
  package struct Choice: Sendable {
    /// The field of a mapping.
    package let field: String
    package let path: String
    /// 0 to 100: from how usual the name is for the field, and from the values.
    package let certainty: Int
    package let why: String
  }

  /// How the lines are read without another mapping.
  package enum Known: Sendable {
    case dialect(Dialect)
    case builtIn(BuiltInMapping)
  }

  /// Nil if they need a mapping.
  package private(set) var known: Known?
  /// The choices, in the order of the fields of a mapping.
  package private(set) var choices: [Choice] = []
  /// What the lines do not show; the proposal is one only without any.
  package private(set) var missing: [String] = []
  /// Number of lines read.
  package let lines: Int

  private let survey: PathSurvey
  /// What the events are.
  private var items = 0
  /// The chosen paths, by the field of a mapping.
  private var paths: [String: PathSurvey.Path] = [:]

  /// `beginning` is the first lines of those in `survey`.
  init(_ survey: PathSurvey, _ beginning: ByteView) {
    self.survey = survey
    lines = survey.lines
    guard lines > 0 else {
      missing = ["JSON object"]
      return
    }
    let trial = FittingMapping.Trial(Mappings(), beginning)
    if trial.isGood, let dialect = trial.dialect {
      known = .dialect(dialect)
    } else if let mapping = FittingMapping.of(beginning) {
      known = .builtIn(mapping)
    } else {
      choose()
      if missing.isEmpty, !isGood(for: beginning) { missing = ["mapping that reads most lines"] }
    }
  }

  /// Whether the mapping accepts at least half of the lines.
  private func isGood(for beginning: ByteView) -> Bool {
    var mappings = Mappings()
    let text = text(dialect: "unnamed")
    guard (try? mappings.add(text.view)) != nil else { return false }
    mappings.seal()
    return FittingMapping.Trial(mappings, beginning).isGood
  }

  // MARK: - Choices

  /// Chooses paths for lines as events, or else for the items of a list in them: for the first of
  /// these that show everything, with different names of events if possible.
  private mutating func choose() {
    var best: (missing: Int, isUniform: Bool, proposal: MappingProposal)?
    for (number, items) in survey.items.enumerated() where items.count * 2 >= lines {
      var other = self
      other.items = number
      other.chooseFields()
      let isUniform = other.paths["name"]?.differentValues == 1
      let count = other.missing.count
      if best.map({ count < $0.missing || count == $0.missing && $0.isUniform && !isUniform })
        ?? true
      {
        best = (count, isUniform, other)
      }
    }
    if let best { self = best.proposal }
  }

  private mutating func chooseFields() {
    let time = best(.time) { path in
      // A few values of another form are tolerated.
      let most = path.times.max() ?? 0
      return most > 0 && most * 20 >= path.count * 19 && share(path) >= 0.9
    }
    add("time", time, ifMissing: "time") { path in
      let form = PathSurvey.timeForms[path.timeForm]
      return form.unit == nil ? "texts that are times" : "numbers that are times in \(form.name)"
    }
    let name = best(.name) { path in
      path.texts == path.count && share(path) >= 0.9 && path.times.max() == 0
        && !path.hasMoreValues && path.items == items
        && (path.differentValues * 2 <= path.count
          || UsualNames.name.fit(path.names) >= UsualNames.certain)
    }
    add("name", name, ifMissing: "name with few values", Self.values)
    for (field, names) in [("custom_id", UsualNames.person), ("installation_id", .installation)] {
      let id = best(names) { path in
        path.isScalar && !path.isUnique
          && (path.integers == 0 || path.names.last?.lowercased().hasSuffix("id") ?? false)
      }
      add(field, id, Self.values)
    }
    if paths["custom_id"] == nil, paths["installation_id"] == nil {
      missing.append("id that is seen again")
    }
    let id = best(.event) { path in
      path.isScalar && path.isUnique && share(path) >= 0.9 && path.items == items
    }
    add("id", id) { _ in "a different value in each" }
    let attributes = best(.attributes) { path in
      path.objects == path.count && path.items == items
        && path.names.count == survey.items[items].names.count + 1
    }
    add("attributes", attributes) { _ in "objects with fields" }
    choices.sort { Self.order($0) < Self.order($1) }
  }

  private static let fields = ["custom_id", "installation_id", "id", "time", "name", "attributes"]
  private static func order(_ choice: Choice) -> Int { fields.firstIndex(of: choice.field) ?? 0 }

  /// The part of the items of a path that have it.
  private func share(_ path: PathSurvey.Path) -> Double {
    Double(path.count) / Double(survey.items[path.items].count)
  }

  /// Whether an event has the values of the path: it is in the items of events, or around them.
  private func isVisible(_ path: PathSurvey.Path) -> Bool {
    var around = items
    while around != path.items, around != 0 { around = survey.items[around].outer }
    return around == path.items
  }

  /// The path with the highest score of those that suit and that no other field has. Each further
  /// step lowers the score. Of equals the first is used.
  private func best(
    _ names: UsualNames, where suits: (PathSurvey.Path) -> Bool
  ) -> (path: PathSurvey.Path, score: Double)? {
    let taken = paths.values.map(\.names)
    var best: (path: PathSurvey.Path, score: Double)?
    for path in survey.paths where isVisible(path) && suits(path) && !taken.contains(path.names) {
      var fit = names.fit(path.names)
      // Times in the order of the lines are those of events, whatever their name.
      if names == .time, path.inOrder * 10 >= path.count * 9, !path.isConstant { fit += 0.1 }
      guard fit > 0 else { continue }
      let score =
        0.7 * fit + 0.2 * share(path) + (path.isConstant ? 0 : 0.1)
        - 0.03 * Double(path.names.count - 1)
      if score > best?.score ?? 0 { best = (path, score) }
    }
    return best
  }

  private mutating func add(
    _ field: String, _ found: (path: PathSurvey.Path, score: Double)?, ifMissing: String? = nil,
    _ why: (PathSurvey.Path) -> String
  ) {
    guard let (path, score) = found else { return missing += ifMissing.map { [$0] } ?? [] }
    paths[field] = path
    choices.append(
      Choice(
        field: field, path: path.pointer, certainty: min(99, max(1, Int(score * 100))),
        why: why(path)))
  }

  private static func values(_ path: PathSurvey.Path) -> String {
    (path.hasMoreValues ? "more than " : "")
      + NumberFormat.count(path.differentValues, "different value") + " in "
      + NumberFormat.grouped(path.count)
  }

  // MARK: - As a mapping

  /// The mapping as text for editing, or as one line; empty if there is none.
  package func text(dialect: String, isOneLine: Bool = false) -> ByteBuffer {
    guard case nil = known, missing.isEmpty, lines > 0 else {
      guard case .builtIn(let mapping) = known else { return ByteBuffer() }
      return Self.text(String(decoding: mapping.text, as: UTF8.self), isOneLine)
    }
    let list = survey.items[items].names
    func path(_ field: String) -> String? {
      paths[field].map { path in
        let unit = PathSurvey.timeForms[path.timeForm]
        let text = path.pointer.jsonText
        return field == "time" && unit.unit != nil && unit.unit != .milliseconds
          ? "{\"path\": \(text), \"unit\": \(unit.name.jsonText)}" : text
      }
    }
    let match =
      list.isEmpty ? ["name", "time"].compactMap { paths[$0]?.pointer } : [unrolled(list)]
    let head = [
      "\"eventmill_mapping\": 1", "\"dialect\": \(dialect.jsonText)",
      "\"match\": [\(match.map { "{\"path\": \($0.jsonText)}" }.joined(separator: ", "))]",
    ]
    let unroll = list.isEmpty ? [] : ["\"unroll\": \(unrolled(list).jsonText)"]
    let fields = Self.fields.compactMap { field in
      (path(field) ?? (field == "attributes" ? list.pointer.jsonText : nil)).map {
        "\"\(field)\": \($0)"
      }
    }
    let kind = (unroll + fields).map { "      \($0)" }.joined(separator: ",\n")
    let text =
      "{\n" + head.map { "  \($0),\n" }.joined() + "  \"lines\": [\n    {\n\(kind)\n    }\n  ]\n}\n"
    return Self.text(text, isOneLine)
  }

  private static func text(_ mapping: String, _ isOneLine: Bool) -> ByteBuffer {
    ByteBuffer(
      text: isOneLine
        ? mapping.split(separator: "\n").map { $0.drop { $0 == " " } }.joined() : mapping)
  }

  /// The path of the list with these items.
  private func unrolled(_ items: [String]) -> String { items.dropLast().map { $0 }.pointer }
}

extension [String] {
  /// The steps as a JSON Pointer.
  fileprivate var pointer: String { map(JSONPointer.step).joined() }
}

extension PathSurvey.Path {
  fileprivate var pointer: String { names.pointer }
  fileprivate var isConstant: Bool { differentValues == 1 && !hasMoreValues }
  /// The form of most of its times.
  fileprivate var timeForm: Int { times.firstIndex(of: times.max() ?? 0) ?? 0 }
}
