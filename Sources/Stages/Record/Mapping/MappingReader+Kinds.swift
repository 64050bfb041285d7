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
    if let batch { try unroll(batch, in: &kind, at: line) }
    if let unroll = fields["unroll"] {
      try unroll.check(
        kind.lists.isEmpty, "the lines are lists already", "leave out unroll, or batch")
      let steps = try path(unroll).steps
      // The items of a log that is an array are lines.
      if !steps.isEmpty { try self.unroll(steps, in: &kind, at: unroll) }
    }
    try readConditions(of: &kind, fields, line)
    try readSources(of: &kind, fields, shared)
    try Self.checkOwner(of: kind, line)
    try readEvent(of: &kind, fields, line)
    try readDropped(of: &kind, fields, shared)
    kind.hasOwnOwner = fields["custom_id"] != nil || fields["installation_id"] != nil
    return kind
  }

  /// Reads the conditions. Fields used for detection count as read, even if they are not kept.
  private mutating func readConditions(
    of kind: inout MappedRules, _ fields: [String: MappingField], _ line: MappingField
  ) throws(MappingFault) {
    var known = matched
    if let when = fields["when"] {
      let (conditions, paths) = try conditions(when, group: kind.group)
      kind.when = conditions.filter { $0.level == 0 }
      kind.itemConditions = conditions.filter { $0.level > 0 }
      if !kind.itemConditions.isEmpty {
        // A line without the list has no items that could be of this kind.
        let text = fields["unroll"]?.value.text ?? lists?.text ?? ""
        kind.when.append(
          MappedCondition(
            path: text.firstRange(of: "/*").map { String(text[..<$0.lowerBound]) } ?? text,
            number: detection.number(of: kind.lists[0]), isPresent: true))
      }
      known += paths
      // In their order, on which that of kept fields depends.
      for path in paths where !conditionPaths.contains(path) { conditionPaths.append(path) }
    }
    if let list = lists {
      kind.when.append(
        MappedCondition(
          path: list.text, number: detection.number(of: list.steps), isPresent: batch != nil))
      kind.levels[0][list.steps].isKnown = true
    }
    for path in known {
      try count(path.count, at: line)
      let (level, steps) = kind.lists.level(of: path)
      kind.levels[level][steps].isKnown = true
    }
  }

  /// Reads the paths of what is known and not kept.
  mutating func readDropped(
    of kind: inout MappedRules, _ fields: [String: MappingField],
    _ shared: [String: MappingField]
  ) throws(MappingFault) {
    let own = fields["drop"]?.list ?? []
    try variants { reader throws(MappingFault) in
      for (index, item) in (own + (shared["drop"]?.list ?? [])).enumerated() {
        let (level, steps) = kind.lists.level(of: try reader.path(item).steps)
        try item.check(
          index >= own.count || !kind.levels[level][steps].isData,
          "an attribute is read from it as well", "leave one of them")
        try Self.checkKept(steps, kind.levels[level], item)
        kind.levels[level][steps].isDropped = true
        if level < kind.lists.count { kind.outerPaths.append(try reader.path(item).steps) }
      }
      for item in (fields["lost"] ?? shared["lost"])?.list ?? [] {
        let (level, steps) = kind.lists.level(of: try reader.path(item).steps)
        try Self.checkKept(steps, kind.levels[level], item)
        kind.levels[level][steps].isLost = true
      }
    }
  }

  /// A value inside of one that becomes an attribute as a whole can be left out of no line.
  private static func checkKept(
    _ steps: [MappedStep], _ paths: MappedPaths, _ item: MappingField
  ) throws(MappingFault) {
    try item.check(
      !paths.isKept(around: steps[...]), "what is around it becomes an attribute as a whole",
      "name the fields that are to be kept")
  }

  mutating func readSources(
    of kind: inout MappedRules, _ fields: [String: MappingField],
    _ shared: [String: MappingField]
  ) throws(MappingFault) {
    try variants { reader throws(MappingFault) in
      for item in (fields["id"] ?? shared["id"])?.list ?? [] {
        kind.id.append(
          try reader.sources(of: item, try item.fieldsOfObject(["join"]), in: &kind))
      }
      for (name, target) in [
        ("custom_id", \MappedRules.customID), ("installation_id", \.installationID),
      ] {
        for item in (fields[name] ?? shared[name])?.list ?? [] {
          kind[keyPath: target] += try reader.idSources(item, in: &kind)
        }
      }
      for item in (fields["time"] ?? shared["time"])?.list ?? [] {
        kind.time.append(try reader.time(item, in: &kind))
      }
    }
    kind.isUntimed = try (fields["untimed"] ?? shared["untimed"])?.flag() ?? false
  }

  private static func checkOwner(
    of kind: MappedRules, _ line: MappingField
  ) throws(MappingFault) {
    let (custom, installation) = (!kind.customID.isEmpty, !kind.installationID.isEmpty)
    try line.check(
      kind.effect == .ignore || custom || installation, "nothing says whose these lines are",
      "add custom_id or installation_id, here or above")
    try line.check(
      kind.effect != .alias || custom && installation, "a link needs both ids",
      "add custom_id and installation_id")
  }

  /// The sources of an id: a path, or the values of the pair of a list that has a certain key.
  private mutating func idSources(
    _ item: MappingField, in kind: inout MappedRules
  ) throws(MappingFault) -> [MappedSource] {
    guard item.value.kind == .object, item.value["key"] != nil else {
      return [try source(item, in: &kind, types: []).source]
    }
    let fields = try item.fields(["path", "key", "is", "value"])
    var source = try source(
      try required("path", fields, item), in: &kind, isList: true, types: [.json]
    ).source
    // An erasure looks for ids as the line has them.
    let pairs = try pairs(item, fields, types: [], kind.pairs.last?.paths ?? MappedPaths())
    let wanted = Array(try required("is", fields, item).text().utf8)
    return pairs.values.map { value in
      source.pair = kind.pairs.count
      if let last = kind.pairs.indices.last { kind.pairs[last].paths = MappedPaths() }
      kind.pairs.append(
        MappedAttributes.Pairs(
          paths: pairs.paths, key: pairs.key, values: [value], wanted: wanted))
      return source
    }
  }

  /// A time: `"/path"`, `{"path"}` or, with date and time in two fields, `{"join"}`.
  private mutating func time(
    _ item: MappingField, in kind: inout MappedRules
  ) throws(MappingFault) -> MappedTime {
    let fields = try item.fieldsOfObject(["path", "join", "unit", "zone"])
    let sources = try sources(of: item, fields, in: &kind)
    var units: [MappedTime.Unit] = []
    for unit in fields["unit"]?.list ?? [] { units.append(try unit.choice(MappedTime.Unit.self)) }
    if units.isEmpty { units = [.auto] }
    try (fields["unit"] ?? item).check(
      units.count == 1 || !units.contains(.auto), "auto is not one of several units",
      "write the units that numbers may have")
    var zone: Int?
    if let field = fields["zone"] {
      zone = field.value.text.flatMap(Self.minutes)
      try field.check(
        zone != nil, "it must be an offset from UTC", "write \"Z\", or \"+02:00\"")
      try field.check(
        units == [.auto], "a number with a unit has no zone", "leave out zone, or unit")
    }
    return MappedTime(sources: sources, units: units, zone: zone)
  }

  /// The source of a path, or those of an object with `path`, or with several paths to `join`.
  private mutating func sources(
    of item: MappingField, _ fields: [String: MappingField], in kind: inout MappedRules
  ) throws(MappingFault) -> [MappedSource] {
    var paths = [item]
    if let joined = fields["join"] {
      try joined.check(
        joined.list.count > 1 && fields["path"] == nil, "it must be a list of two paths or more",
        "write [\"/source\", \"/id\"]")
      paths = joined.list
    } else if item.value.kind == .object {
      paths = [try required("path", fields, item)]
    }
    var sources: [MappedSource] = []
    for path in paths { sources.append(try source(path, in: &kind, types: []).source) }
    return sources
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
    of kind: inout MappedRules, _ fields: [String: MappingField],
    _ line: MappingField
  ) throws(MappingFault) {
    try readName(of: &kind, fields, line)
    let takesAttributes = kind.effect == .event || kind.effect == .identify
    for name in ["attributes", "fields", "rename"] {
      try fields[name]?.check(
        takesAttributes, "\(kind.effect.rawValue) takes no attributes", "leave it out")
    }
    try readMembers(of: &kind, fields, ofProfile: kind.effect == .identify)
    if let profile = fields["profile"] {
      try profile.check(
        kind.effect == .event, "only events change a profile besides",
        "write attributes and fields outside of it")
      try readMembers(
        of: &kind, try profile.fields(["attributes", "fields", "opted_out"]),
        ofProfile: true)
    }
    for (key, field) in try fields["rename"]?.members() ?? [] {
      kind.renames[try word(key, field)] = try Self.key(try field.text(), field)
    }
    for (key, field) in try fields["constants"]?.members() ?? [] {
      try field.check(kind.effect == .event, "only events take constants", "leave it out")
      try field.check(
        kind.constants.count < Limits.v2.attributes,
        "an event has at most \(Limits.v2.attributes) attributes", "leave some out")
      let name = try Self.key(key, field)
      try field.check(
        !kind.event.fields.contains { $0.key == name }, "fields names this attribute as well",
        "leave one of them")
      kind.constants.append((name, try Self.constant(field)))
    }
  }

  private mutating func readMembers(
    of kind: inout MappedRules, _ fields: [String: MappingField],
    ofProfile: Bool
  ) throws(MappingFault) {
    let members = ofProfile ? \MappedRules.profile : \.event
    for item in fields["attributes"]?.list ?? [] {
      kind[keyPath: members].attributes.append(
        try attributes(item, in: &kind, ofProfile: ofProfile))
    }
    for (key, field) in try fields["fields"]?.members() ?? [] {
      let isText = !ofProfile && (key == "$label" || key == "$tags")
      let (sources, form) = try sources(
        field, in: &kind, typedBy: key,
        types: MappedType.allCases.filter { !isText || $0.form == .plain })
      switch key {
      case "$label" where !ofProfile: kind.label = sources
      case "$tags" where !ofProfile: kind.tags = sources
      default:
        var name = Array(key.utf8)
        if !ofProfile || !NativeKey.allCases.contains(where: { "\($0.key)" == key }) {
          name = try Self.key(Self.inner(key), field)
          if ofProfile { name = Array(form.key(Self.inner(key)).utf8) }
        }
        kind[keyPath: members].fields.append((name, ofProfile ? .plain : form, sources))
      }
    }
    guard let field = fields["opted_out"] else { return }
    try field.check(ofProfile, "an event is no consent", "write it in \"profile\"")
    kind.constantOptOut = field.value.bool
    if kind.constantOptOut == nil {
      kind.optedOut =
        try sources(field, in: &kind, typedBy: nil, as: .bool, types: [.bool]).sources
    }
  }

  /// The name in a typed key, or the key itself.
  private static func inner(_ key: String) -> String {
    let form = KeyForm(of: key)
    guard form != .plain, key.hasSuffix(")") else { return key }
    return String(key.dropFirst(form.opening.utf8CodeUnitCount).dropLast())
  }

  /// The sources of an attribute: paths, or `{"path","type"}`. Its key gives them a type, too, as
  /// does a date or URL among them.
  private mutating func sources(
    _ field: MappingField, in kind: inout MappedRules, typedBy key: String?,
    as type: MappedType? = nil, types: [MappedType]
  ) throws(MappingFault) -> (sources: [MappedSource], form: KeyForm) {
    var type = type
    let named = field.list.compactMap { $0.value["type"]?.text.flatMap(MappedType.init) }
    for form in MappedType.allCases where form.form != .plain {
      let isKey = key.map(KeyForm.init(of:)) == form.form
      guard isKey || named.contains(form) else { continue }
      try field.check(
        named.allSatisfy { $0 == form } && (isKey || named.count == field.list.count),
        "one of its values is a \(form.rawValue), and so are all", "give its paths this type")
      type = form
    }
    var sources: [MappedSource] = []
    try variants { reader throws(MappingFault) in
      for item in field.list {
        let (source, steps) = try reader.source(
          item, in: &kind, isData: true, as: type, types: types)
        kind.levels[source.level][steps].isKept = true
        sources.append(source)
      }
    }
    return (sources, type?.form ?? .plain)
  }

  private mutating func readName(
    of kind: inout MappedRules, _ fields: [String: MappingField],
    _ line: MappingField
  ) throws(MappingFault) {
    guard kind.effect == .event || kind.effect == .ignore else {
      try fields["name"]?.check(false, "\(kind.effect.rawValue) has no name", "leave it out")
      return
    }
    try variants { reader throws(MappingFault) in
      for item in fields["name"]?.list ?? [] {
        // Sources after a constant would never be used.
        if kind.name.last?.sources.isEmpty == true {
          var (unused, other) = (reader, kind)
          _ = try unused.name(item, in: &other)
        } else {
          kind.name.append(try reader.name(item, in: &kind))
        }
      }
    }
    try line.check(
      kind.effect != .event || !kind.name.isEmpty, "nothing says what these events are called",
      "add \"name\"")
  }

  /// A name: `"/path"`, `{"constant"}`, or `{"path"}` or `{"join"}` with beginnings to leave out.
  private mutating func name(
    _ item: MappingField, in kind: inout MappedRules
  ) throws(MappingFault) -> MappedName {
    var name = MappedName()
    let fields = try item.fieldsOfObject(["constant", "path", "join", "with", "strip"])
    if let constant = fields["constant"] {
      try constant.check(
        fields.count == 1, "a constant is the whole name", "leave out the rest, or it")
      guard let text = Self.foreignName(try constant.text(), for: .event) else {
        throw constant.fault("no event can have this name", "write letters, digits and _")
      }
      name.constant = Array(text.utf8)
      return name
    }
    name.sources = try sources(of: item, fields, in: &kind)
    try fields["with"]?.check(
      fields["join"] != nil, "there is nothing to join", "write \"join\" instead of \"path\"")
    name.separator = Array((try fields["with"]?.text() ?? "_").utf8)
    for prefix in fields["strip"]?.list ?? [] {
      name.prefixes.append(Array(try prefix.text().utf8))
    }
    return name
  }

  private mutating func attributes(
    _ item: MappingField, in kind: inout MappedRules, ofProfile: Bool
  ) throws(MappingFault) -> MappedAttributes {
    let isObject = item.value.kind == .object
    let isList = isObject && (item.value["value"] != nil || item.value["key"] != nil)
    let fields = try item.fieldsOfObject(
      item.value["keys"] != nil
        ? ["keys", "values"] : isList ? ["path", "key", "value", "drop"] : ["path", "type"])
    if let keys = fields["keys"] {
      let values = try required("values", fields, item)
      var sources: [MappedSource] = []
      for path in [keys, values] {
        let isList = sources.isEmpty
        sources.append(
          try source(path, in: &kind, isData: true, isList: isList, types: []).source)
      }
      return MappedAttributes(source: sources[0], values: sources[1])
    }
    guard isList else {
      let (source, steps) = try source(item, in: &kind, isData: true, isWhole: true, types: [.json])
      var point = kind.levels[source.level][steps]
      try item.check(
        !point.isAttributes || point.isOfProfile == ofProfile,
        "the attributes of this object are those of the event as well", "name it once")
      (point.isAttributes, point.isOfProfile) = (true, ofProfile)
      kind.levels[source.level][steps] = point
      return MappedAttributes(source: source)
    }
    return MappedAttributes(
      source: try source(
        try required("path", fields, item), in: &kind, isData: true, types: [.json]
      ).source,
      pairs: try pairs(item, fields))
  }

  /// How the items of a list are read as pairs; without `key` the fields of an object. The paths
  /// are added to `paths`.
  private mutating func pairs(
    _ item: MappingField, _ fields: [String: MappingField],
    types: [MappedType] = MappedType.allCases.filter { $0 != .json },
    _ paths: MappedPaths = MappedPaths()
  ) throws(MappingFault) -> MappedAttributes.Pairs {
    var (paths, key) = (paths, -1)
    if let field = fields["key"] { key = paths.number(of: try stepsOfPair(field)) }
    var values: [Int] = []
    for value in try required("value", fields, item).list {
      let (path, type) = try typedPath(value, types: types)
      values.append(paths.number(of: try stepsOfPair(path), as: type))
    }
    for item in fields["drop"]?.list ?? [] {
      paths[try stepsOfPair(item)].isDropped = true
    }
    return MappedAttributes.Pairs(paths: paths, key: key, values: values)
  }

  private mutating func stepsOfPair(_ field: MappingField) throws(MappingFault) -> [MappedStep] {
    let steps = try path(field, isWhole: true).steps
    try field.check(
      !steps.isEmpty && !steps.contains(.item), "it must name a field of the pair",
      "write \"/key\", or \"/value/text\"")
    return steps
  }

  /// A constant value of an attribute. It must be within the limits, as it is not checked again.
  private static func constant(_ field: MappingField) throws(MappingFault) -> MappedValue {
    let value = try value(field)
    let (tape, node) = field.value.node
    let isText = value.kind == .string
    try field.check(
      TextRule.v2String.fault(tape[node], of: tape) == nil,
      isText ? "an attribute cannot be this text" : "the number is too large",
      isText
        ? "write at most \(Limits.v2.string) characters, not blank and without line feed"
        : "write a number of 64 bits")
    return value
  }

  private static func key(_ text: String, _ field: MappingField) throws(MappingFault) -> [UInt8] {
    let bytes = ByteBuffer(text: text)
    try field.check(
      Characters.nameShape(bytes.view) == .lowercase, "\"\(text)\" is not a key of an attribute",
      (foreignName(text, for: .key).map { "did you mean \"\($0)\"? " } ?? "")
        + "write small letters, digits and _, at most \(Characters.longestName)")
    return Array(text.utf8)
  }
}
