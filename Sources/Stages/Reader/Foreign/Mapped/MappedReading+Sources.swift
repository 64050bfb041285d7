import Pipeline

/// The values of a line that a rule of its mapping reads: of several sources the first one.
extension MappedReading {
  func firstSource(_ sources: [MappedSource]) -> MappedSource? { sources.first(where: has) }

  func has(_ source: MappedSource) -> Bool { value(source).exists }

  /// Whether a source is the same for all items of a list.
  func isShared(_ source: MappedSource) -> Bool { source.level < level }

  private func found(_ source: MappedSource) -> MappedLine.Value {
    let value = scope.levels[source.level][source.number]
    if source.pair < 0 || !value.node.exists { return value }
    return scope.pair(source.pair, of: value.node, in: tape) { pair(source, of: value) }
  }

  func value(_ source: MappedSource) -> Node { found(source).node }

  func place(_ source: MappedSource) -> Int32 { found(source).place }

  func path(_ source: MappedSource) -> FieldPath { found.places.path(of: place(source)) }

  /// The value of the pair of a list that has the key the source wants. Complexity: O(pairs).
  private func pair(_ source: MappedSource, of list: MappedLine.Value) -> MappedLine.Value {
    var result = MappedLine.Value()
    guard list.node.exists, tape[list.node].kind == .array else { return result }
    let pairs = kind.rules.pairs[source.pair]
    tape.forEachItem(of: list.node.index) { item, position in
      guard !result.node.exists, tape[item].kind == .object || tape[item].kind == .array else {
        return
      }
      let place = found.places.item(position, of: list.place)
      guard let tree = kind.idPairTree else { return }
      found.read(item, as: tree, into: scope.pair, at: place, in: tape)
      let key = scope.pair[pairs.key].node
      guard key.exists, tape.bytes(at: key) == pairs.wanted else { return }
      result = scope.pair[pairs.values[0]]
    }
    return result
  }

  /// Whether an id is the value of the pair `item`, in one of the lists in `found`.
  func readsID(in item: Node, _ found: MappedLine.Found) -> Bool {
    [kind.rules.customID, kind.rules.installationID].contains { sources in
      sources.contains { source in
        source.pair >= 0 && scope.levels[source.level] === found
          && item.index..<Int(tape[item].next) ~= value(source).index
      }
    }
  }

  // MARK: - Ids

  /// Sets the first valid ids. Invalid ones before them are losses, those of the line once.
  func identify(_ record: inout RecordEntry) {
    record.customID = first(.customID, kind.rules.customID, customID)
    record.installationID = first(.installationID, kind.rules.installationID, installationID)
  }

  private func first(
    _ value: SharedAttributes.Value, _ sources: [MappedSource], _ id: (MappedSource) -> Node
  ) -> Node {
    for (index, source) in sources.enumerated() where has(source) {
      let node = draft(value, index, isShared: isShared(source)) { id(source) }
      if node.exists { return node }
    }
    return .none
  }

  /// The custom id at a source. An integer is valid only under a name by which an erasure finds it.
  private func customID(_ source: MappedSource) -> Node {
    let node = value(source)
    guard tape[node].kind != .integer || isNamedAsID(node) else {
      draft.lose(.badIDIgnored, at: path(source))
      return .none
    }
    return identifier(node, .person, source)
  }

  /// `node` if it is a valid id, and a placeholder neither for the run nor for the mapping.
  private func identifier(_ node: Node, _ kind: IDKind, _ source: MappedSource) -> Node {
    isPlaceholder(node, kind, source) ? .none : draft.identifier(node, kind, at: path(source))
  }

  /// Whether the id is a placeholder by the words of the mapping; then it is a loss. With
  /// `--nobody none` these words do not count.
  private func isPlaceholder(_ node: Node, _ kind: IDKind, _ source: MappedSource) -> Bool {
    guard let placeholders = self.kind.rules.placeholders, !draft.scratch.placeholders.isFewest,
      placeholders.contain(tape[node], as: kind, of: tape)
    else { return false }
    draft.lose(.nobodyID, at: path(source))
    return true
  }

  private func isNamedAsID(_ node: Node) -> Bool {
    tape[node.previous].kind == .key
      && reader.foreign.identityKeys.mayHoldNumber(tape.bytes(at: node.previous))
  }

