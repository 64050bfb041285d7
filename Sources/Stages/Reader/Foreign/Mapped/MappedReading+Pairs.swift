import Pipeline

/// Attributes in other forms than fields: lists of pairs, objects of objects, lists of keys and of
/// values.
extension MappedReading {
  /// Calls `body` with each pair that has a value. Items that are not pairs are losses.
  func forEachPair(
    of attributes: MappedAttributes, _ tree: MappedTree?, _ body: (MappedPair) -> Void
  ) {
    let source = attributes.source
    let (list, path) = (value(source), path(source))
    guard list.exists, attributes.values == nil || tape[list].kind == .array else {
      if let values = attributes.values, has(values), isFilled(value(values).index) {
        draft.lose(.badKey, at: self.path(values))
      }
      return
    }
    if let values = attributes.values { return readLists(list, values, path, body) }
    guard let pairs = attributes.pairs, let tree else { return }
    switch tape[list].kind {
    case .object where pairs.key < 0:
      tape.forEachMember(of: list.index) { key in
        let place = found.places.field(Node(key), of: self.place(source))
        let name = found.name(tape[key], scope, draft)
        readPair(key + 1, named: name, pairs, tree, place, path.field(key), body)
      }
    case .array where pairs.key >= 0:
      tape.forEachItem(of: list.index) { item, position in
        let place = found.places.item(position, of: self.place(source))
        readPair(item, named: nil, pairs, tree, place, path.item(position), body)
      }
    default:
      // Not a list of pairs, so it is an attribute itself.
      let key = found.places.key(of: place(source))
      let name = key.exists ? found.name(tape[key], scope, draft) : ForeignNames.nothing
      draft.object.place = place(source)
      body(MappedPair(name: name, value: list.index, path: path))
    }
  }

  /// Reads the pair at tape index `item`, whose key is its own, or `name`.
  private func readPair(
    _ item: Int, named name: TapeEntry?, _ pairs: MappedAttributes.Pairs, _ tree: MappedTree,
    _ place: Int32, _ path: FieldPath, _ body: (MappedPair) -> Void
  ) {
    let kind = tape[item].kind
    guard kind == .object || kind == .array else {
      if isFilled(item) { draft.lose(.badKey, at: path) }
      return
    }
    let pair = scope.pair
    found.read(item, as: tree, into: pair, at: place, in: tape)
    noteUnread(of: pair)
    let key = pairs.key < 0 ? Node.none : pair[pairs.key].node
    let isText = key.exists && tape[key].kind == .string
    if key.exists, !isText, isFilled(key.index) { return draft.lose(.badKey, at: path) }
    let name = name ?? self.key(named: key)
    /// The first value that is not of its type.
    var other: (value: Node, fault: ReasonCode)?
    for number in pairs.values {
      let conversion = tree.conversions.first { $0.number == number }
      let found = pair[conversion?.source ?? number]
      let value = found.node
      guard value.exists else { continue }
      let isScalar = tape[value].kind != .object && tape[value].kind != .array
      var read = MappedPair(
        name: name, value: value.index,
        path: isScalar ? path : self.found.places.path(of: found.place))
      if let type = conversion?.type {
        guard let entry = converted(value, to: type) else {
          other = other ?? (value, fault(of: value, as: type))
          continue
        }
        (read.converted, read.form) = (entry, type.form)
      }
      if let other, other.value != value { draft.lose(other.fault, at: path) }
      draft.object.place = place
      return body(read)
    }
    if let other { draft.lose(other.fault, at: path) }
  }

  /// Reads a list of keys and one of values.
  private func readLists(
    _ keys: Node, _ values: MappedSource, _ path: FieldPath, _ body: (MappedPair) -> Void
  ) {
    let (list, names) = (value(values), tape.items(of: keys.index))
    let (count, listPath) = (list.exists ? tape.itemCount(of: list.index) : 0, self.path(values))
    for (position, name) in names.enumerated().dropFirst(count) where isFilled(name) {
      draft.lose(.badKey, at: path.item(position))
    }
    guard list.exists else { return }
    draft.object.place = place(values)
    guard tape[list].kind == .array else { return draft.lose(.badKey, at: listPath) }
    tape.forEachItem(of: list.index) { item, position in
      let name = key(named: position < names.count ? Node(names[position]) : .none)
      body(MappedPair(name: name, value: item, path: listPath.item(position)))
    }
  }

  /// The key that a text names; of kind `null` for any other value.
  private func key(named node: Node) -> TapeEntry {
    guard node.exists, tape[node].kind == .string else { return ForeignNames.nothing }
    return ForeignNames.key(named: tape[node], in: tape)
  }

  /// Whether the value at `node` is anything but null, blank text, or an empty object or array.
  func isFilled(_ node: Int) -> Bool {
    let entry = tape[node]
    return switch entry.kind {
    case .null: false
    case .string: !Characters.isBlank(tape.bytes(entry))
    case .object, .array: Int(entry.next) > node + 1
    default: true
    }
  }
}

/// An attribute in another form than a field.
struct MappedPair {
  /// Its key; of kind `null` if none is usable.
  let name: TapeEntry
  /// Tape index of its value, and what that is converted to.
  let value: Int
  var converted: TapeEntry?
  var form = KeyForm.plain
  let path: FieldPath
}
