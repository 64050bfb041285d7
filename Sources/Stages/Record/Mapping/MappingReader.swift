package import Pipeline

/// What is wrong with a mapping: which value of the file, and why.
package struct MappingFault: Error, Equatable {
  /// Where the value stands, as a JSON Pointer (RFC 6901); empty for the whole file.
  package let pointer: String
  /// The line of the file, from 1; nil where it is not known.
  package let line: Int?
  package let why: String
  package let advice: String
}

extension Mappings {
  /// Bytes of the longest file.
  package static let longestFile = 1 << 20
  /// The most paths of one mapping.
  static let mostPaths = 500
  /// The most kinds of lines of one mapping.
  static let mostKinds = 64
  /// What the field of that name says of the form of a file.
  private static let version = 1

  /// Adds the mapping that `source` holds. ``seal()`` is to be called when all are there.
  ///
  /// - Throws: what is wrong with it.
  package mutating func add(_ source: ByteView) throws(MappingFault) {
    let document: JSONDocument
    do throws(JSONDocument.Fault) {
      document = try JSONDocument(source, limit: Self.longestFile)
    } catch {
      throw MappingFault(
        pointer: "", line: nil, why: "it \(error.why)", advice: "write it as one JSON object")
    }
    var reader = MappingReader(words: words, detection: paths)
    let mapping = try reader.read(
      MappingField(value: document.root, pointer: ""), hash: XXH64.hash(source))
    if drafts.contains(where: { $0.dialect == mapping.dialect }) {
      throw MappingFault(
        pointer: "/dialect", line: nil,
        why: "another mapping describes \"\(mapping.dialect.name)\" as well",
        advice: "give one of them, or call one otherwise")
    }
    if drafts.count == Self.most {
      throw MappingFault(
        pointer: "", line: nil, why: "there are more than \(Self.most) mappings",
        advice: "leave out those that the logs do not need")
    }
    (words, paths) = (reader.words, reader.detection)
    drafts.append(mapping)
  }

  /// Makes the mappings ready to be read with.
  package mutating func seal() {
    words.seal()
    detection = paths.tree(words: words.count)
    let count = words.count
    all = drafts.map { draft in
      Mapping(
        draft.dialect, hash: draft.hash, match: draft.match,
        kinds: draft.kinds.map { MappedKind($0, words: count) })
    }
  }

  fileprivate static func check(version value: MappingField) throws(MappingFault) {
    guard value.value.int == version else {
      throw value.fault("it must be \(version)", "this program reads no other form of mappings")
    }
  }
}

/// A value of a mapping file, and where it stands.
private struct MappingField {
  let value: JSONValue
  let pointer: String

  /// The members of an object.
  func members() throws(MappingFault) -> [(name: String, field: MappingField)] {
    guard value.kind == .object else { throw fault("it must be an object", "write {…}") }
    return value.members.map { name, value in
      (name, MappingField(value: value, pointer: pointer + JSONPointer.step(name)))
    }
  }

  /// The fields of an object, which must all be known and occur once.
  func fields(_ known: [String]) throws(MappingFault) -> [String: MappingField] {
    var fields: [String: MappingField] = [:]
    for (name, field) in try members() {
      guard known.contains(name) else {
        throw field.fault(
          "there is no field \"\(name)\" here",
          NearestName.of(name, among: known).map { "did you mean \"\($0)\"?" }
            ?? "there are \(known.joined(separator: ", "))")
      }
      guard fields.updateValue(field, forKey: name) == nil else {
        throw field.fault("it stands here twice", "leave one of them")
      }
    }
    return fields
  }

  /// The items of a list, or the value itself where that stands for a list of one.
  var list: [MappingField] {
    guard value.kind == .array else { return [self] }
    return value.items.enumerated().map {
      MappingField(value: $0.element, pointer: "\(pointer)/\($0.offset)")
    }
  }

  /// A text that is not empty.
  func text() throws(MappingFault) -> String {
    guard let text = value.text, !text.isEmpty else {
      throw fault("it must be text", "write it in quotes")
    }
    return text
  }

  /// The value that one of `words` stands for.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ type: Choice.Type
  ) throws(MappingFault) -> Choice {
    if let choice = value.text.flatMap(Choice.init(rawValue:)) { return choice }
    let words = Choice.allCases.map(\.rawValue)
    throw fault(
      "it must be one of \(words.joined(separator: ", "))",
      value.text.flatMap { NearestName.of($0, among: words) }.map { "did you mean \"\($0)\"?" }
        ?? "write one of them")
  }

  func fault(_ why: String, _ advice: String) -> MappingFault {
    MappingFault(pointer: pointer, line: value.line, why: why, advice: advice)
  }
}

