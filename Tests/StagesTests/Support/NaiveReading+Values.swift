import Pipeline
import TestSupport

// MARK: - Ids, times and names

extension NaiveReading {
  private static let nobody = [
    "undefined", "null", "nil", "(null)", "[object object]", "true", "false", "nan", "infinity",
    "-infinity", "none", "n/a", "(not set)", "not_authenticated", "anonymous", "guest",
    "distinct_id", "0", "-1", "optional(nil)",
  ]
  private static let idNames = [
    "customid", "userid", "uid", "username", "user", "login", "deviceid", "installid",
  ]

  private func isNobody(_ text: String) -> Bool {
    (Self.nobody + kind.mapping.each("nobody").compactMap(\.text)).contains(text.lowercased())
  }

  /// The text of a text or an integer.
  private static func text(of found: NaiveFound) -> String? {
    found.value.textOrNumber.flatMap { text in
      found.value.text != nil || !text.contains { ".eE".contains($0) } ? text : nil
    }
  }

  /// The first valid id of the paths of a field.
  func owner(_ field: String) -> String? {
    for found in kind.each(field).flatMap(ownerValues) {
      let name = found.name.lowercased()
      let isID =
        name.hasSuffix("id") || Self.idNames.contains(name.filter { !" _-".contains($0) })
      let text = isID ? Self.text(of: found) : found.value.text
      let isCustom = field == "custom_id"
      if let text, !isNobody(text), isCustom ? !text.isBlank : !text.isEmpty,
        text.count <= (isCustom ? 1024 : 128),
        !text.unicodeScalars.contains(where: { isCustom ? $0 == "\n" : $0.properties.isWhitespace })
      {
        return text.isUUID && !isCustom ? text.uppercased() : text
      }
      lose(text.map(isNobody) ?? false ? "nobody_id" : "bad_id_ignored", found.steps)
    }
    return nil
  }

  /// The value at a path, or those of the first pairs with the key that have them.
  private func ownerValues(_ path: NaiveJSON) -> [NaiveFound] {
    let found = find(path.pointers[0]).prefix(1)
    if path["key"] == nil { return Array(found) }
    return path.each("value").flatMap { value in
      pairs(path, with: value).prefix(1).flatMap { $0.find(value.pointers[0]).prefix(1) }
    }
  }

  /// The pairs with the key of an id that have a value.
  func pairs(_ path: NaiveJSON, with value: NaiveJSON) -> [NaiveFound] {
    (find(path.pointers[0]).first?.items ?? []).filter { pair in
      path.each("key").flatMap { pair.find($0.pointers[0]) }.first?.value == path["is"]
        && !pair.find(value.pointers[0]).isEmpty
    }
  }

  /// The value at a path, or the texts at joined paths as one; instead the first value that cannot
  /// be joined, as null.
  private func value(_ path: NaiveJSON, with separator: String, isID: Bool = false) -> NaiveFound? {
    let found = path.pointers.map { find($0).first }
    guard let first = found.first, !found.contains(where: { $0 == nil }) else { return nil }
    if path["join"] == nil { return first }
    var texts: [String] = []
    for (index, part) in found.enumerated() {
      let text = isID ? part.flatMap(Self.text) : part?.value.textOrNumber
      if isID, index < found.count - 1, text?.contains(" ") ?? true || text == nil {
        return NaiveFound(steps: part?.steps ?? [], value: .null)
      }
      guard let text else { return NaiveFound(steps: part?.steps ?? [], value: .null) }
      texts.append(text)
    }
    return NaiveFound(steps: first?.steps ?? [], value: .string(texts.joined(separator: separator)))
  }

