import Pipeline

/// Changes of profiles: attributes, links, erase marks and consent. Values follow the same
/// tolerance as those of events, so that no rule of an attribute rejects history that cannot be
/// sent again.
extension MappedReading {
  /// Reads a change of the record's person or installation.
  func readChange(into record: inout RecordEntry) {
    let hasBoth = record.customID.exists && record.installationID.exists
    let hasNone = !record.customID.exists && !record.installationID.exists
    // An item cannot reject the line it is in.
    if record.isPart, hasNone || kind.rules.effect == .alias && !hasBoth {
      draft.lose(.noIdentity, at: found.places.path(of: found.itemPlace))
      record.mayBeEmpty = true
      return
    }
    switch kind.rules.effect {
    case .identify:
      // Without attributes, two ids are a link, and one id has no effect.
      record.mayBeLink = true
      readTraits(of: record)
      readConsent(of: record)
      record.mayBeEmpty = hasBoth == hasNone
    case .alias: record.mayBeLink = true
    default:
      batch.addOperation(.erase, value: .none, onInstallation: !record.customID.exists)
    }
    guard record.isPart, hasBoth, record.mayBeLink,
      batch.operations.count == Int(record.firstOperation)
    else { return }
    let time = record.timeNode.exists ? tape.milliseconds(at: record.timeNode) : nil
    guard time.map(Rules.isTime) != true else { return }
    draft.lose(.missingTime, at: found.places.path(of: found.itemPlace))
    record.mayBeEmpty = true
  }

  /// Reads attributes of a profile.
  func readTraits(of record: RecordEntry) {
    let members = kind.rules.profile
    if members.isEmpty { return }
    let traits = draft.appendObject(at: FieldPath(root: "")) {
      draft.object.hasOperations = true
      for (number, values) in scope.levels.enumerated() {
        let overwritten = overwrittenKeys(in: values)
        noting(.traits(level: number), isShared: number < level) {
          forEachAttribute(of: values, ofProfile: true) { key, path in
            if overwritten.contains(key.index) { return }
            let path = path.field(key.index)
            if number < level, !found.spend(tape.size(of: key.next)) {
              return draft.lose(.attributesTruncated, at: path)
            }
            let name = found.name(tape[key], scope, draft)
            addTrait(name, source: key, value: key.index + 1, at: path)
          }
        }
      }
      for (index, attributes) in members.attributes.enumerated() where attributes.isList {
        noting(.profilePairs(index), isShared: attributes.level < level) {
          forEachPair(of: attributes, kind.profilePairTrees[index], addTrait)
        }
      }
      for (index, field) in members.fields.enumerated() {
        guard let source = firstSource(field.sources) else { continue }
        draft.object.place = place(source)
        let name = scope.profileFields[index]
        noting(.profileField(index), isShared: isShared(source)) {
          if let native = NativeKey(tape.bytes(name)) {
            addNative(native, name, value(source), of: record, at: path(source))
          } else {
            addTrait(name, source: .none, value: value(source).index, at: path(source))
          }
        }
      }
    }
    if Int(tape[traits].next) == traits.index + 1 { return }
    reader.readOperations(traits, isV1: false, into: batch)
  }

  /// The keys of attributes in `values` that later ones equal; those of the line are looked for
  /// once.
  private func overwrittenKeys(in values: MappedLine.Found) -> Set<Int> {
    if let known = values.overwritten { return known }
    var keys: Set<Int> = []
    for index in values.objects.indices where values.objects[index].isOfProfile {
      let object = values.objects[index].value.node.index
      keys.formUnion(batch.overwrittenKeys(of: object, with: reader.fold))
    }
    values.overwritten = keys
    return keys
  }

  private func addTrait(_ pair: MappedPair) {
    guard pair.name.kind == .key, let entry = pair.converted else {
      return addTrait(
        pair.name, source: .none, value: pair.value, at: pair.path, isPair: true)
    }
    var name = pair.name
    if pair.form != .plain {
      name = KeyName.typed(name, as: pair.form, part: 0..<Int(name.length), in: tape)
    }
    draft.addMember(name) { draft.append(scalar: entry, at: pair.path) }
  }

  /// Adds a native attribute, unless the value breaks its rule: that is a loss.
  private func addNative(
    _ native: NativeKey, _ name: TapeEntry, _ node: Node, of record: RecordEntry,
    at path: FieldPath
  ) {
    if native.isOfPerson, !record.customID.exists { return draft.lose(.needsCustomID, at: path) }
    draft.addMember(name) {
      if native == .topicPreferences, tape[node].kind == .array { return addTopics(node, at: path) }
      let copy = tape.appendCopy(of: node.index)
      if tape[copy].kind == .integer { tape[copy].kind = .string }
      guard tape[copy].kind != .null,
        !(native == .topicPreferences && isChange(copy)),
        let fault = native.fault(copy, in: tape)
      else { return }
      tape.truncate(to: copy)
      draft.lose(fault.code, at: path)
    }
  }

