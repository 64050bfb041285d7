import Pipeline

/// The attributes of events, at every depth (data-model 6, 7).
extension Judge {
  /// Judges the attributes of the event. Leniently (v1 only, where attributes are flat) invalid
  /// ones become losses, and only the first ones by key are kept.
  func judgeAttributes() {
    let node = event.attributes.index
    guard tape[node].kind == .object else {
      // PHP writes an empty object so (data-model 3.2).
      let isEmptyList = tape[node].kind == .array && Int(tape[node].next) == node + 1
      if isV1, !isLenient, isEmptyList { return event.attributes = .none }
      let first = batch.reasons.count
      batch.reasons.add(
        .badAttributes, at: "attributes", detail: LikelyMistake.object(event.attributes, of: tape))
      if isLenient { LenientRepair.drop(reasonsFrom: first, of: batch) }
      event.attributes = .none
      return
    }
    path = FieldPath(root: "attributes")
    if isDrafted(node) {
      event.attributeCount = 0
      tape.forEachMember(of: node) { _ in event.attributeCount += 1 }
      return remarkDates(of: node)
    }
    let count = judgeObject(node, names: 0)
    event.attributeCount = Int32(
      isLenient ? LenientRepair.keepFirst(limits.attributes, of: node, in: batch) : count)
  }

  /// Whether the object was drafted, so that its content is valid.
  private func isDrafted(_ node: Int) -> Bool {
    Int(tape[node].next) > node + 1 && tape[node + 1].flags & TapeEntry.prevalidated != 0
  }

  /// Judges the attributes in the object at `node`, which has `names` attribute names on its path:
  /// 0 for the event's own. Returns their number, without label and tags.
  @discardableResult
  private func judgeObject(_ node: Int, names: Int) -> Int {
    let (isRoot, isLenient) = (names == 0, isLenient)
    let count = classifyKeys(of: node, isEventRoot: isRoot && !isV1)
    if isRoot, hasOverwritten { noteOverwritten(of: node) }
    if count > limits.attributes, !isLenient {
      add(.tooManyAttributes, limit: limits.attributes, actual: count)
    }
    let rule = isV1 ? TextRule.v1String : .v2String
    var key = node + 1
    let end = Int(tape[node].next)
    while key < end {
      let entry = tape[key]
      if !entry.isDropped,
        entry.form != KeyKind.plain.rawValue || !rule.isPlain(tape[key + 1], of: tape)
      {
        let first = batch.reasons.count
        path.push(key: key)
        judgeMember(key, rule, names: names + 1)
        path.pop()
        if isLenient { LenientRepair.drop(attribute: key, reasonsFrom: first, of: batch) }
      }
      key = Int(entry.next)
    }
    return count
  }

  private func judgeMember(_ key: Int, _ rule: TextRule, names: Int) {
    let node = key + 1
    if refuse(node) { return }
    let kind = tape[key].keyKind
    guard let form = kind.form else { return judgeMember(key, of: kind) }
    let type = tape[node].kind
    let isContainer = form == .plain && (type == .array || type == .object)
    if isV1, isContainer || !form.isInV1 {
      add(.typeNotInV1)
    } else if isContainer, names > Limits.nesting {
      add(.tooNested, limit: Limits.nesting, actual: names)
    } else if form != .plain {
      judge(node, as: form)
    } else if type == .array {
      judgeItems(node, .v2Item, names: names)
    } else if type == .object {
      judgeObject(node, names: names)
    } else {
      judge(node, rule)
    }
  }

  /// Judges a field whose key is not that of an attribute.
  private func judgeMember(_ key: Int, of kind: KeyKind) {
    switch kind {
    case .label:
      event.label = Node(key + 1)
      judge(key + 1, .v2Label)
    case .tags:
      event.tags = Node(key + 1)
      judgeTags()
    default: return add(kind == .reserved ? .reservedKey : .badKey)
    }
    tape[key].flags |= TapeEntry.dropped
  }

  /// Judges the value of a key with a type.
  func judge(_ node: Int, as form: KeyForm) {
    if let rule = form.rule { judge(node, rule) } else { judgeDate(node) }
  }

  /// Judges the items of the array at `node`, and their number. In the attributes of an event, with
  /// `names` attribute names on its path, they may be objects, or there may be none.
  func judgeItems(_ node: Int, _ rule: TextRule, names: Int? = nil) {
    var (count, texts, objects) = (0, 0, 0)
    tape.forEachItem(of: node) { item, position in
      path.push(index: position)
      if let names, tape[item].kind == .object {
        objects += 1
        judgeObject(item, names: names)
      } else {
        if tape[item].kind == .string { texts += 1 }
        if rule.format == .topic { TagSet.lowercase(item, in: tape) }
        judge(item, rule)
      }
      path.pop()
      count += 1
    }
    if texts > 0, objects > 0 { add(.arrayMixed) }
    if count == 0, names == nil { add(.emptyOperation) }
    if count > Limits.array { add(.arrayTooLong, limit: Limits.array, actual: count) }
  }

  /// Text becomes a time, and so do epoch seconds; the entry is relabelled (data-model 16), unless
  /// it already is the canonical text of a time.
  private func judgeDate(_ node: Int) {
    let entry = tape[node]
    let text = entry.kind == .date ? "" : tape.bytes(entry)
    let time: Int?
    switch entry.kind {
    case .string:
      if text.count == Timestamp.textLength, let time = Timestamp.parseCanonical(text) {
        return batch.remark(date: time, key: node - 1, at: path)
      }
      time = Timestamp.parse(text)
    case .integer, .double:
      time = DecimalNumber.milliseconds(text, per: .seconds)
        .flatMap { Timestamp.years.contains($0) ? $0 : nil }
    // Drafted as a date.
    case .date: return batch.remark(date: entry.milliseconds, key: node - 1, at: path)
    default:
      let structure = LikelyMistake.structure(Node(node), of: tape)
      return add(.wrongType, detail: structure ?? ExpectedType.untypedDate.detail)
    }
    guard let time else {
      let isText = entry.kind == .string
      return add(
        .dateInvalid, detail: isText ? LikelyMistake.time(text) : LikelyMistake.dateNumber(text))
    }
    tape[node].kind = .date
    tape[node].flags &= ~TapeEntry.decoded
    tape[node].milliseconds = time
    batch.remark(date: time, key: node - 1, at: path)
  }

  /// Adds remarks about the dates in an object that was drafted, at every depth.
  private func remarkDates(of object: Int) {
    tape.forEachMember(of: object) { key in
      let value = tape[key + 1]
      guard value.kind == .date || value.kind == .object || value.kind == .array else { return }
      path.push(key: key)
      if value.kind == .date { batch.remark(date: value.milliseconds, key: key, at: path) }
      remarkDates(of: key + 1)
      tape.forEachItem(of: key + 1) { item, position in
        path.push(index: position)
        remarkDates(of: item)
        path.pop()
      }
      path.pop()
    }
  }
}
