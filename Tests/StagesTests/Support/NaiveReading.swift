import Pipeline
import TestSupport

/// What a field becomes as an attribute of a foreign event: no key or value, if nothing. Losses are
/// below the field.
struct NaiveForeignField {
  var key: String?
  var value: NaiveJSON?
  var losses: [(code: String, below: String)] = []
}

/// One line, or one item of a list in it, read as one kind of lines.
final class NaiveReading {
  typealias Fields = [(String, NaiveJSON)]

  let kind: NaiveKind
  let known: NaiveKnown
  private var line: NaiveFound
  /// The path of the list whose item is read, with `*` for it, and the way to that item.
  private let list: [String]
  private let item: [String]
  var losses: [(code: String, path: String)] = []
  private(set) var record: NaiveJSON?
  private(set) var isRejected = false

  init(
    _ kind: NaiveKind, _ kinds: [NaiveKind], _ line: NaiveFound, list: [String] = [],
    item: [String] = []
  ) {
    (self.kind, self.line, self.list, self.item) = (kind, line, list, item)
    known = kind.known(among: kinds)
  }

  func outcome() -> NaiveMapping.Outcome {
    let reasons = read().sorted()
    return .init(
      records: record.map { [$0.compact()] } ?? [], reasons: reasons,
      losses: isRejected ? [] : losses.map { "\($0.code) \($0.path)" }.sorted())
  }

  func lose(_ code: String, _ steps: [String]) {
    losses.append((code, NaiveFound.path(steps)))
  }

  /// The values at a path, in the item that is read where the path goes into its list.
  func find(_ path: String) -> [NaiveFound] {
    var steps = path.steps
    for index in steps.indices {
      guard index < list.count, steps[index] == list[index] else { break }
      steps[index] = item[index]
    }
    return line.find(steps[...])
  }

  /// The first value at the path of an attribute. The others are lost.
  func findOnly(_ path: String) -> NaiveFound? {
    let found = find(path)
    for other in found.dropFirst() { lose("unknown_field", other.steps) }
    return found.first
  }

  func holds(_ conditions: [NaiveJSON]) -> Bool {
    conditions.allSatisfy { condition in
      let value = find(condition.pointers[0]).first?.value
      if condition["present"] == .bool(false) { return value == nil }
      guard let value else { return false }
      if condition["in"] != nil { return condition.each("in").contains(value) }
      guard let prefix = condition["prefix"]?.text else { return true }
      return value.text?.hasPrefix(prefix) ?? false
    }
  }

  /// Reads the line or item, and returns the codes of its reasons.
  func read() -> [String] {
    if kind.action == "ignore" { return [] }
    let lost = Set(kind.each("lost").flatMap(\.pointers).flatMap(find).map(\.steps))
    for steps in lost { line.value = line.value.removing(steps[...]) }
    let ids = ["custom_id", "installation_id"].compactMap { name in
      owner(name).map { (name, NaiveJSON.string($0)) }
    }
    let (time, fault) = time()
    // Only events may lack a time.
    let needed = fault == "untimed" ? "missing_time" : fault
    var (fields, reasons): (Fields, [String]) = ([], [])
    switch kind.action {
    case "event":
      let (event, faults) = event(time, fault)
      let (change, count) = change(kind.kind["profile"] ?? .null, ids, time)
      if time != nil { fields = change }
      reasons = faults + Array(repeating: needed ?? "", count: time == nil ? count : 0)
      isRejected = event == nil
      if let event { fields.append(("events", .array([event]))) }
    case "identify":
      losses.removeAll { fault == "untimed" && $0 == ("missing_time", "time") }
      let (change, count) = change(kind.kind, ids, time)
      let isLink = ids.count == 2 && count == 0
      let isLost = isLink && !item.isEmpty && time == nil
      if isLost { lose("missing_time", item) }
      if time != nil { fields = isLink ? [("time", Self.text(time))] : change }
      let parts = time != nil || isLost ? 0 : isLink ? 1 : count
      reasons = Array(repeating: needed ?? "", count: parts)
      if ids.isEmpty, item.isEmpty {
        reasons = [count > 0 ? "no_identity" : needed ?? "empty_record"]
      }
    case "alias" where !item.isEmpty:
      let fault = ids.count < 2 ? "no_identity" : time == nil ? "missing_time" : nil
      if let fault { lose(fault, item) } else { fields = [("time", Self.text(time))] }
    case "alias":
      reasons = time == nil ? [needed ?? ""] : ids.count < 2 ? ["empty_record"] : []
      if reasons.isEmpty { fields = [("time", Self.text(time))] }
    default:
      if ids.isEmpty, !item.isEmpty { lose("no_identity", item) }
      reasons =
        ids.isEmpty ? item.isEmpty ? ["no_identity"] : [] : time == nil ? [needed ?? ""] : []
      let isOfPerson = ids.first?.0 == "custom_id"
      if !ids.isEmpty, time != nil {
        fields = [
          ("time", Self.text(time)), ("erase", isOfPerson ? .string("person") : .bool(true)),
        ]
      }
    }
    if !fields.isEmpty { record = .record([("identifiers", .record(ids))] + fields) }
    isRejected = isRejected || record == nil && !reasons.isEmpty
    for found in line.find(item[...]) { noteUnknown(found, known.below(list), isRoot: true) }
    for steps in lost where !lost.contains(where: { $0 != steps && steps.starts(with: $0) }) {
      lose("unknown_field", steps)
    }
    return reasons
  }