  /// Appends a list of those items that are topics; nothing if none is.
  private func addTopics(_ node: Node, at path: FieldPath) {
    let list = tape.append(TapeEntry(kind: .array))
    tape.forEachItem(of: node.index) { item, position in
      guard tape.count - list <= Limits.array else { return }
      let copy = tape.appendCopy(of: item)
      TagSet.lowercase(copy, in: tape)
      guard TextRule.topic.fault(tape[copy], of: tape) != nil else { return }
      tape.truncate(to: copy)
      draft.lose(.topicInvalid, at: path.item(position))
    }
    tape[list].next = UInt32(tape.count)
    guard tape.count == list + 1 else { return }
    tape.truncate(to: list)
    if tape.itemCount(of: node.index) == 0 { draft.lose(.emptyOperation, at: path) }
  }

  /// Whether the line or item has anything that changes a profile.
  var hasTraits: Bool {
    let rules = kind.rules
    return scope.levels.contains { values in
      values.attributes.indices.contains { index in
        let field = values.attributes[index]
        return field.isOfProfile && (!field.isObject || isFilled(field.node.index))
      }
    } || rules.profile.fields.contains { firstSource($0.sources) != nil }
      || rules.profile.attributes.contains {
        $0.isList && has($0.source) && isFilled(value($0.source).index)
      }
      || rules.constantOptOut != nil || firstSource(rules.optedOut) != nil
  }

  /// Adds an attribute: a list as one of texts; an object as one attribute for each of its fields.
  private func addTrait(
    _ name: TapeEntry, source: Node, value node: Int, at path: FieldPath, isPair: Bool = false
  ) {
    let value = tape[node]
    guard name.kind == .key else {
      if value.kind != .null { draft.lose(.badKey, at: path) }
      return
    }
    switch value.kind {
    case .object where isChange(node), .null:
      draft.addMember(name, source: source) { tape.appendCopy(of: node) }
    case .object:
      if Int(value.next) == node + 1 { return draft.lose(.emptyOperation, at: path) }
      batch.noteOverwritten(of: node, at: path, nulls: true, with: reader.fold)
      let overwritten = batch.overwrittenKeys(of: node, with: reader.fold)
      tape.forEachMember(of: node) { key in
        if overwritten.contains(key) { return }
        let joined = tape.text { text in
          text.append(tape.bytes(name))
          text.append(UInt8(ascii: "_"))
          text.append(tape.bytes(at: key))
        }
        addFlat(
          ForeignNames.key(named: joined, in: tape), source: isPair ? .none : Node(key),
          in: source, value: key + 1, at: path.field(key))
      }
    default: addFlat(name, source: source, value: node, at: path)
    }
  }

  /// Adds an attribute with a value that is not an object; one inside of another becomes JSON text.
  private func addFlat(
    _ name: TapeEntry, source: Node, in outer: Node = .none, value node: Int, at path: FieldPath
  ) {
    let value = tape[node]
    // Nulls unset an attribute, but not a part of one.
    if value.kind == .null { return }
    guard name.kind == .key else { return draft.lose(.badKey, at: path) }
    let losses = batch.findings.count
    var isEmpty = true
    draft.addMember(name, source: source, in: outer) {
      let first = tape.count
      var path = path
      switch value.kind {
      case .object: if Int(value.next) > node + 1 { draft.appendJSON(node, at: path) }
      case .array: draft.appendArray(node, names: 1, at: &path, asTexts: true)
      default: draft.append(node, names: 1, at: &path)
      }
      isEmpty = tape.count == first
    }
    if isEmpty, batch.findings.count == losses {
      let isText = value.kind == .string
      draft.lose(
        !isText ? .emptyOperation : value.length == 0 ? .stringEmpty : .stringBlank, at: path)
    }
  }

  /// Whether an object adds items to a list, and removes some.
  private func isChange(_ node: Int) -> Bool {
    var isChange = Int(tape[node].next) > node + 1
    tape.forEachMember(of: node) { key in
      let name = tape.bytes(at: key)
      isChange = isChange && (name == "$add" || name == "$remove") && tape[key + 1].kind == .array
    }
    return isChange
  }

  /// Reads whether the installation has opted out.
  func readConsent(of record: RecordEntry) {
    let rules = kind.rules
    guard rules.changesConsent else { return }
    var node = Node.none
    if let constant = rules.constantOptOut {
      node = Node(tape.appendScalar(TapeEntry(kind: constant ? .true : .false)))
    } else if let source = firstSource(rules.optedOut) {
      node = value(source)
    }
    guard node.exists else { return }
    guard record.installationID.exists else {
      return draft.lose(.needsInstallationID, at: "opted_out")
    }
    batch.addOperation(.register(.consent), value: node)
  }
}
