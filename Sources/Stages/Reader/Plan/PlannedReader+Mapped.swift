import Pipeline

/// Records of lines that a mapping describes.
extension PlannedReader {
  /// Reads an object with fields in paths of a mapping, which may repeat none.
  func readMapped(
    _ place: PlanPlace, _ start: TokenCursor, into batch: RecordBatch
  ) throws(NotPlain) -> TokenCursor {
    var cursor = start
    cursor.position &+= 1
    let container = place.object
    var seen: UInt64 = 0
    let firstKey = outerKeys
    defer { outerKeys = firstKey }
    repeat {
      let key = cursor.position &+ 1
      let name = cursor.name(in: batch.tape.names)
      if name == 0 || outerKeys &- firstKey >= Self.mostKeys { throw NotPlain() }
      var step = batch.steps[name, container]
      if step.action != .nothing {
        step = try act(on: step, name, key..<cursor.position &- 2, container, into: batch)
      }
      let bit: UInt64 = 1 &<< UInt64(name & 63)
      if seen & bit != 0 {
        guard isNew(name, among: firstKey..<outerKeys) else { throw NotPlain() }
      }
      seen |= bit
      keys[outerKeys] = name
      outerKeys &+= 1
      try take(step.place, &cursor, into: batch)
    } while cursor.pass(JSONByte.comma)
    guard cursor.close(JSONByte.closeBrace) else { throw NotPlain() }
    return cursor
  }

  /// Reads a value at a path of a mapping: a scalar is noted, a null counts as absent.
  func take(_ place: PlanPlace, _ cursor: inout TokenCursor, into batch: RecordBatch)
    throws(NotPlain)
  {
    let isDropped = place.rule == .dropped
    switch cursor.byte {
    case JSONByte.quote:
      guard place.keeps || isDropped, let range = cursor.text(), !cursor.isEscaped(range) else {
        throw NotPlain()
      }
      if place.keeps { self[place] = keep(range, .string, batch.tape) }
    case JSONByte.openBrace where place.object > 0:
      // Of several objects of attributes each would have a slot of its own.
      if place.role > 0, self[place].exists { throw NotPlain() }
      self[place] = Node(batch.tape.count)
      cursor = try readObject(place, cursor, into: batch)
    case JSONByte.openBrace, JSONByte.openBracket:
      guard isDropped, let end = cursor.skippedContainer() else { throw NotPlain() }
      cursor.position = end
    default:
      let start = cursor.position
      let kind: TapeKind
      (kind, cursor.position) = cursor.scalar()
      guard kind != .object, place.keeps || isDropped || kind == .null else { throw NotPlain() }
      if place.keeps, kind != .null {
        self[place] = keep(start..<cursor.position, kind, batch.tape)
      }
    }
  }

  /// Appends a line and its event, when everything has been read.
  func addRecord(_ plan: MappedPlan, _ line: Range<Int>, into batch: RecordBatch) throws(NotPlain) {
    let tape = batch.tape
    let kind = plan.conditions.firstIndex { checks in
      checks.allSatisfy { $0.condition.holds(nodes[$0.slot & 63], of: tape) }
    }
    guard kind == plan.conditions.count - 1 else { throw NotPlain() }
    var record = RecordEntry(line: UInt32(batch.lines.count), dialect: plan.dialect)
    record.form = .drafted
    record.hasEventList = false
    record.isSettled = true
    try identify(&record, plan, tape)
    record.firstEvent = UInt32(truncatingIfNeeded: batch.events.count)
    record.eventCount = 1
    record.firstOperation = UInt32(truncatingIfNeeded: batch.operations.count)
    var event = EventEntry(record: UInt32(truncatingIfNeeded: batch.records.count))
    event.outcome = .accepted
    event.hasTimelessID = plan.kind.rules.hasTimelessIDs
    event.idNode = try id(plan, tape)
    event.time = try time(plan, tape)
    event.attributes = try attributes(plan, tape)
    try name(&event, plan, tape)
    event.attributeCount = Int32(truncatingIfNeeded: attributeCount)
    let index = batch.events.count
    batch.events.append(event)
    guard batch.storeName(of: &batch.events[index], isV1: false) else { throw NotPlain() }
    addLine(line, record, isCompact: false, to: batch)
  }

  @inline(__always)
  private func first(_ slots: [Int]) -> Node {
    for slot in slots where nodes[slot & 63].exists { return nodes[slot & 63] }
    return .none
  }

