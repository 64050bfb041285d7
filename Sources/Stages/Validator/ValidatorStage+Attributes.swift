import Pipeline

/// The attributes of events, at every depth (data-model 6, 7).
extension ValidatorStage {
  /// Validates the attributes of `event`. With `isLenient` (v1 only, where attributes are flat)
  /// invalid ones are dropped from the tape and become losses, and only the first ones by key are
  /// kept.
  mutating func validateAttributes(
    of event: inout EventEntry, limits: Limits, isLenient: Bool, in batch: RecordBatch
  ) {
    let node = event.attributes.index
    guard batch.tape[node].kind == .object else {
      let first = batch.reasons.count
      batch.reasons.add(
        .badAttributes, at: "attributes",
        detail: LikelyMistake.object(event.attributes, of: batch.tape))
      if isLenient { LenientMending.drop(reasonsFrom: first, of: batch) }
      event.attributes = .none
      return
    }
    if isDrafted(node, in: batch.tape) {
      event.attributeCount = 0
      batch.tape.forEachMember(of: node) { _ in event.attributeCount += 1 }
      remark(datesOf: node, at: FieldPath(root: "attributes"), in: batch)
      return
    }
    var path = FieldPath(root: "attributes")
    hasOverwritten = false
    let count = classifyKeys(of: node, isEventRoot: limits.hasRichTypes, in: batch)
    if hasOverwritten { noteOverwritten(of: node, at: path, in: batch) }
    event.attributeCount = Int32(count)
    if !isLenient { checkCount(count, limits: limits, path: path, in: batch) }
    var key = node + 1
    let end = Int(batch.tape[node].next)
    while key < end {
      let entry = batch.tape[key]
      if !entry.isDropped, !hasPlainValue(key, entry, of: batch.tape) {
        let first = batch.reasons.count
        path.push(key: key)
        validateRootMember(key, of: &event, limits: limits, path: &path, in: batch)
        path.pop()
        if isLenient { LenientMending.drop(attribute: key, reasonsFrom: first, of: batch) }
      }
      key = Int(entry.next)
    }
    guard isLenient else { return }
    event.attributeCount = Int32(
      LenientMending.keepFirst(limits.attributes, of: node, in: batch, &keys))
  }

  /// Whether the object was drafted, so that its content is valid.
  private func isDrafted(_ node: Int, in tape: Tape) -> Bool {
    Int(tape[node].next) > node + 1 && tape[node + 1].flags & TapeEntry.prevalidated != 0
  }

  /// Whether the field is of the usual kind: a plain key with a value that is valid under every
  /// rule.
  @inline(__always)
  private func hasPlainValue(_ key: Int, _ entry: TapeEntry, of tape: Tape) -> Bool {
    entry.form == KeyKind.plain.rawValue && PlainValue.isTriviallyValid(tape[key + 1], of: tape)
  }

  private mutating func validateRootMember(
    _ key: Int, of event: inout EventEntry, limits: Limits, path: inout FieldPath,
    in batch: RecordBatch
  ) {
    if refuse(key + 1, at: path, in: batch) { return }
    switch batch.tape[key].keyKind {
    case .label:
      event.label = Node(key + 1)
      validateLabel(event.label, in: batch)
      batch.tape[key].flags |= TapeEntry.dropped
    case .tags:
      event.tags = Node(key + 1)
      validateTags(event.tags, rule: .v2Tag, path: path, in: batch)
      batch.tape[key].flags |= TapeEntry.dropped
    default:
      validateMember(key, names: 1, limits: limits, path: &path, in: batch)
    }
  }

  /// Validates the value of `key`, which has `names` attribute names on its path, itself included.
  private mutating func validateMember(
    _ key: Int, names: Int, limits: Limits, path: inout FieldPath, in batch: RecordBatch
  ) {
    if refuse(key + 1, at: path, in: batch) { return }
    switch batch.tape[key].keyKind {
    case .bad: batch.reasons.add(.badKey, at: path, of: batch.tape)
    case .reserved, .label, .tags: batch.reasons.add(.reservedKey, at: path, of: batch.tape)
    case .date: validateDate(key + 1, key: key, path: path, in: batch)
    case .url: validateURL(key + 1, isKnown: limits.hasRichTypes, path: path, in: batch)
    case .plain: validateValue(key + 1, names: names, limits: limits, path: &path, in: batch)
    }
  }

  private mutating func validateValue(
    _ node: Int, names: Int, limits: Limits, path: inout FieldPath, in batch: RecordBatch
  ) {
    let entry = batch.tape[node]
    switch entry.kind {
    case .string, .integer, .double, .true, .false:
      if let fault = scalarFault(
        entry, rule: limits.refusesBlankAndNewline ? .v2String : .v1String, of: batch.tape)
      {
        batch.reasons.add(
          fault.code, at: path, of: batch.tape, limit: fault.limit, actual: fault.actual)
      }
    case .array, .object:
      if !limits.hasRichTypes {
        batch.reasons.add(.typeNotInV1, at: path, of: batch.tape)
      } else if names > Limits.nesting {
        batch.reasons.add(
          .tooNested, at: path, of: batch.tape, limit: Limits.nesting, actual: names)
      } else if entry.kind == .object {
        validateObject(node, names: names, limits: limits, path: &path, in: batch)
      } else {
        validateArray(node, names: names, limits: limits, path: &path, in: batch)
      }
    case .key, .null, .date:
      batch.reasons.add(.wrongType, at: path, of: batch.tape, detail: ExpectedType.noNull.detail)
    }
  }

