import TestSupport

/// A mapping read by plain rules (docs/guides/mapping.md): each value is searched for in the parsed
/// line when a rule asks for it. The reference for `MappedReading`, and so for `PlannedReader`.
///
/// Left out, as ``RandomMappings`` does not have them: `batch`, native keys and changes of lists in
/// profiles, `{"$date":…}` and `{"$oid":…}`, words of `nobody` that are UUIDs, repeated fields,
/// more than 20 attributes, and other policies than the default. Of unrolled lists the losses
/// around the items are left out, too.
struct NaiveMapping {
  /// What becomes of a line: canonical records, and, sorted, the codes of reasons and the losses as
  /// `CODE PATH`.
  struct Outcome: Equatable {
    var records: [String] = []
    var reasons: [String] = []
    var losses: [String] = []
    /// The items to which the losses belong, each told once; nil if those of the whole line are
    /// known.
    var items: [String]?
  }

  let mapping: NaiveJSON
  /// What a field becomes as an attribute of any foreign event.
  let foreign: (_ name: String, _ value: NaiveJSON) -> NaiveForeignField

  private var kinds: [NaiveKind] {
    mapping.each("lines").map { NaiveKind(mapping: mapping, kind: $0, foreign: foreign) }
  }

  /// What becomes of the line; nil if the mapping does not describe it.
  func read(_ text: NaiveJSON) -> Outcome? {
    let kinds = kinds
    let line = NaiveFound(
      value: kinds.flatMap(\.jsonPaths).reduce(text) { $0.parsingText(at: $1.steps[...]) })
    guard NaiveReading(kinds[0], kinds, line).holds(mapping.each("match")) else { return nil }
    for kind in kinds {
      let reading = NaiveReading(kind, kinds, line)
      guard let list = kind["unroll"]?.text else {
        if reading.holds(kind.each("when")) { return reading.outcome() }
        continue
      }
      // Conditions on items are for the list, those on the line for the kind.
      let first = list.steps.prefix { $0 != "*" }
      let isInside = { (one: NaiveJSON) in one.pointers[0].steps.starts(with: first + ["*"]) }
      let isOfItems = kind.each("when").contains(where: isInside)
      if reading.holds(kind.each("when").filter { !isInside($0) }),
        !isOfItems || !line.find(first).isEmpty
      {
        return NaiveList(path: list, kinds: kinds, line: line).outcome()
      }
    }
    return Outcome(reasons: ["unmapped_line"])
  }
}

/// A kind of lines, with what it has from the mapping around it.
struct NaiveKind {
  let mapping: NaiveJSON
  let kind: NaiveJSON
  let foreign: (_ name: String, _ value: NaiveJSON) -> NaiveForeignField

  subscript(name: String) -> NaiveJSON? {
    let isShared = ["custom_id", "installation_id", "id", "time", "untimed", "lost"].contains(name)
    return kind[name] ?? (isShared ? mapping[name] : nil)
  }

  func each(_ name: String) -> [NaiveJSON] { self[name]?.oneOrMore ?? [] }

  var action: String { self["as"]?.text ?? "event" }

  /// What names attributes: the kind, and its `profile`.
  private var blocks: [NaiveJSON] { [kind] + kind.each("profile") }

  private var attributes: [NaiveJSON] {
    blocks.flatMap { block in
      block.each("attributes") + block.each("opted_out")
        + (block["fields"]?.names ?? []).flatMap { block["fields"]?.each($0) ?? [] }
    }
  }

  var jsonPaths: [String] { attributes.filter { $0["type"]?.text == "json" }.flatMap(\.pointers) }

  /// The ids that are values of pairs.
  var idPairs: [NaiveJSON] {
    ["custom_id", "installation_id"].flatMap(each).filter { $0["key"] != nil }
  }

  /// The candidates for the name, up to a constant.
  var names: ArraySlice<NaiveJSON> {
    let names = each("name")
    return names[...(names.firstIndex { $0["constant"] != nil } ?? names.count - 1)]
  }

  /// The paths that this kind knows, beside others of the same mapping.
  func known(among kinds: [NaiveKind]) -> NaiveKnown {
    var known = NaiveKnown()
    let objects = blocks.flatMap { $0.each("attributes") }.filter { $0["keys"] == nil }
    let values = ["custom_id", "installation_id", "id", "time"].flatMap(each) + names
    let gone = mapping.each("drop") + kind.each("drop") + each("lost")
    known.add(idPairs, .pairs)
    known.add(attributes.flatMap { $0.each("keys") }, .list)
    known.add(attributes.flatMap { $0.each("values") }, .value)
    known.add(
      (values + attributes + each("unroll")).filter {
        !objects.contains($0) && !idPairs.contains($0) && $0["keys"] == nil
      }, .value)
    known.add(objects, .object)
    known.add(gone, .gone)
    known.add(mapping.each("match") + each("when"), .condition)
    for kind in kinds {
      known.add(kind.each("when"), .otherCondition)
      known.add(kind.jsonPaths.map { .string($0) }, .passage)
    }
    return known
  }
}