/// Turns one file into a ``Mapping``, and its paths into numbers.
private struct MappingReader {
  var words: MappedWords
  var detection: MappedPaths
  private var pathCount = 0
  /// What the conditions of the mapping look at.
  private var matched: [[MappedStep]] = []

  init(words: MappedWords, detection: MappedPaths) {
    (self.words, self.detection) = (words, detection)
  }

  /// What a mapping, and each kind of its lines, may say.
  private static let shared = ["custom_id", "installation_id", "id", "time", "drop"]
  private static let top =
    ["eventmill_mapping", "$schema", "dialect", "description", "match", "lines"] + shared
  private static let kind =
    ["when", "as", "name", "attributes", "fields", "constants", "rename", "unroll"] + shared

  mutating func read(_ root: MappingField, hash: UInt64) throws(MappingFault) -> MappingDraft {
    let fields = try root.fields(Self.top)
    try Mappings.check(version: try required("eventmill_mapping", fields, root))
    let name = try required("dialect", fields, root)
    guard let dialect = Dialect(mapped: try name.text()) else {
      throw name.fault(
        "a dialect cannot have this name",
        "write a small letter, then small letters, digits, _ and -, at most "
          + "\(Dialect.longestMappedName) in all, and not the name of a built-in dialect")
    }
    let (match, matched) = try conditions(try required("match", fields, root))
    self.matched = matched
    guard match.contains(where: \.isPresent) else {
      throw fields["match"]?.fault(
        "it names nothing that a line has to have", "add a path that only these lines have")
        ?? root.fault("there is no match", "add it")
    }
    let lines = try required("lines", fields, root)
    guard !lines.list.isEmpty, lines.list.count <= Mappings.mostKinds else {
      throw lines.fault(
        "it must have 1 to \(Mappings.mostKinds) kinds of lines", "describe at least one")
    }
    var kinds: [MappedRules] = []
    for line in lines.list { kinds.append(try kind(line, shared: fields)) }
    return MappingDraft(dialect: dialect, hash: hash, match: match, kinds: kinds)
  }

  private func required(
    _ name: String, _ fields: [String: MappingField], _ object: MappingField
  ) throws(MappingFault) -> MappingField {
    guard let field = fields[name] else {
      throw object.fault("\"\(name)\" is missing", "add it")
    }
    return field
  }

  // MARK: - Conditions

  private mutating func conditions(
    _ list: MappingField
  ) throws(MappingFault) -> (conditions: [MappedCondition], paths: [[MappedStep]]) {
    var conditions: [MappedCondition] = []
    var paths: [[MappedStep]] = []
    for item in list.list {
      let (condition, steps) = try condition(item)
      conditions.append(condition)
      paths.append(steps)
    }
    return (conditions, paths)
  }

  private mutating func condition(
    _ item: MappingField
  ) throws(MappingFault) -> (MappedCondition, [MappedStep]) {
    var pathField = item
    var isPresent = true
    var values: [MappedValue] = []
    if item.value.kind == .object {
      let fields = try item.fields(["path", "in", "present"])
      pathField = try required("path", fields, item)
      if let present = fields["present"] {
        guard let bool = present.value.bool else {
          throw present.fault("it must be true or false", "write one of them")
        }
        isPresent = bool
      }
      if let list = fields["in"] {
        for value in list.list { values.append(try Self.value(value)) }
        guard !values.isEmpty, isPresent else {
          throw list.fault("no line can have one of these values", "name some, or leave it out")
        }
      }
    }
    let (text, steps) = try path(pathField)
    let condition = MappedCondition(
      path: text, number: detection.number(of: steps), isPresent: isPresent, values: values)
    return (condition, steps)
  }

  private static func value(_ field: MappingField) throws(MappingFault) -> MappedValue {
    switch field.value.kind {
    case .string, .integer, .double, .true, .false:
      return MappedValue(kind: field.value.kind, text: Array(field.value.source.utf8))
    default:
      throw field.fault("it must be text, a number, true or false", "write one of them")
    }
  }

  // MARK: - Paths

  /// A JSON Pointer, in which `*` stands for the first item of a list that has the rest.
  private mutating func path(
    _ field: MappingField
  ) throws(MappingFault) -> (text: String, steps: [MappedStep]) {
    guard let text = field.value.text, text.isEmpty || text.hasPrefix("/") else {
      throw field.fault("a path begins with /", "write \"/name\", or \"/context/name\"")
    }
    pathCount += 1
    guard pathCount <= Mappings.mostPaths else {
      throw field.fault("there are more than \(Mappings.mostPaths) paths", "leave some out")
    }
    if text.isEmpty { return (text, []) }
    let names = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard names.count <= MappedPaths.longest else {
      throw field.fault("it has more than \(MappedPaths.longest) steps", "shorten it")
    }
    var steps: [MappedStep] = []
    for name in names {
      steps.append(
        name == "*" ? .item : .field(words.add(Array(JSONPointer.name(ofStep: name).utf8))))
    }
    guard words.count <= MappedWords.most else {
      throw field.fault("there are too many different names in paths", "leave some out")
    }
    return (text, steps)
  }

