package import Pipeline

/// An error in a mapping: the value in the file, and the reason.
package struct MappingFault: Error, Equatable {
  /// A JSON Pointer (RFC 6901) to the value; empty for the whole file.
  package let pointer: String
  /// The line of the file, from 1; nil if unknown.
  package let line: Int?
  package let why: String
  package let advice: String
}

extension Mappings {
  /// Most bytes of a file, kinds of lines of a mapping, and values of a condition.
  package static let longestFile = 1 << 20
  static let mostKinds = 64
  static let mostValues = 1_000
  /// Maximum number of steps of all paths of a run. A path in several kinds of lines counts for
  /// each; those in conditions of other kinds only count the steps that they add. Trees number
  /// their points in 16 bits and have an edge per point and word: less than 70 MB with
  /// ``MappedWords/most`` words, including the roots of the trees.
  static let mostSteps = 10_000

  /// Adds the mapping in `source`.
  package mutating func add(_ source: ByteView) throws(MappingFault) {
    let document: JSONDocument
    do throws(JSONDocument.Fault) {
      document = try JSONDocument(source, limit: Self.longestFile)
    } catch {
      throw MappingFault(
        pointer: "", line: Self.line(of: error, in: source), why: "it \(error.why)",
        advice: "write it as one JSON object")
    }
    let root = MappingField(value: document.root)
    try root.check(
      all.count < Self.most, "there are more than \(Self.most) mappings",
      "leave out those that the logs do not need")
    var reader = MappingReader(self)
    let mapping = try reader.read(root, hash: XXH64.hash(source))
    (words, paths, steps) = (reader.words, reader.detection, reader.steps)
    detection = paths.tree(words)
    all.append(mapping)
  }

  /// The line of the syntax error in `source`; nil for any other fault.
  private static func line(of fault: JSONDocument.Fault, in source: ByteView) -> Int? {
    guard case .invalidJSON(let offset, _) = fault else { return nil }
    return 1 + (0..<min(offset, source.count)).count { source[$0] == JSONByte.lineFeed }
  }
}

/// Turns a file into a ``Mapping``, and its paths into numbers.
struct MappingReader {
  var words: MappedWords
  var detection: MappedPaths
  private(set) var steps: Int
  /// The dialects of the mappings added before.
  private let described: [Dialect]
  /// The paths in the conditions of the mapping, and of its kinds of lines.
  private(set) var matched: [[MappedStep]] = []
  var conditionPaths: [[MappedStep]] = []
  /// The paths to texts that hold JSON.
  var jsonPaths: [[MappedStep]] = []
  /// The kinds of lines with the same lists of events.
  var groups: [MappedGroupDraft] = []
  /// The list whose items are read as lines, and whether they are read now instead of the line.
  var lists: (text: String, steps: [MappedStep])?
  var batch: [MappedStep]?
  /// The steps before paths.
  private var prefix: [MappedStep] = []

  init(_ mappings: Mappings) {
    (words, detection, steps) = (mappings.words, mappings.paths, mappings.steps)
    described = mappings.all.map(\.dialect)
  }

  /// The fields allowed in a mapping and in each of its kinds.
  private static let shared = [
    "custom_id", "installation_id", "id", "time", "untimed", "drop", "lost",
  ]
  private static let top =
    [
      "eventmill_mapping", "$schema", "dialect", "description", "match", "lines", "duplicate",
      "nobody", "batch",
    ]
    + shared
  static let kind =
    [
      "when", "as", "name", "attributes", "fields", "constants", "rename", "unroll", "profile",
      "opted_out",
    ] + shared

