import Pipeline

/// Reads the rules for a kind of lines: ids, time, name and attributes.
extension MappingReader {
  mutating func kind(
    _ line: MappingField, shared: [String: MappingField]
  ) throws(MappingFault) -> MappedRules {
    let fields = try line.fields(Self.kind)
    var kind = MappedRules(
      effect: try fields["as"].map { field throws(MappingFault) in
        try field.choice(MappedRules.Effect.self)
      } ?? .event)
    var known = matched
    if let when = fields["when"] {
      let (conditions, paths) = try conditions(when)
      kind.when = conditions
      known += paths
      // In their order, on which that of kept fields depends.
      for path in paths where !conditionPaths.contains(path) { conditionPaths.append(path) }
    }
    // Fields used for detection count as read, even if they are not kept.
    for path in known {
      try count(path.count, at: line)
      kind.paths.know(path)
    }
    var list: [MappedStep]?
    if let unroll = fields["unroll"] {
      guard kind.effect == .event else {
        throw unroll.fault("only events are unrolled", "leave it out")
      }
      let (_, steps) = try path(unroll)
      list = steps
      kind.list = kind.paths.number(of: steps)
      kind.itemPaths = MappedPaths()
    }
    try readOwner(of: &kind, fields, shared, list, line)
    try readEvent(of: &kind, fields, list, line)
    for item in (fields["drop"]?.list ?? []) + (shared["drop"]?.list ?? []) {
      let (_, steps) = try path(item)
      if let list, steps.starts(with: list + [.item]) {
        kind.itemPaths?.drop(Array(steps.dropFirst(list.count + 1)))
      } else {
        kind.paths.drop(steps)
      }
    }
    return kind
  }

  /// Reads the paths of ids and times.
  private mutating func readOwner(
    of kind: inout MappedRules, _ fields: [String: MappingField],
    _ shared: [String: MappingField], _ list: [MappedStep]?, _ line: MappingField
  ) throws(MappingFault) {
    for item in (fields["id"] ?? shared["id"])?.list ?? [] {
      kind.id.append(try id(item, in: &kind, list: list))
    }
    for (name, target) in [
      ("custom_id", \MappedRules.customID), ("installation_id", \.installationID),
    ] {
      guard let field = fields[name] ?? shared[name] else { continue }
      for item in field.list {
        let source = try source(item, in: &kind, list: list).source
        guard !source.isOfItem else {
          throw item.fault(
            "all events of a line belong to one person or installation", "name a path of the line")
        }
        kind[keyPath: target].append(source)
      }
    }
    for item in (fields["time"] ?? shared["time"])?.list ?? [] {
      kind.time.append(try time(item, in: &kind, list: list))
    }
    guard kind.effect == .ignore || !kind.customID.isEmpty || !kind.installationID.isEmpty else {
      throw line.fault(
        "nothing says whose these lines are", "add custom_id or installation_id, here or above")
    }
    guard kind.effect != .alias || !kind.customID.isEmpty && !kind.installationID.isEmpty else {
      throw line.fault("a link needs both ids", "add custom_id and installation_id")
    }
  }

  /// The source of an event id, or the sources that are joined to it.
  private mutating func id(
    _ item: MappingField, in kind: inout MappedRules, list: [MappedStep]?
  ) throws(MappingFault) -> [MappedSource] {
    guard item.value.kind == .object else {
      return [try source(item, in: &kind, list: list).source]
    }
    let paths = try required("join", try item.fields(["join"]), item)
    guard paths.list.count > 1 else {
      throw paths.fault("it must be a list of two paths or more", "write [\"/source\", \"/id\"]")
    }
    var sources: [MappedSource] = []
    for path in paths.list { sources.append(try source(path, in: &kind, list: list).source) }
    return sources
  }

  private mutating func time(
    _ item: MappingField, in kind: inout MappedRules, list: [MappedStep]?
  ) throws(MappingFault) -> MappedTime {
    guard item.value.kind == .object else {
      return MappedTime(
        source: try source(item, in: &kind, list: list).source, unit: .auto, zone: nil)
    }
    let fields = try item.fields(["path", "unit", "zone"])
    let source = try source(try required("path", fields, item), in: &kind, list: list).source
    let unit = try fields["unit"].map { field throws(MappingFault) in
      try field.choice(MappedTime.Unit.self)
    }
    var zone: Int?
    if let field = fields["zone"] {
      zone = field.value.text.flatMap(Self.minutes)
      guard zone != nil else {
        throw field.fault("it must be an offset from UTC", "write \"Z\", or \"+02:00\"")
      }
      guard unit?.number == nil else {
        throw field.fault("a number with a unit has no zone", "leave out zone, or unit")
      }
    }
    return MappedTime(source: source, unit: unit ?? .auto, zone: zone)
  }

  /// The offset of a zone as in a time, such as `Z` or `±HH:mm`, in minutes.
  private static func minutes(_ text: String) -> Int? {
    let time = ByteBuffer(text: "2000-01-02T00:00:00\(text)")
    guard let first = text.utf8.first, Characters.isLetter(first) || "+-".utf8.contains(first),
      let utc = Timestamp.parse(time.view)
    else { return nil }
    return (946_771_200_000 - utc) / 60_000
  }

  // MARK: - Events and attributes