  /// Where a value of `kind` comes from: a path of the line, or, below the list that is unrolled,
  /// of the item.
  private mutating func source(
    _ field: MappingField, in kind: inout MappedRules, list: [MappedStep]?
  ) throws(MappingFault) -> (source: MappedSource, steps: [MappedStep]) {
    let (_, steps) = try path(field)
    if let list, steps.starts(with: list + [.item]) {
      let inner = Array(steps.dropFirst(list.count + 1))
      return (
        MappedSource(number: kind.itemPaths?.number(of: inner) ?? -1, isOfItem: true), inner
      )
    }
    if let list, steps.starts(with: list) {
      throw field.fault(
        "it lies in the list that is unrolled", "write /* behind the list, for each item of it")
    }
    return (MappedSource(number: kind.paths.number(of: steps)), steps)
  }

  // MARK: - Kinds of lines

  private mutating func kind(
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
    }
    // What a line is detected by is read, whether or not it is kept.
    for path in known { kind.paths.know(path) }
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

  /// Whose, when, and which event.
  private mutating func readOwner(
    of kind: inout MappedRules, _ fields: [String: MappingField],
    _ shared: [String: MappingField], _ list: [MappedStep]?, _ line: MappingField
  ) throws(MappingFault) {
    for (name, target) in [
      ("custom_id", \MappedRules.customID), ("installation_id", \.installationID), ("id", \.id),
    ] {
      guard let field = fields[name] ?? shared[name] else { continue }
      for item in field.list {
        let source = try source(item, in: &kind, list: list).source
        guard !source.isOfItem || name == "id" else {
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
    }
    return MappedTime(source: source, unit: unit ?? .auto, zone: zone)
  }

  /// The minutes of `Z` or `±HH:mm`.
  private static func minutes(_ text: String) -> Int? {
    let time = ByteBuffer(text: "2000-01-02T00:00:00\(text)")
    guard text == "Z" || text.utf8.count == 6, let utc = Timestamp.parse(time.view) else {
      return nil
    }
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
      let source = try source(field, in: &kind, list: list).source
      kind.fields.append((try Self.key(key, field), source))
    }
    for (key, field) in try fields["rename"]?.members() ?? [] {
      kind.renames[words.add(Array(key.utf8))] = try Self.key(try field.text(), field)
    }
    for (key, field) in try fields["constants"]?.members() ?? [] {
      guard kind.effect == .event else {
        throw field.fault("only events take constants", "leave it out")
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
      kind.name.append(MappedSource())
      kind.constantName = Array(try constant.text().utf8)
      // What comes behind it could never count.
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
      let (source, steps) = try source(item, in: &kind, list: list)
      if source.isOfItem {
        kind.itemPaths?.markAttributes(steps)
      } else {
        kind.paths.markAttributes(steps)
      }
      return MappedAttributes(source: source, pairs: nil)
    }
    let fields = try item.fields(["path", "key", "value"])
    let source = try source(try required("path", fields, item), in: &kind, list: list).source
    var paths = MappedPaths()
    let key = paths.number(of: try stepsOfPair(try required("key", fields, item)))
    var values: [Int] = []
    for value in try required("value", fields, item).list {
      values.append(paths.number(of: try stepsOfPair(value)))
    }
    return MappedAttributes(
      source: source, pairs: .init(paths: paths, key: key, values: values))
  }

  /// A path inside of a pair.
  private mutating func stepsOfPair(_ field: MappingField) throws(MappingFault) -> [MappedStep] {
    let (_, steps) = try path(field)
    guard !steps.isEmpty, !steps.contains(.item) else {
      throw field.fault("it must name a field of the pair", "write \"/key\", or \"/value/text\"")
    }
    return steps
  }

  /// A value that attributes get: one that breaks no limit, as it is not checked again.
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

  /// A key that attributes get.
  private static func key(_ text: String, _ field: MappingField) throws(MappingFault) -> [UInt8] {
    let bytes = ByteBuffer(text: text)
    let shape = Characters.nameShape(bytes.view)
    guard shape.isName, !shape.isMixed else {
      throw field.fault(
        "\"\(text)\" is no key of an attribute",
        "write small letters, digits and _, at most \(Characters.longestName)")
    }
    return Array(text.utf8)
  }
}