  mutating func read(_ root: MappingField, hash: UInt64) throws(MappingFault) -> Mapping {
    let fields = try root.fields(Self.top)
    let version = try required("eventmill_mapping", fields, root)
    try version.check(
      version.value.int == 1, "it must be 1", "this program reads no other form of mappings")
    let name = try required("dialect", fields, root)
    let dialect = try Self.dialect(name)
    try name.check(
      !described.contains(dialect), "another mapping describes \"\(dialect.name)\" as well",
      "give one of them, or call one otherwise")
    lists = try fields["batch"].map { field throws(MappingFault) in try path(field) }
    var (match, matched) = try conditions(try required("match", fields, root), group: -1)
    self.matched = matched
    try (fields["match"] ?? root).check(
      match.contains(where: \.isPresent), "it names nothing that a line has to have",
      "add a path that only these lines have")
    let lines = try required("lines", fields, root)
    try lines.check(
      1...Mappings.mostKinds ~= lines.list.count,
      "it must have 1 to \(Mappings.mostKinds) kinds of lines", "describe at least one")
    // What every kind replaces is checked, too.
    var (replaced, rules) = (self, MappedRules(effect: .event))
    try replaced.readSources(of: &rules, [:], fields)
    try replaced.readDropped(of: &rules, [:], fields)
    for name in ["$schema", "description"] { _ = try fields[name]?.text() }
    var kinds: [MappedRules] = []
    for line in lines.list { kinds.append(try kind(line, shared: fields)) }
    var matches = [match]
    if let list = lists, let field = fields["batch"] {
      try field.check(
        !list.steps.isEmpty && !list.steps.contains(.item), "it must be one list of the line",
        "name its path, such as \"/batch\"")
      (batch, prefix) = (list.steps, list.steps + [.item])
      (match, matched) = try conditions(try required("match", fields, root), group: -1)
      matches.append(match)
      self.matched += matched
      for line in lines.list { kinds.append(try kind(line, shared: fields)) }
    }
    for index in kinds.indices {
      try know(index, &kinds, at: lines)
      for path in jsonPaths {
        let (level, steps) = kinds[index].lists.level(of: path)
        kinds[index].levels[level][steps].isJSON = true
      }
    }
    for path in jsonPaths {
      detection[path].isJSON = true
      for index in groups.indices {
        let (level, steps) = groups[index].lists.level(of: path)
        groups[index].levels[level][steps].isJSON = true
      }
    }
    try readIDs(fields, into: &kinds)
    try countItems(kinds, at: lines)
    return Mapping(dialect, hash: hash, matches, kinds, groups, words)
  }

  /// Counts the points of items by index, which are made when all paths are known.
  private mutating func countItems(
    _ kinds: [MappedRules], at lines: MappingField
  ) throws(MappingFault) {
    for paths in kinds.flatMap(\.allPaths) + groups.flatMap(\.levels) + [detection] {
      let size = paths.treeCount(words, most: Mappings.mostSteps)
      try count(size - paths.pointCount, at: lines)
    }
  }

  /// Reads what holds for the ids of all kinds.
  private func readIDs(
    _ fields: [String: MappingField], into kinds: inout [MappedRules]
  ) throws(MappingFault) {
    if let duplicate = fields["duplicate"] {
      try duplicate.check(
        try duplicate.text() == "id", "it must be \"id\"", "write it, or leave the field out")
      for index in kinds.indices { kinds[index].hasTimelessIDs = true }
    }
    if let nobody = fields["nobody"] {
      var words: [String] = []
      for word in nobody.list { words.append(try word.text()) }
      try nobody.check(
        words.count <= Mappings.mostValues, "it has more than \(Mappings.mostValues) words",
        "name fewer")
      for index in kinds.indices { kinds[index].placeholders = Placeholders(added: words) }
    }
  }

  /// Notes what the conditions of other kinds read, and around a list what its other kinds read.
  private mutating func know(
    _ index: Int, _ kinds: inout [MappedRules], at lines: MappingField
  ) throws(MappingFault) {
    let group = kinds[index].group
    for path in conditionPaths {
      let (level, steps) = kinds[index].lists.level(of: path)
      let own = kinds[index].levels[level].pointCount
      kinds[index].levels[level][steps].isKnownElsewhere = true
      try count(kinds[index].levels[level].pointCount - own, at: lines)
    }
    for var other in kinds where group >= 0 && other.group == group {
      for path in other.outerPaths {
        let (level, steps) = kinds[index].lists.level(of: path)
        let point = kinds[index].levels[level][steps]
        let isOther = !point.takesAny && other.levels[level][steps].takesAny
        if point.number < 0 || isOther, !point.isAttributes {
          kinds[index].levels[level][steps].isDropped = true
        }
      }
    }
  }