  private mutating func readEvent(
    of kind: inout MappedRules, _ fields: [String: MappingField], _ list: [MappedStep]?,
    _ line: MappingField
  ) throws(MappingFault) {
    try readName(of: &kind, fields, list, line)
    let takesAttributes = kind.effect == .event || kind.effect == .identify
    for name in ["attributes", "fields", "rename"] {
      guard let field = fields[name], !takesAttributes else { continue }
      throw field.fault("\(kind.effect.rawValue) takes no attributes", "leave it out")
    }
    for item in fields["attributes"]?.list ?? [] {
      kind.attributes.append(try attributes(item, in: &kind, list: list))
    }
    for (key, field) in try fields["fields"]?.members() ?? [] {
      var sources: [MappedSource] = []
      for item in field.list {
        sources.append(try source(item, in: &kind, list: list, isData: true).source)
      }
      kind.fields.append((try Self.key(key, field), sources))
    }
    for (key, field) in try fields["rename"]?.members() ?? [] {
      kind.renames[try word(key, field)] = try Self.key(try field.text(), field)
    }
    for (key, field) in try fields["constants"]?.members() ?? [] {
      guard kind.effect == .event else {
        throw field.fault("only events take constants", "leave it out")
      }
      guard kind.constants.count < Limits.v2.attributes else {
        throw field.fault(
          "an event has at most \(Limits.v2.attributes) attributes", "leave some out")
      }
      kind.constants.append((try Self.key(key, field), try Self.constant(field)))
    }
  }

  private mutating func readName(
    of kind: inout MappedRules, _ fields: [String: MappingField], _ list: [MappedStep]?,
    _ line: MappingField
  ) throws(MappingFault) {
    guard kind.effect == .event || kind.effect == .ignore else {
      if let name = fields["name"] {
        throw name.fault("\(kind.effect.rawValue) has no name", "leave it out")
      }
      return
    }
    for item in fields["name"]?.list ?? [] {
      guard item.value.kind == .object else {
        kind.name.append(try source(item, in: &kind, list: list).source)
        continue
      }
      let constant = try required("constant", try item.fields(["constant"]), item)
      guard let text = Self.foreignName(try constant.text(), for: .event) else {
        throw constant.fault("no event can have this name", "write letters, digits and _")
      }
      kind.name.append(MappedSource())
      kind.constantName = Array(text.utf8)
      // Later sources would never be used.
      break
    }
    if kind.effect == .event, kind.name.isEmpty {
      throw line.fault("nothing says what these events are called", "add \"name\"")
    }
  }

  private mutating func attributes(
    _ item: MappingField, in kind: inout MappedRules, list: [MappedStep]?
  ) throws(MappingFault) -> MappedAttributes {
    guard item.value.kind == .object else {
      let (source, steps) = try source(item, in: &kind, list: list, isData: true)
      if source.isOfItem {
        kind.itemPaths?.markAttributes(steps)
      } else {
        kind.paths.markAttributes(steps)
      }
      return MappedAttributes(source: source, pairs: nil)
    }
    let fields = try item.fields(["path", "key", "value"])
    let source = try source(
      try required("path", fields, item), in: &kind, list: list, isData: true
    ).source
    var paths = MappedPaths()
    let key = paths.number(of: try stepsOfPair(try required("key", fields, item)))
    var values: [Int] = []
    for value in try required("value", fields, item).list {
      values.append(paths.number(of: try stepsOfPair(value)))
    }
    return MappedAttributes(
      source: source, pairs: .init(paths: paths, key: key, values: values))
  }

  /// A path inside a pair.
  private mutating func stepsOfPair(_ field: MappingField) throws(MappingFault) -> [MappedStep] {
    let (_, steps) = try path(field)
    guard !steps.isEmpty, !steps.contains(.item) else {
      throw field.fault("it must name a field of the pair", "write \"/key\", or \"/value/text\"")
    }
    return steps
  }

  /// A constant value of an attribute. It must be within the limits, as it is not checked again.
  private static func constant(_ field: MappingField) throws(MappingFault) -> MappedValue {
    let value = try value(field)
    let text = ByteBuffer(text: field.value.source)
    switch value.kind {
    case .string:
      guard !Characters.isBlank(text.view), text.view.firstIndex(of: UInt8(ascii: "\n")) == nil,
        Characters.count(text.view, moreThan: Limits.v2.string) == nil
      else {
        throw field.fault(
          "an attribute cannot be this text",
          "write at most \(Limits.v2.string) characters, not blank and without line feed")
      }
    case .integer where !DecimalNumber.fitsInt64(text.view),
      .double where !DecimalNumber.isFinite(text.view):
      throw field.fault("the number is too large", "write a number of 64 bits")
    default: break
    }
    return value
  }

  /// A key for attributes.
  private static func key(_ text: String, _ field: MappingField) throws(MappingFault) -> [UInt8] {
    let bytes = ByteBuffer(text: text)
    guard Characters.nameShape(bytes.view) == .lowercase else {
      throw field.fault(
        "\"\(text)\" is not a key of an attribute",
        (foreignName(text, for: .key).map { "did you mean \"\($0)\"? " } ?? "")
          + "write small letters, digits and _, at most \(Characters.longestName)")
    }
    return Array(text.utf8)
  }
}