  func eventID() -> String? {
    for found in kind.each("id").compactMap({ value($0, with: " ", isID: true) }) {
      let id = Self.text(of: found).flatMap { 1...256 ~= $0.count ? $0 : nil }
      if let id, kind.mapping["duplicate"] == nil || !isNobody(id) {
        let isHex = id.wholeMatch(of: #/[0-9a-fA-F]{24}/#) != nil
        return isHex || id.isUUID ? id.lowercased() : id
      }
      lose(id == nil ? "bad_id_ignored" : "nobody_id", found.steps)
    }
    return nil
  }

  /// The name, or why there is none.
  func name() -> (String?, fault: String?) {
    for part in kind.names {
      let constant = part["constant"].map { NaiveFound(value: $0) }
      guard let found = constant ?? value(part, with: part["with"]?.text ?? "_") else { continue }
      guard var text = found.value.textOrNumber else { return (nil, "bad_name") }
      if text.isEmpty { return (nil, "missing_name") }
      let beginnings = part.each("strip").compactMap(\.text)
      if let beginning = beginnings.first(where: { text.hasPrefix($0) && text != $0 }) {
        text.removeFirst(beginning.count)
      }
      guard let key = kind.foreign(text, .number("1")).key else { return (nil, "bad_name") }
      // A key without any usable character begins with `k`, a name with `ev`.
      let isUsable = text.contains { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      return (isUsable ? key : "ev" + key.dropFirst(), nil)
    }
    return (nil, "missing_name")
  }

  private static let decimals = ["s": 3, "ms": 0, "us": -3, "ns": -6]

  /// The time, or why there is none: `untimed` if there need not be one.
  func time() -> (Int?, fault: String?) {
    for path in kind.each("time") {
      guard let found = value(path, with: " ") else { continue }
      let units = path.each("unit").compactMap(\.text).filter { $0 != "auto" }
      let text = found.value.textOrNumber ?? ""
      var times: [Int]
      if !units.isEmpty || found.value.text == nil || text.wholeMatch(of: #/[1-9]\d{12}/#) != nil {
        let all = units.isEmpty ? ["ms"] : units
        times = all.compactMap { Self.shift(text, by: Self.decimals[$0] ?? 0) }
      } else {
        let (time, hasZone) = Self.readTime(text) ?? (nil, true)
        let zoned = path["zone"].flatMap { Self.readTime(text + ($0.text ?? "")) }
        times = (hasZone ? time : zoned?.time ?? time).map { [$0] } ?? []
        if !hasZone, path["zone"] == nil { lose("time_no_zone", found.steps) }
      }
      let time = times.first { 946_684_800_000..<4_102_444_800_000 ~= $0 }
      if time == nil { losses.removeAll { $0 == ("time_no_zone", found.path) } }
      return (time, times.isEmpty ? "invalid_time" : time == nil ? "time_out_of_range" : nil)
    }
    let isUntimed = kind["time"] == nil || kind["untimed"] == .bool(true)
    if isUntimed { lose("missing_time", ["time"]) }
    return (nil, isUntimed ? "untimed" : "missing_time")
  }

  private static func readTime(_ text: String) -> (time: Int?, hasZone: Bool)? {
    withByteView(of: text) { Timestamp.parseAny($0).map { ($0.milliseconds, $0.hasZone) } }
  }

  static func text(_ time: Int?) -> NaiveJSON { .string(Timestamp.text(time ?? 0)) }

  /// The whole part of a number with its point moved; `Int.max` if that is too large.
  private static func shift(_ text: String, by places: Int) -> Int? {
    guard let parts = text.wholeMatch(of: #/(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/#) else {
      return nil
    }
    let exponent = places - (parts.3 ?? "").count + (parts.4.map { Int($0) ?? 9999 } ?? 0)
    var digits =
      parts.2 + (parts.3 ?? "") + String(repeating: "0", count: max(0, min(exponent, 30)))
    let rest = digits.suffix(max(0, -exponent))
    digits = digits.dropLast(rest.count)
    let whole = digits.isEmpty ? 0 : Int(digits) ?? .max
    return parts.1.isEmpty ? whole : rest.contains { $0 != "0" } ? -whole - 1 : -whole
  }
}

// MARK: - Attributes

/// A value that becomes an attribute.
struct NaiveAttribute {
  /// The key in the line, and the one that it gets.
  var source: String
  var key: String
  var found: NaiveFound
  /// `date` or `url`, if the value is one.
  var form = ""
  /// Which of `attributes` it is from; nil for `fields` and `constants`.
  var part: Int?
  /// Where a collision of its key is.
  var place: [String]

  init(_ source: String, as key: String? = nil, _ found: NaiveFound, part: Int? = nil) {
    (self.source, self.key, self.found, self.part) = (source, key ?? source, found, part)
    place = found.steps
  }

  func named(_ key: String) -> String { form.isEmpty ? key : "\(form)(\(key))" }
}

extension NaiveReading {
  /// The values that become attributes, in their order.
  func gather(_ block: NaiveJSON, ofProfile isProfile: Bool) -> [NaiveAttribute] {
    var (inner, single, paired): ([NaiveAttribute], [NaiveAttribute], [NaiveAttribute]) = (
      [], [], []
    )
    var done: Set<String> = []
    for (index, part) in block.each("attributes").enumerated() {
      if part["value"] != nil || part["keys"] != nil {
        paired += part["keys"] == nil ? pairs(part, index) : columns(part, index)
      } else if done.insert(part.pointers[0]).inserted, let found = findOnly(part.pointers[0]) {
        let below = known.below(part.pointers[0].steps)
        if found.isObject {
          inner += fields(of: found, below).filter { isProfile || $0.value != .null }
            .map { renamed($0, index) }
        } else if below.steps.isEmpty {
          single.append(renamed(found, index))
        } else if found.items != nil || !below.roles.contains(.value) {
          noteUnknown(found, below.inside)
        }
      }
    }
    single += paired
    for name in block["fields"]?.names ?? [] {
      if let value = field(name, block["fields"]?.each(name) ?? []) { single.append(value) }
    }
    for name in isProfile ? [] : block["constants"]?.names ?? [] {
      single.append(.init(name, .init(value: block["constants"]?[name] ?? .null)))
    }
    return inner + single
  }

  private func renamed(_ found: NaiveFound, _ part: Int) -> NaiveAttribute {
    .init(found.name, as: kind.kind["rename"]?[found.name]?.text, found, part: part)
  }

  /// The fields of an object, without those that have paths of their own.
  private func fields(of found: NaiveFound, _ known: NaiveKnown) -> [NaiveFound] {
    found.children.filter { child in
      guard let below = known[child.name] else { return true }
      if !below.isRead, below.isReadInside { noteUnknown(child, below) }
      let isCondition = below.roles.contains(.condition) && !child.isObject && child.items == nil
      return !below.isRead && !below.isReadInside && !isCondition
    }
  }

  /// The first value of the paths of an attribute that is of its type; the others are converted,
  /// too.
  private func field(_ name: String, _ paths: [NaiveJSON]) -> NaiveAttribute? {
    let parts = name.split(separator: "(")
    let form = parts.count == 2 ? String(parts[0]) : nil
    var first: NaiveAttribute?
    for path in paths {
      let type = form ?? path["type"]?.text
      guard first == nil || type != nil,
        let found = first == nil ? findOnly(path.pointers[0]) : find(path.pointers[0]).first,
        let (value, form) = typed(found, type), first == nil
      else { continue }
      let key = parts.count == 2 ? String(parts[1].dropLast()) : name
      first = .init(key, .init(steps: found.steps, value: value))
      first?.form = form
    }
    return first
  }

  private func pairs(_ part: NaiveJSON, _ index: Int) -> [NaiveAttribute] {
    guard let found = find(part.pointers[0]).first else { return [] }
    let keyPath = part["key"]
    if keyPath == nil ? !found.isObject : found.items == nil { return [renamed(found, index)] }
    var known = NaiveKnown()
    known.add(part.each("value") + part.each("key"), .value)
    known.add(part.each("drop"), .gone)
    return found.children.filter { $0.value != .null }.compactMap { pair in
      if !pair.isObject, pair.items == nil {
        if pair.value.saysSomething { lose("bad_key", pair.steps) }
        return nil
      }
      noteUnknown(pair, known, isRoot: true)
      let value = part.each("value").lazy.compactMap { path -> NaiveFound? in
        guard let found = pair.find(path.pointers[0]).first else { return nil }
        let isOfPair = !found.isObject && found.items == nil || path["type"] != nil
        let told = NaiveFound(steps: isOfPair ? pair.steps : found.steps, value: found.value)
        return self.typed(told, path["type"]?.text).map {
          .init(steps: told.steps, value: $0.value)
        }
      }.first
      let key = keyPath.map { pair.find($0.pointers[0]).first?.value } ?? .string(pair.name)
      let isOther = key?.text == nil && key?.saysSomething ?? false
      guard let text = usableKey(key), !isOther else {
        if value != nil || isOther { lose("bad_key", pair.steps) }
        return nil
      }
      let renamed = keyPath == nil ? kind.kind["rename"]?[text]?.text : nil
      return value.map { .init(text, as: renamed, $0, part: index) }
    }
  }

  private func columns(_ part: NaiveJSON, _ index: Int) -> [NaiveAttribute] {
    let keys = find(part.pointers[0]).first.flatMap { $0.items == nil ? nil : $0 }
    let values = find(part.pointers[1]).first
    if let values, keys == nil ? values.value.saysSomething : values.items == nil {
      lose("bad_key", values.steps)
    }
    let (names, all) = (keys?.items ?? [], keys == nil ? [] : values?.items ?? [])
    for key in names.dropFirst(all.count) where key.value.saysSomething {
      lose("bad_key", key.steps)
    }
    return all.enumerated().filter { $1.value != .null }.compactMap { position, value in
      if position < names.count, let key = usableKey(names[position].value) {
        return .init(key, value, part: index)
      }
      lose("bad_key", value.steps)
      return nil
    }
  }

  private func usableKey(_ value: NaiveJSON?) -> String? {
    value?.text.flatMap { kind.foreign($0, .number("1")).key == nil ? nil : $0 }
  }

  /// The value as one of this type, and the form of dates and URLs; nil, with a loss, if it is not.
  func typed(_ found: NaiveFound, _ type: String?) -> (value: NaiveJSON, form: String)? {
    let text = found.value.textOrNumber ?? found.value.compact(isSorted: true)
    switch type {
    case "text": return (.string(text), "")
    case "number":
      if let number = try? NaiveJSON(parsing: text), case .number = number { return (number, "") }
    case "bool":
      let words = ["true": true, "1": true, "false": false, "0": false]
      if let value = words[text.lowercased()] { return (.bool(value), "") }
    case "date":
      // The digits of a number show its unit.
      let length = Self.shift(text, by: 0).map { "\($0.magnitude)".count } ?? 0
      let unit = length <= 11 ? "s" : length <= 14 ? "ms" : length <= 17 ? "us" : "ns"
      let number = Self.shift(text, by: Self.decimals[unit] ?? 0)
      if let time = Self.readTime(text)?.time ?? number, Timestamp.years.contains(time) {
        return (Self.text(time), "date")
      }
    case "url":
      let isURL = text.wholeMatch(of: #/[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\/?#:@\s][^\s]*/#) != nil
      if isURL, found.value.text != nil { return (found.value, "url") }
    default: return (found.value, "")
    }
    lose(["date": "date_invalid", "url": "url_invalid"][type] ?? "wrong_type", found.steps)
    return nil
  }

  /// What the value becomes in any foreign event; the losses are at its path.
  private func foreign(_ found: NaiveFound, as value: NaiveJSON? = nil) -> NaiveJSON? {
    let field = kind.foreign("k", value ?? found.value)
    losses += field.losses.map { ($0.code, found.path + $0.below) }
    return field.value
  }

  /// The keys of these attributes. Equal ones are numbered by the bytes of their sources.
  private func numbered(_ entries: [NaiveAttribute]) -> [String] {
    var keys = entries.map(\.key)
    for key in Set(keys).sorted() {
      let same = entries.indices.filter { entries[$0].key == key }
        .sorted { entries[$0].source.utf8.lexicographicallyPrecedes(entries[$1].source.utf8) }
      var number = 1
      for index in same.dropFirst() {
        repeat {
          number += 1
        } while keys.contains(key.prefix(30 - "_\(number)".count) + "_\(number)")
        keys[index] = key.prefix(30 - "_\(number)".count) + "_\(number)"
        lose("key_collision", entries[index].place)
      }
    }
    return keys
  }

  func eventAttributes(_ all: [NaiveAttribute]) -> Fields {
    let special = ["$label", "$tags"].compactMap { name -> (String, NaiveJSON)? in
      guard let found = all.first(where: { $0.part == nil && $0.source == name })?.found else {
        return nil
      }
      let tags = name == "$tags" ? tags(found) : []
      let label = name == "$label" ? shortText(found, 200) : nil
      return label.map { (name, $0) } ?? (tags.isEmpty ? nil : (name, .array(tags)))
    }
    let entries = all.filter { $0.part != nil || $0.source.first != "$" }
      .compactMap { one -> NaiveAttribute? in
        var entry = one
        let field = kind.foreign(one.key, one.form.isEmpty ? one.found.value : .number("1"))
        losses += field.losses.map { ($0.code, one.found.path + $0.below) }
        guard let key = field.key, let value = field.value else { return nil }
        entry.key = key
        if one.form.isEmpty { entry.found.value = value }
        return entry
      }
    return special
      + zip(entries, numbered(entries)).map { ($0.named($1), $0.found.value) }
  }

  private func shortText(_ found: NaiveFound, _ limit: Int) -> NaiveJSON? {
    if found.isObject || found.items != nil { lose("wrong_type", found.steps) }
    let text = (found.value.textOrNumber ?? found.value.compact()).replacing("\n", with: " ")
    if found.isObject || found.items != nil || text.isBlank { return nil }
    if text.count > limit { lose("string_truncated", found.steps) }
    return .string(String(text.prefix(limit)))
  }

  private func tags(_ found: NaiveFound) -> [NaiveJSON] {
    (found.items ?? [found]).filter { $0.value != .null }.reduce(into: []) { tags, item in
      guard let tag = shortText(item, 64)?.text?.lowercased() else { return }
      if !tags.contains(.string(tag)) { tags.append(.string(tag)) }
    }
  }

  /// The attributes of a profile: of equal keys in two objects the first counts.
  func profileAttributes(_ all: [NaiveAttribute]) -> Fields {
    let entries = all.flatMap(profileEntries)
    var keys = entries.map(\.key)
    for part in Set(entries.map(\.part)).sorted(by: { $0 ?? .max < $1 ?? .max }) {
      let same = entries.indices.filter { entries[$0].part == part }
      for (index, key) in zip(same, numbered(same.map { entries[$0] })) { keys[index] = key }
    }
    var fields: [String: (String, NaiveJSON)] = [:]
    return zip(keys, entries).compactMap { key, one in
      let field = (one.named(key), one.found.value)
      guard let first = fields[key] else {
        fields[key] = field
        return field
      }
      if first != field { lose("value_overwritten", one.found.steps) }
      return nil
    }
  }

  /// The attributes that a value becomes: one, or those of the fields of an object.
  private func profileEntries(_ one: NaiveAttribute) -> [NaiveAttribute] {
    guard kind.foreign(one.key, .number("1")).key != nil else {
      lose("bad_key", one.found.steps)
      return []
    }
    if !one.found.isObject { return profileEntry(one).map { [$0] } ?? [] }
    if one.found.children.isEmpty { lose("empty_operation", one.found.steps) }
    return one.found.children.filter { $0.value != .null }.compactMap { child in
      if child.isObject, child.children.isEmpty {
        lose("empty_operation", child.steps)
        return nil
      }
      // Its source is that of the outer field, then the inner one.
      return profileEntry(
        NaiveAttribute(
          "\(one.source)\u{0}\(child.name)", as: "\(one.key)_\(child.name)", child, part: one.part))
    }
  }

  private func profileEntry(_ one: NaiveAttribute) -> NaiveAttribute? {
    var entry = one
    guard let value = profileValue(one), let key = kind.foreign(one.key, .number("1")).key else {
      return nil
    }
    (entry.key, entry.found.value) = (key, value)
    return entry
  }

  private func profileValue(_ one: NaiveAttribute) -> NaiveJSON? {
    let found = one.found
    switch found.value {
    case .string where !one.form.isEmpty: return found.value
    case .null, .bool: return found.value
    case .object: return foreign(found, as: .string(found.value.compact(isSorted: true)))
    case .string(let text) where text.isBlank:
      lose(text.isEmpty ? "string_empty" : "string_blank", found.steps)
      return nil
    case .array(let items):
      // With a text beside them, objects are texts, too.
      let told = losses.count
      let texts = foreign(found, as: .array(items + [.string("x")]))?.items.dropLast() ?? []
      if texts.isEmpty, losses.count == told { lose("empty_operation", found.steps) }
      return texts.isEmpty ? nil : .array(Array(texts))
    default: return foreign(found)
    }
  }
}

extension String {
  fileprivate var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }

  fileprivate var isUUID: Bool {
    wholeMatch(of: #/[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/#) != nil
  }
}

extension NaiveJSON {
  /// Whether it is not null, blank or empty.
  fileprivate var saysSomething: Bool {
    switch self {
    case .null: false
    case .string(let text): !text.isBlank
    case .array(let items): !items.isEmpty
    case .object(let fields): !fields.isEmpty
    default: true
    }
  }
}