  private static func dialect(_ name: MappingField) throws(MappingFault) -> Dialect {
    let text = try name.text()
    if let dialect = Dialect(mapped: text) { return dialect }
    let usual = String(foreignName(text, for: .key)?.prefix(Dialect.longestMappedName) ?? "")
    throw name.fault(
      "a dialect cannot have this name",
      (Dialect.isMappedName(usual) ? "did you mean \"\(usual)\"? " : "")
        + "write a small letter, then small letters, digits, _ and -, at most "
        + "\(Dialect.longestMappedName) in all, and not the name of a built-in dialect")
  }

  /// The name that foreign dialects form from a text; nil if none of its characters is usable.
  static func foreignName(_ text: String, for use: ForeignName.Use) -> String? {
    var name = ByteBuffer()
    let source = ByteBuffer(text: text)
    return ForeignName.append(source.view, for: use, to: &name) ? name.view.text : nil
  }

  func required(
    _ name: String, _ fields: [String: MappingField], _ object: MappingField
  ) throws(MappingFault) -> MappingField {
    guard let field = fields[name] else {
      throw object.fault("\"\(name)\" is missing", "add it")
    }
    return field
  }

  // MARK: - Conditions

  mutating func conditions(
    _ list: MappingField, group: Int
  ) throws(MappingFault) -> (conditions: [MappedCondition], paths: [[MappedStep]]) {
    var conditions: [MappedCondition] = []
    var paths: [[MappedStep]] = []
    for item in list.list {
      let (condition, steps) = try condition(item, group)
      conditions.append(condition)
      paths.append(steps)
    }
    return (conditions, paths)
  }

  private mutating func condition(
    _ item: MappingField, _ group: Int
  ) throws(MappingFault) -> (MappedCondition, [MappedStep]) {
    var pathField = item
    var isPresent = true
    var values: [MappedValue] = []
    var prefix: [UInt8]?
    if item.value.kind == .object {
      let fields = try item.fields(["path", "in", "prefix", "present"])
      pathField = try required("path", fields, item)
      isPresent = try fields["present"]?.flag() ?? true
      if let list = fields["in"] {
        for value in list.list { values.append(try Self.value(value)) }
        try list.check(
          !values.isEmpty && isPresent, "no line can have one of these values",
          "name some, or leave it out")
        try list.check(
          values.count <= Mappings.mostValues,
          "it has more than \(Mappings.mostValues) values", "name fewer")
      }
      if let field = fields["prefix"] {
        try field.check(isPresent, "nothing can begin with it", "leave it out")
        prefix = Array(try field.text().utf8)
      }
    }
    let (text, steps) = try path(pathField)
    let (level, inner) = group < 0 ? (0, steps) : groups[group].lists.level(of: steps)
    let number =
      level == 0 ? detection.number(of: inner) : groups[group].levels[level].number(of: inner)
    let condition = MappedCondition(
      path: text, level: level, number: number, isPresent: isPresent, values: values,
      prefix: prefix)
    return (condition, steps)
  }

  static func value(_ field: MappingField) throws(MappingFault) -> MappedValue {
    switch field.value.kind {
    case .string, .integer, .double, .true, .false:
      return MappedValue(kind: field.value.kind, text: Array(field.value.source.utf8))
    default:
      throw field.fault("it must be text, a number, true or false", "write one of them")
    }
  }

  // MARK: - Paths

  /// A JSON Pointer, in which `*` is the first item of a list that contains the rest.
  mutating func path(
    _ field: MappingField, isWhole: Bool = false
  ) throws(MappingFault) -> (text: String, steps: [MappedStep]) {
    let prefix = isWhole ? [] : prefix
    guard let text = field.value.text, text.isEmpty || text.hasPrefix("/") else {
      let names = field.value.text?.split { $0 == "." || $0 == "$" } ?? []
      throw field.fault(
        "a path begins with /",
        names.isEmpty
          ? "write \"/name\", or \"/context/name\""
          : "did you mean \"/\(names.joined(separator: "/"))\"?")
    }
    if text.isEmpty {
      try count(1, at: field)
      return (text, prefix)
    }
    let names = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    try field.check(
      names.count <= MappedPaths.longest, "it has more than \(MappedPaths.longest) steps",
      "shorten it")
    try count(prefix.count + names.count, at: field)
    var steps = prefix
    for name in names {
      try field.check(
        !name.replacing("~0", with: "").replacing("~1", with: "").contains("~"),
        "a ~ stands for nothing", "write ~0 for ~, and ~1 for / in a name")
      steps.append(name == "*" ? .item : .field(try word(JSONPointer.name(ofStep: name), field)))
    }
    return (text, steps)
  }