  /// Sets the ids of the owner; without any, and with one that is not plain, neither is the line.
  private func identify(
    _ record: inout RecordEntry, _ plan: MappedPlan, _ tape: Tape
  ) throws(NotPlain) {
    record.customID = first(plan.customIDs)
    let installation = first(plan.installationIDs)
    guard record.customID.exists || installation.exists,
      !record.customID.exists || isPlainText(record.customID, .customID, tape),
      !installation.exists || isPlainText(installation, .installationID, tape)
    else { throw NotPlain() }
    if installation.exists {
      // A UUID is rewritten, and other rules may read the same field.
      record.installationID = Node(tape.appendScalar(tape[installation]))
    }
    try checkOwner(of: record, tape)
  }

  private func isPlainText(_ node: Node, _ rule: TextRule, _ tape: Tape) -> Bool {
    // It has no escapes.
    tape[node].kind == .string
      && (isUsual(tape.bytes(at: node), rule.limit)
        || PlainValue.isText(tape[node], atMost: UInt32(rule.limit), of: tape))
  }

  private func name(_ event: inout EventEntry, _ plan: MappedPlan, _ tape: Tape) throws(NotPlain) {
    for (slot, constant) in plan.names {
      guard slot >= 0 else {
        let text = tape.text { $0.append(contentsOf: constant) }
        event.nameNode = Node(tape.appendScalar(text))
        return
      }
      event.nameNode = nodes[slot & 63]
      guard event.nameNode.exists else { continue }
      let source = tape[event.nameNode]
      guard source.kind == .string, source.length > 0 else { throw NotPlain() }
      if ForeignName.isCanonical(tape.bytes(source)) { return }
      guard let name = names.event(source, in: tape) else { throw NotPlain() }
      event.sourceName = event.nameNode
      event.nameNode = Node(tape.appendScalar(name))
      return
    }
    throw NotPlain()
  }

  private func id(_ plan: MappedPlan, _ tape: Tape) throws(NotPlain) -> Node {
    let node = first(plan.eventIDs)
    guard node.exists else { return node }
    let text = tape.bytes(at: node)
    guard isPlainText(node, .eventID, tape), !Characters.needsLowercasing(text),
      !plan.kind.rules.hasTimelessIDs || !placeholders.contain(text, as: .event)
    else { throw NotPlain() }
    return node
  }

  private func time(_ plan: MappedPlan, _ tape: Tape) throws(NotPlain) -> Int {
    for (slot, mayBeText) in plan.times {
      let node = nodes[slot & 63]
      guard node.exists else { continue }
      let text = tape.bytes(at: node)
      let time: Int?
      switch tape[node].kind {
      case .integer: time = DecimalNumber.milliseconds(text, per: .milliseconds)
      case .string where mayBeText && text.count > 0 && text[text.count - 1] == 0x5A:
        time = timesRead.parse(text)
      default: time = nil
      }
      guard let time, accepted.contains(time) else { break }
      return time
    }
    throw NotPlain()
  }

  /// The attributes: those of the line as text, then those that the mapping names and its own.
  private func attributes(_ plan: MappedPlan, _ tape: Tape) throws(NotPlain) -> Node {
    let node = nodes[MappedPlan.attributes]
    guard !plan.fields.isEmpty || !plan.constants.isEmpty else { return node }
    let (start, own) = (tape.decoded.count, attributeCount)
    if node.exists, writesAttributes {
      // They may be decoded themselves.
      tape.decoded.reserve(Int(tape[node].length))
      tape.decoded.append(tape.bytes(at: node))
    }
    for (key, slots) in plan.fields {
      let value = first(slots)
      let isText = value.exists && tape[value].kind == .string
      guard value.exists, !isText || tape[value].length > 0 else { continue }
      guard PlainValue.isTriviallyValid(tape[value], of: tape) else { throw NotPlain() }
      beginMember(tape)
      guard writesAttributes else { continue }
      tape.decoded.append(JSONByte.quote)
      tape.decoded.append(contentsOf: key)
      tape.decoded.append(JSONByte.quote)
      tape.decoded.append(JSONByte.colon)
      if isText { tape.decoded.append(JSONByte.quote) }
      tape.decoded.append(tape.bytes(at: value))
      if isText { tape.decoded.append(JSONByte.quote) }
    }
    for constant in plan.constants {
      beginMember(tape)
      if writesAttributes { tape.decoded.append(contentsOf: constant) }
    }
    guard attributeCount > own else { return node }
    guard attributeCount <= Limits.v2.attributes else { throw NotPlain() }
    return Node(
      tape.append(
        TapeEntry(
          start: start, length: tape.decoded.count - start, next: tape.count + 1, kind: .object,
          flags: TapeEntry.prevalidated | TapeEntry.decoded)))
  }

  /// Counts an attribute that is written behind the others.
  private func beginMember(_ tape: Tape) {
    if attributeCount > 0, writesAttributes { tape.decoded.append(JSONByte.comma) }
    attributeCount += 1
  }
}
