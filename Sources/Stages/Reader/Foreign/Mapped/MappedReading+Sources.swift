import Pipeline

/// The values of a line that a rule of its mapping reads: of several sources the first one.
extension MappedReading {
  /// The first source that has a value or is a constant.
  func firstSource(_ sources: [MappedSource], item: Int?) -> MappedSource? {
    sources.first { has($0, item: item) }
  }

  func has(_ source: MappedSource, item: Int?) -> Bool {
    source.number < 0 || (item != nil || !source.isOfItem) && value(source).exists
  }

  /// Whether the result of the sources may differ between items.
  static func areOfItem(_ sources: [MappedSource]) -> Bool {
    sources.contains(where: \.isOfItem)
  }

  private func found(_ source: MappedSource) -> MappedLine.Value {
    (source.isOfItem ? found.item : found.line)[source.number]
  }

  func value(_ source: MappedSource) -> Node { found(source).node }

  func place(_ source: MappedSource) -> Int32 { found(source).place }

  func path(_ source: MappedSource) -> FieldPath {
    found.places.path(of: place(source))
  }

  /// The custom id at a source; none for an invalid one, which is a loss. An integer is valid only
  /// under a name by which an erasure finds it.
  func customID(_ source: MappedSource) -> Node {
    let node = value(source)
    guard tape[node].kind != .integer || isNamedAsID(node) else {
      draft.lose(.badIDIgnored, at: path(source))
      return .none
    }
    return draft.identifier(node, .person, at: path(source))
  }

  private func isNamedAsID(_ node: Node) -> Bool {
    tape[node.previous].kind == .key
      && reader.foreign.identityKeys.mayHoldNumber(tape.bytes(at: node.previous))
  }

  /// The same for an installation. The validator stores a UUID in upper case; other rules may read
  /// the same field, so it is copied.
  func installationID(_ source: MappedSource) -> Node {
    var node = value(source)
    var entry = tape[node]
    if entry.kind == .integer ? isNamedAsID(node) : UUIDText.shape(tape.bytes(entry)).isMixed {
      entry.kind = .string
      node = Node(tape.appendScalar(entry))
    }
    return draft.identifier(node, .installation, at: path(source))
  }

  /// The id of an event. Several sources give one id: their texts, separated by spaces. All but the
  /// last must not contain spaces, so that different texts never become the same id.
  func eventID(_ sources: [MappedSource]) -> Node {
    let isTimeless = kind.rules.hasTimelessIDs
    guard sources.count > 1 else {
      return draft.eventID(value(sources[0]), isTimeless: isTimeless, at: path(sources[0]))
    }
    // An invalid id is reported at its first path of the item, if it has one.
    let own = sources.first(where: \.isOfItem)
    for (index, source) in sources.enumerated() {
      let (kind, text) = (tape[value(source)].kind, tape.bytes(at: value(source)))
      let hasSpace = text.firstIndex(of: UInt8(ascii: " ")) != nil
      guard kind == .string || kind == .integer, !hasSpace || index == sources.count - 1 else {
        draft.lose(.badIDIgnored, at: path(source.isOfItem ? source : own ?? source))
        return .none
      }
    }
    let joined = tape.text { text in
      for (index, source) in sources.enumerated() {
        if index > 0 { text.append(UInt8(ascii: " ")) }
        text.append(tape.bytes(at: value(source)))
      }
    }
    return draft.eventID(
      Node(tape.appendScalar(joined)), isTimeless: isTimeless, at: path(own ?? sources[0]))
  }

  /// The first valid id of an event. Invalid ones before it are losses.
  func firstID(item: Int?) -> Node {
    for (index, sources) in kind.rules.id.enumerated() where isPresent(sources, item: item) {
      let isShared = item != nil && !Self.areOfItem(sources)
      let id = isShared ? found.shared.ids[index] : eventID(sources)
      if id.exists { return id }
    }
    return .none
  }

  /// Whether an item has a valid id before those that the alternative with number `index` gives.
  func hasID(before index: Int, item: Int) -> Bool {
    kind.rules.id[..<index].enumerated().contains { earlier, sources in
      guard Self.areOfItem(sources) else { return found.shared.ids[earlier].exists }
      guard isPresent(sources, item: item) else { return false }
      let first = batch.findings.count
      defer { batch.findings.truncate(to: first) }
      return eventID(sources).exists
    }
  }

  /// Whether all texts of an id are present.
  func isPresent(_ id: [MappedSource], item: Int?) -> Bool {
    id.allSatisfy { has($0, item: item) }
  }

  func firstTime(item: Int?) -> MappedTime? {
    kind.rules.time.first { has($0.source, item: item) }
  }

  func timeNode(_ time: MappedTime?) -> Node {
    guard let time else { return .none }
    return draft.time(value(time.source), as: time, at: path(time.source))
  }
}