  /// The same for an installation, in a copy: the validator stores a UUID in upper case.
  private func installationID(_ source: MappedSource) -> Node {
    var node = value(source)
    var entry = tape[node]
    if entry.kind == .integer ? isNamedAsID(node) : UUIDText.shape(tape.bytes(entry)).isMixed {
      entry.kind = .string
      node = Node(tape.appendScalar(entry))
    }
    return identifier(node, .installation, source)
  }

  /// The id of an event. Several sources give one id: their texts, separated by spaces. All but the
  /// last must not contain spaces, so that different texts never become the same id.
  private func eventID(_ sources: [MappedSource]) -> Node {
    let isTimeless = kind.rules.hasTimelessIDs
    guard sources.count > 1 else {
      let node = value(sources[0])
      if isTimeless, isPlaceholder(node, .event, sources[0]) { return .none }
      return draft.eventID(node, isTimeless: isTimeless, at: path(sources[0]))
    }
    // An invalid id is reported at its first path of the item, if it has one.
    let own = sources.first { !isShared($0) }
    for (index, source) in sources.enumerated() {
      let (kind, text) = (tape[value(source)].kind, tape.bytes(at: value(source)))
      let hasSpace = text.firstIndex(of: UInt8(ascii: " ")) != nil
      guard kind == .string || kind == .integer, !hasSpace || index == sources.count - 1 else {
        draft.lose(.badIDIgnored, at: path(isShared(source) ? own ?? source : source))
        return .none
      }
    }
    return draft.eventID(
      Node(tape.appendScalar(joined(sources))), isTimeless: isTimeless, at: path(own ?? sources[0]))
  }

  /// The texts of sources as one, of each the first bytes, more than any id, name or time has.
  private func joined(
    _ sources: [MappedSource], by separator: [UInt8] = [JSONByte.space]
  ) -> TapeEntry {
    tape.text { text in
      for (index, source) in sources.enumerated() {
        if index > 0 { text.append(contentsOf: separator) }
        let part = tape.bytes(at: value(source))
        text.append(part[0..<Characters.wholeCharacters(part, atMost: Self.longestPart)])
      }
    }
  }

  /// Most bytes of a text that is joined: an id has at most 256 characters.
  private static var longestPart: Int { 4 << 10 }

  /// The first valid id of an event. Invalid ones before it are losses.
  func firstID() -> Node {
    for (index, sources) in kind.rules.id.enumerated() where sources.allSatisfy(has) {
      let id = draft(.id, index, isShared: sources.allSatisfy(isShared)) { eventID(sources) }
      if id.exists { return id }
    }
    return .none
  }

  // MARK: - Times and names

  /// The first time, none if the line has none.
  func firstTime() -> Node {
    guard
      let index = kind.rules.time.firstIndex(where: { $0.sources.allSatisfy(has) })
    else { return .none }
    let time = kind.rules.time[index]
    return draft(.time, index, isShared: time.sources.allSatisfy(isShared)) {
      let isJoined = time.sources.count > 1
      let node = isJoined ? Node(tape.appendScalar(joined(time.sources))) : value(time.sources[0])
      return draft.time(node, as: time, at: path(time.sources[0]))
    }
  }

  /// Drafts a value; one that items share once, when the first one needs it.
  private func draft(
    _ value: SharedAttributes.Value, _ index: Int, isShared: Bool, _ draft: () -> Node
  ) -> Node {
    guard isShared else { return draft() }
    if let node = scope.shared.values[value.rawValue][index] { return node }
    let node = notingLineLosses(draft)
    scope.shared.values[value.rawValue][index] = node
    return node
  }

  /// Drafts a part of an item: what it loses of the line is told once, as a loss of the line,
  /// unless it rejects the item.
  func noting(_ part: SharedAttributes.Part, isShared: Bool, _ body: () -> Void) {
    guard isShared else { return body() }
    let count = found.losses.count
    notingLineLosses(body)
    if reader.foreign.policy == .strict {
      let losses = found.losses[count...]
      batch.findings.append(losses.filter(\.code.isCut)[...])
      found.losses.replaceSubrange(count..., with: losses.filter { !$0.code.isCut })
    }
    guard found.losses.count > count, !scope.shared.told.insert(part).inserted else { return }
    found.losses.removeSubrange(count...)
  }