  private func event(_ time: Int?, _ fault: String?) -> (NaiveJSON?, [String]) {
    let (name, nameFault) = name()
    let id = eventID()
    let attributes = eventAttributes(gather(kind.kind, ofProfile: false))
    let faults = [nameFault, fault == "untimed" ? nil : fault].compactMap { $0 }
    guard let name, faults.isEmpty else { return (nil, faults) }
    var fields: Fields = id.map { [("id", .string($0))] } ?? []
    if id != nil, let way = kind.mapping["duplicate"] { fields.append(("duplicate", way)) }
    fields.append(("name", .string(name)))
    fields.append(time == nil ? ("untimed", .bool(true)) : ("time", Self.text(time)))
    if !attributes.isEmpty { fields.append(("attributes", .record(attributes))) }
    return (.record(fields), [])
  }

  /// The fields of a record that a change of a profile makes, and the number of its parts.
  private func change(_ block: NaiveJSON, _ ids: Fields, _ time: Int?) -> (Fields, Int) {
    let before = losses
    let values = gather(block, ofProfile: true)
    let attributes = profileAttributes(values)
    var consent = consent(block)
    if ids.isEmpty {
      let kept = ["wrong_type", "date_invalid", "url_invalid", "unknown_field"]
      losses = before + losses.dropFirst(before.count).filter { kept.contains($0.code) }
      let isOfItem = kind.action == "identify" && !item.isEmpty
      let isOfEvent = kind.action == "event" && (!values.isEmpty || consent != nil)
      if isOfItem || isOfEvent { lose("no_identity", isOfItem ? item : ["profile"]) }
      return ([], isOfItem || isOfEvent ? 0 : attributes.count)
    }
    if consent != nil, ids.last?.0 == "custom_id" {
      lose("needs_installation_id", ["opted_out"])
      consent = nil
    }
    let fields =
      (consent.map { [("opted_out", .bool($0))] } ?? [])
      + (attributes.isEmpty ? [] : [("attributes", NaiveJSON.record(attributes))])
    return (
      (fields.isEmpty ? [] : [("time", Self.text(time))]) + fields,
      attributes.count + (consent == nil ? 0 : 1)
    )
  }

  private func consent(_ block: NaiveJSON) -> Bool? {
    if case .bool(let value) = block["opted_out"] { return value }
    for path in block.each("opted_out").flatMap(\.pointers) {
      if let found = findOnly(path), case .bool(let value) = typed(found, "bool")?.value {
        return value
      }
    }
    return nil
  }

  /// Notes a value instead of a list of keys, or of pairs with ids, and the other pairs.
  private func noteUnread(of found: NaiveFound, _ known: NaiveKnown) {
    if found.value == .null || known.isRead || known.inside.isReadInside { return }
    guard let items = found.items else {
      let isCondition = known.roles.contains(.condition) && !found.isObject
      return isCondition ? () : lose("unknown_field", found.steps)
    }
    if known.roles.contains(.list) { return }
    var inPair = NaiveKnown()
    inPair.add(kind.idPairs.flatMap { $0.each("key") + $0.each("value") }, .value)
    let ids = kind.idPairs.flatMap { path in path.each("value").map { pairs(path, with: $0) } }
    for item in items where item.value != .null {
      let isID = ids.contains { $0.first?.steps == item.steps }
      if isID { noteUnknown(item, inPair, isRoot: true) } else { lose("unknown_field", item.steps) }
    }
  }

  /// Notes what no path goes to.
  func noteUnknown(_ found: NaiveFound, _ known: NaiveKnown, isRoot: Bool = false) {
    let (roles, children) = (known.roles, found.children)
    let (isList, isContainer) = (found.items != nil, found.items != nil || found.isObject)
    if !roles.isDisjoint(with: [.pairs, .list]) { return noteUnread(of: found, known) }
    let isCondition = roles.contains(.condition) || !roles.isEmpty && !known.isReadInside
    if found.value == .null || known.isRead || children.isEmpty && !roles.isEmpty && isContainer
      || !isContainer && isCondition
    {
      return
    }
    let steps = known.steps.filter { !isList || $0 == "*" || Int($0) != nil }
    let leadsInside = isContainer && !steps.isEmpty && (isList || steps != ["*"])
    if !isRoot, !leadsInside { return lose("unknown_field", found.steps) }
    for child in children where child.value != .null {
      let below = known[child.steps.last ?? ""]
      if let below { noteUnknown(child, below) } else { lose("unknown_field", child.steps) }
    }
  }
}