/// Paths below one place, with what reads them.
struct NaiveKnown {
  enum Role { case value, object, pairs, list, gone, condition, otherCondition, passage }

  private var paths: [(steps: ArraySlice<String>, role: Role)] = []

  mutating func add(_ parts: [NaiveJSON], _ role: Role) {
    paths += parts.flatMap(\.pointers).map { ($0.steps[...], role) }
  }

  /// What reads the place itself.
  var roles: Set<Role> { Set(paths.filter(\.steps.isEmpty).map(\.role)).subtracting([.passage]) }
  /// Whether the place itself is read, or left out, with everything in it.
  var isRead: Bool { !roles.isDisjoint(with: [.value, .object, .gone]) }
  /// Whether something in it is, or it is if it is a list.
  var isReadInside: Bool {
    paths.contains { path in
      !path.steps.isEmpty && [.value, .object, .gone].contains(path.role)
        || [.pairs, .list].contains(path.role)
    }
  }
  /// Only what is read inside of the place.
  var inside: NaiveKnown {
    var known = self
    known.paths.removeAll(where: \.steps.isEmpty)
    return known
  }
  var steps: Set<String> { Set(paths.compactMap(\.steps.first)) }

  /// What is known of the field or item at a step; nil if no path goes there.
  subscript(place: String) -> NaiveKnown? {
    let below = self.below(1) { NaiveFound.matches($0[0], place) }
    return below.paths.isEmpty ? nil : below
  }

  /// What is known below a path of the mapping itself.
  func below(_ path: [String]) -> NaiveKnown { below(path.count) { $0.starts(with: path) } }

  private func below(_ count: Int, _ isAbove: ([String]) -> Bool) -> NaiveKnown {
    var known = NaiveKnown()
    known.paths = paths.filter { $0.steps.count >= count && isAbove(Array($0.steps)) }
      .map { ($0.steps.dropFirst(count), $0.role) }
    return known
  }
}

/// A value of a line, and the fields and items (`[N]`) on the way to it.
struct NaiveFound {
  var steps: [String] = []
  var value: NaiveJSON

  /// The name of the last field on the way.
  var name: String { steps.last { $0.first != "[" } ?? "" }
  var path: String { Self.path(steps) }
  var items: [NaiveFound]? { if case .array = value { children } else { nil } }
  var isObject: Bool { if case .object = value { true } else { false } }

  var children: [NaiveFound] {
    switch value {
    case .object(let fields): fields.map { .init(steps: steps + [$0.name], value: $0.value) }
    case .array(let items):
      items.enumerated().map { .init(steps: steps + ["[\($0)]"], value: $1) }
    default: []
    }
  }

  /// The values at a path below this one, except null, in the order of the line.
  func find(_ path: ArraySlice<String>) -> [NaiveFound] {
    guard let step = path.first else { return value == .null ? [] : [self] }
    return children.filter { Self.matches(step, $0.steps.last ?? "") }
      .flatMap { $0.find(path.dropFirst()) }
  }

  func find(_ pointer: String) -> [NaiveFound] { find(pointer.steps[...]) }

  /// Whether a step of a path names this field or item.
  static func matches(_ step: String, _ place: String) -> Bool {
    step == place || place.first == "[" && (step == "*" || "[\(step)]" == place)
  }

  static func path(_ steps: [String]) -> String {
    steps.reduce("") { $1.first == "[" || $0.isEmpty ? $0 + $1 : "\($0).\($1)" }
  }
}

/// A line with a list whose items are events or changes.
struct NaiveList {
  let path: String
  let kinds: [NaiveKind]
  let line: NaiveFound

  private var steps: [String] { path.steps + ["*"] }
  private var readers: [NaiveKind] { kinds.filter { $0["unroll"]?.text == path } }

  func outcome() -> NaiveMapping.Outcome {
    var outcome = NaiveMapping.Outcome(items: [])
    var records: [NaiveJSON] = []
    var number = 0
    let items = items(path.steps[...], line)
    if items.isEmpty { outcome.reasons = ["empty_record"] }
    for (item, fault) in items {
      let reading = fault == nil ? reading(of: item) : nil
      let isEvent = reading.map { $0.kind.action == "event" } ?? true
      outcome.reasons += reading.map { $0.read() } ?? [fault ?? "unmapped_line"]
      if let record = reading?.record { records.append(record) }
      if let reading, !reading.isRejected {
        outcome.items?.append(item.path)
        for (code, path) in reading.losses where path.isBelow(item.path) {
          let rest = path.dropFirst(item.path.count)
          outcome.losses.append("\(code) \(isEvent ? "events[\(number)]" + rest : path)")
        }
      }
      if isEvent { number += 1 }
    }
    outcome.reasons.sort()
    outcome.losses = Set(outcome.losses).sorted()
    if !areRecords, let ids = records.first?["identifiers"] {
      let events = records.flatMap { $0["events"]?.items ?? [] }
      records = [.record([("identifiers", ids), ("events", .array(events))])]
    }
    outcome.records = records.map { $0.compact() }
    return outcome
  }