  /// Counts the steps of a path that is added to a tree.
  mutating func count(_ added: Int, at field: MappingField) throws(MappingFault) {
    steps += added
    try field.check(
      steps <= Mappings.mostSteps,
      "the paths of all mappings, for each kind of lines, have more than "
        + "\(Mappings.mostSteps) steps", "leave some out")
  }

  mutating func word(_ name: String, _ field: MappingField) throws(MappingFault) -> Int {
    let word = words.add(Array(name.utf8))
    try field.check(
      words.count <= MappedWords.most,
      "all mappings name more than \(MappedWords.most) different fields", "leave some out")
    return word
  }

  /// A path, or `{"path","type"}` with one of these types.
  func typedPath(
    _ field: MappingField, types: [MappedType]
  ) throws(MappingFault) -> (path: MappingField, type: MappedType?) {
    guard field.value.kind == .object else { return (field, nil) }
    try field.check(!types.isEmpty, "a path is a text", "write \"/name\"")
    let fields = try field.fields(["path", "type"])
    let name = try required("type", fields, field)
    let type = try name.choice(MappedType.self)
    try name.check(
      types.contains(type), "this value cannot be \(type.rawValue)",
      "write one of \(types.map(\.rawValue).joined(separator: ", ")), or leave it out")
    return (try required("path", fields, field), type)
  }

  /// The source of a value of `kind`: a path of the line or, below the list of events, of the item;
  /// its type is `type`, or one of `types` that the field names. `isData` as in
  /// ``MappedTree/Point``.
  mutating func source(
    _ field: MappingField, in kind: inout MappedRules, isData: Bool = false, isWhole: Bool = false,
    isList: Bool = false, as type: MappedType? = nil, types: [MappedType] = MappedType.allCases
  ) throws(MappingFault) -> (source: MappedSource, steps: [MappedStep]) {
    let (field, named) = try typedPath(field, types: types)
    let steps = try path(field).steps
    let (level, inner) = kind.lists.level(of: steps)
    try field.check(
      level == kind.lists.count || !inner.starts(with: kind.lists[level]),
      "it lies in the list that is unrolled", "write /* behind the list, for each item of it")
    try field.check(
      !inner.isEmpty || isWhole, "a whole line or item is not a value",
      "name a field, such as \"/name\"")
    try field.check(
      !isData || !kind.levels[level][inner].isDropped, "it is dropped as well", "leave one of them")
    if isData { kind.levels[level][inner].isData = true }
    let number = kind.levels[level].number(of: inner, as: named ?? type, isList: isList)
    if named == .json { jsonPaths.append(steps) }
    if level < kind.lists.count { kind.outerPaths.append(steps) }
    return (MappedSource(number: number, level: level), inner)
  }

  /// Reads something with the paths of the items of a batch, and again with those of the line.
  mutating func variants(
    _ read: (inout MappingReader) throws(MappingFault) -> Void
  ) throws(MappingFault) {
    try read(&self)
    if prefix.isEmpty { return }
    let items = prefix
    prefix = []
    defer { prefix = items }
    try read(&self)
  }

  /// Notes the list whose items are events, and the lists around it.
  mutating func unroll(
    _ list: [MappedStep], in kind: inout MappedRules, at field: MappingField
  ) throws(MappingFault) {
    let lists = list.split(separator: .item, omittingEmptySubsequences: false).map(Array.init)
    try field.check(
      !lists.contains([]), "a list cannot be an item of another one",
      "name the fields of the lists, as in /a/*/b")
    kind.lists = lists
    kind.levels += lists.map { _ in MappedPaths() }
    for (level, list) in lists.enumerated() { _ = kind.levels[level].number(of: list) }
    if let group = groups.firstIndex(where: { $0.lists == lists }) {
      kind.group = group
    } else {
      kind.group = groups.count
      groups.append(MappedGroupDraft(lists))
    }
  }
}