  /// The fault of a string, number or boolean, or nil.
  func scalarFault(
    _ entry: TapeEntry, rule: TextRule, of tape: Tape
  ) -> ValueFault? {
    switch entry.kind {
    case .string: rule.fault(entry, of: tape)
    case .integer:
      DecimalNumber.fitsInt64(tape.bytes(entry)) ? nil : ValueFault(.integerOutOfRange)
    case .double:
      DecimalNumber.isFinite(tape.bytes(entry)) ? nil : ValueFault(.numberOutOfRange)
    default: nil
    }
  }

  private mutating func validateObject(
    _ node: Int, names: Int, limits: Limits, path: inout FieldPath, in batch: RecordBatch
  ) {
    let count = classifyKeys(of: node, isEventRoot: false, in: batch)
    checkCount(count, limits: limits, path: path, in: batch)
    batch.tape.forEachMember(of: node) { key in
      let entry = batch.tape[key]
      if !entry.isDropped, !hasPlainValue(key, entry, of: batch.tape) {
        path.push(key: key)
        validateMember(key, names: names + 1, limits: limits, path: &path, in: batch)
        path.pop()
      }
    }
  }

  private mutating func validateArray(
    _ node: Int, names: Int, limits: Limits, path: inout FieldPath, in batch: RecordBatch
  ) {
    var hasStrings = false
    var hasObjects = false
    batch.tape.forEachItem(of: node) { item, position in
      path.push(index: position)
      switch batch.tape[item].kind {
      case .string:
        hasStrings = true
        if !PlainValue.isTriviallyValid(batch.tape[item], of: batch.tape) {
          validateValue(item, names: names, limits: limits, path: &path, in: batch)
        }
      case .object:
        hasObjects = true
        validateObject(item, names: names, limits: limits, path: &path, in: batch)
      case .array: batch.reasons.add(.arrayNested, at: path, of: batch.tape)
      default:
        batch.reasons.add(
          .wrongType, at: path, of: batch.tape, detail: ExpectedType.itemOrObject.detail)
      }
      path.pop()
    }
    let count = batch.tape.itemCount(of: node)
    if hasStrings && hasObjects { batch.reasons.add(.arrayMixed, at: path, of: batch.tape) }
    if count > Limits.array {
      batch.reasons.add(
        .arrayTooLong, at: path, of: batch.tape, limit: Limits.array, actual: count)
    }
  }

  /// Text becomes a time, and so do epoch seconds; the entry is relabelled (data-model 16), unless
  /// it already is the canonical text of a time.
  func validateDate(_ node: Int, key: Int, path: FieldPath, in batch: RecordBatch) {
    let entry = batch.tape[node]
    let time: Int?
    switch entry.kind {
    case .string:
      let text = batch.tape.bytes(entry)
      // Text in the canonical form stays unchanged.
      if text.count == Timestamp.textLength, let time = Timestamp.parseCanonical(text) {
        return batch.remark(date: time, key: key, at: path)
      }
      time = Timestamp.parse(text)
    case .integer, .double:
      time = DecimalNumber.milliseconds(batch.tape.bytes(entry), per: .seconds)
        .flatMap { Timestamp.years.contains($0) ? $0 : nil }
    case .date:
      // Drafted as a date.
      return batch.remark(date: entry.milliseconds, key: key, at: path)
    default:
      batch.reasons.add(
        .wrongType, at: path, of: batch.tape,
        detail: LikelyMistake.structure(Node(node), of: batch.tape)
          ?? ExpectedType.untypedDate.detail)
      return
    }
    guard let time else {
      let text = batch.tape.bytes(entry)
      batch.reasons.add(
        .dateInvalid, at: path, of: batch.tape,
        detail: entry.kind == .string ? LikelyMistake.time(text) : LikelyMistake.dateNumber(text))
      return
    }
    batch.tape[node].kind = .date
    batch.tape[node].flags &= ~TapeEntry.decoded
    batch.tape[node].milliseconds = time
    batch.remark(date: time, key: key, at: path)
  }

  /// Adds remarks about the dates in an object that was drafted, at every depth.
  private func remark(datesOf object: Int, at path: FieldPath, in batch: RecordBatch) {
    batch.tape.forEachMember(of: object) { key in
      let value = batch.tape[key + 1]
      guard value.kind == .date || value.kind == .object || value.kind == .array else { return }
      var path = path
      path.push(key: key)
      switch value.kind {
      case .date: batch.remark(date: value.milliseconds, key: key, at: path)
      case .object: remark(datesOf: key + 1, at: path, in: batch)
      default:
        batch.tape.forEachItem(of: key + 1) { item, position in
          guard batch.tape[item].kind == .object else { return }
          var path = path
          path.push(index: position)
          remark(datesOf: item, at: path, in: batch)
        }
      }
    }
  }

  /// A URL is text with a scheme and a host; v1 events have no URLs.
  func validateURL(
    _ node: Int, isKnown: Bool, path: FieldPath, in batch: RecordBatch
  ) {
    let entry = batch.tape[node]
    guard isKnown else {
      batch.reasons.add(.typeNotInV1, at: path, of: batch.tape)
      return
    }
    guard entry.kind == .string else {
      batch.reasons.add(
        .wrongType, at: path, of: batch.tape, detail: ExpectedType.untypedURL.detail)
      return
    }
    let text = batch.tape.bytes(entry)
    if Characters.isBlank(text) {
      batch.reasons.add(.urlInvalid, at: path, of: batch.tape)
    } else if let actual = Characters.count(text, moreThan: Limits.url) {
      batch.reasons.add(
        .urlTooLong, at: path, of: batch.tape, limit: Limits.url, actual: actual)
    } else if !FormatRules.isURL(text) {
      batch.reasons.add(.urlInvalid, at: path, of: batch.tape)
    }
  }
}