  /// The items, or the faults where one or its list should be.
  private func items(
    _ path: ArraySlice<String>, _ found: NaiveFound
  ) -> [(NaiveFound, fault: String?)] {
    let isInside = found.steps.last?.first == "["
    if let step = path.first, step != "*" {
      if isInside, !found.isObject { return [(found, "wrong_type")] }
      return found.children.filter { NaiveFound.matches(step, $0.steps.last ?? "") }
        .flatMap { items(path.dropFirst(), $0) }
    }
    if found.value == .null { return [] }
    guard let all = found.items else { return [(found, "bad_events")] }
    if !path.isEmpty { return all.flatMap { items(path.dropFirst(), $0) } }
    return all.map { ($0, $0.isObject ? nil : "wrong_type") }
  }

  /// The item read as the first kind whose conditions hold.
  private func reading(of item: NaiveFound) -> NaiveReading? {
    readers.lazy.map { NaiveReading($0, kinds, line, list: steps, item: item.steps) }
      .first { $0.holds($0.kind.each("when")) }
  }

  /// Whether each item is a record of its own.
  private var areRecords: Bool {
    let readers = readers.filter { $0.action != "ignore" }
    let outer = steps.prefix { $0 != "*" } + ["*"]
    return readers.contains { kind in
      kind.action != "event" || kind.kind["profile"] != nil
        || ["custom_id", "installation_id"].contains { field in
          kind.each(field).flatMap(\.pointers).contains { $0.steps.starts(with: outer) }
            || kind[field] != readers[0][field]
        }
    }
  }
}

extension NaiveJSON {
  /// The items of a list, or any other value itself.
  var oneOrMore: [NaiveJSON] { if case .array(let items) = self { items } else { [self] } }

  func each(_ name: String) -> [NaiveJSON] { self[name]?.oneOrMore ?? [] }

  /// A text, or a number as text.
  var textOrNumber: String? { if case .number(let text) = self { text } else { text } }

  /// The paths that a part of a mapping names, without those in items of pairs.
  var pointers: [String] {
    let values = self["keys"] == nil ? [] : each("values")
    return (["path", "join", "keys"].flatMap(each) + values + [self]).compactMap(\.text)
  }

  static func record(_ fields: [(String, NaiveJSON)]) -> NaiveJSON {
    .object(fields.map { Member(name: $0.0, value: $0.1) })
  }

  /// This value with the text at a path read as JSON, if it is that.
  func parsingText(at path: ArraySlice<String>) -> NaiveJSON {
    guard let step = path.first else { return text.flatMap { try? .init(parsing: $0) } ?? self }
    return mapped { NaiveFound.matches(step, $0) ? $1.parsingText(at: path.dropFirst()) : $1 }
  }

  /// This value with null for what is at the place.
  func removing(_ place: ArraySlice<String>) -> NaiveJSON {
    guard let step = place.first else { return .null }
    return mapped { $0 == step ? $1.removing(place.dropFirst()) : $1 }
  }

  private func mapped(_ change: (String, NaiveJSON) -> NaiveJSON) -> NaiveJSON {
    switch self {
    case .object(let fields): .record(fields.map { ($0.name, change($0.name, $0.value)) })
    case .array(let items): .array(items.enumerated().map { change("[\($0)]", $1) })
    default: self
    }
  }

  /// The JSON text without spaces; of texts with line feeds and quotes, but no other escapes.
  func compact(isSorted: Bool = false) -> String {
    switch self {
    case .object(var fields):
      if isSorted { fields.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
      let texts = fields.map {
        NaiveJSON.string($0.name).compact() + ":" + $0.value.compact(isSorted: isSorted)
      }
      return "{\(texts.joined(separator: ","))}"
    case .array(let items):
      return "[\(items.map { $0.compact(isSorted: isSorted) }.joined(separator: ","))]"
    case .string(let text): return text.debugDescription
    case .number(let text): return text
    case .bool(let value): return "\(value)"
    case .null: return "null"
    }
  }
}

extension String {
  var steps: [String] {
    split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
      String($0).replacing("~1", with: "/").replacing("~0", with: "~")
    }
  }

  /// Whether this path of a loss is that of the place, or of something in it.
  func isBelow(_ place: String) -> Bool {
    self == place || hasPrefix("\(place).") || hasPrefix("\(place)[")
  }
}