  /// Drafts what items share: its losses are those of the line.
  func notingLineLosses<Result>(_ body: () -> Result) -> Result {
    let first = batch.findings.count
    let result = body()
    found.losses += batch.findings.remove(from: first)
    return result
  }

  /// The name of an event from the first source that is present, and the source if that differs.
  func name() -> (node: Node, source: Node) {
    guard let name = kind.rules.name.first(where: { $0.sources.allSatisfy(has) }) else {
      return (.none, .none)
    }
    if name.sources.isEmpty {
      let constant = tape.text { $0.append(contentsOf: name.constant) }
      return (Node(tape.appendScalar(constant)), .none)
    }
    let isShared = name.sources.allSatisfy(isShared)
    if isShared, let shared = scope.shared.name { return shared }
    var event = EventEntry(record: 0)
    draft.name(text(of: name), of: &event)
    if isShared { scope.shared.name = (event.nameNode, event.sourceName) }
    return (event.nameNode, event.sourceName)
  }

  /// The text of a name: one value as it is, several joined; without a beginning that is left out.
  private func text(of name: MappedName) -> Node {
    let other = name.sources.first { source in
      ![.string, .integer, .double].contains(tape[value(source)].kind)
    }
    if let other { return value(other) }
    let node = value(name.sources[0])
    var text = tape[node]
    if name.sources.count > 1 { text = joined(name.sources, by: name.separator) }
    let whole = tape.bytes(text)
    let prefix = name.prefixes.first { $0.count < whole.count && whole[0..<$0.count] == $0 }
    if name.sources.count == 1, prefix == nil, text.kind == .string { return node }
    text.kind = .string
    text.start += UInt32(prefix?.count ?? 0)
    text.length -= UInt32(prefix?.count ?? 0)
    return Node(tape.appendScalar(text))
  }

  // MARK: - Types

  /// Converts the values of a level to the types of the mapping; one of another type is a loss.
  func convert(level: Int) {
    let found = scope.levels[level]
    for conversion in kind.trees[level].conversions {
      let value = found[conversion.source]
      guard value.node.exists else { continue }
      if let entry = converted(value.node, to: conversion.type) {
        found[conversion.number] = MappedLine.Value(
          node: Node(tape.appendScalar(entry)), place: value.place)
      } else {
        draft.lose(
          fault(of: value.node, as: conversion.type), at: self.found.places.path(of: value.place))
      }
    }
  }

  /// The value at `node` as one of that type, not yet appended; nil if it is none.
  func converted(_ node: Node, to type: MappedType) -> TapeEntry? {
    var entry = tape[node]
    let text = tape.bytes(entry)
    switch (type, entry.kind) {
    case (.text, .object), (.text, .array): return draft.json(node.index)
    case (.text, .integer), (.text, .double), (.text, .true), (.text, .false): entry.kind = .string
    case (.text, .string), (.number, .integer), (.number, .double), (.bool, .true),
      (.bool, .false), (.date, .date):
      break
    case (.number, .string):
      let count = tape.count
      defer { tape.truncate(to: count) }
      guard case .value(let root) = Scanner.scan(textAt: node.index, into: tape),
        tape[root].kind == .integer || tape[root].kind == .double
      else { return nil }
      entry = tape[root]
    case (.bool, .string), (.bool, .integer):
      switch text.count < 6 ? text.text.lowercased() : "" {
      case "true", "1": entry.kind = .true
      case "false", "0": entry.kind = .false
      default: return nil
      }
    case (.date, .string), (.date, .integer), (.date, .double):
      guard let time = Timestamp.parse(text) ?? MappedTime.Unit.milliseconds(ofDate: text) else {
        return nil
      }
      entry = TapeEntry(kind: .date)
      entry.milliseconds = time
    case (.url, .string): if TextRule.url.fault(text) != nil { return nil }
    default: return nil
    }
    return entry
  }

  /// The loss of a value that is not of the type.
  func fault(of node: Node, as type: MappedType) -> ReasonCode {
    switch type {
    case .date: .dateInvalid
    case .url where tape[node].kind == .string:
      TextRule.url.fault(tape.bytes(at: node))?.code ?? .urlInvalid
    case .url: .urlInvalid
    default: .wrongType
    }
  }
}
