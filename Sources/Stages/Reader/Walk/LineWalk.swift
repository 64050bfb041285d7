import Pipeline

/// Reads lines of `v1` and `v2` whose values are all plain by means of their quotes, without
/// scanning them: the fast path for most lines of most logs (docs/design/architecture.md, Fast
/// paths).
///
/// A line that is read here is valid, and its record is identical to the result of reader,
/// validator and migration. The walk rejects nothing: for anything that is not plain it undoes its
/// changes, and the line takes the slow path. Both paths use the same tables of names and the same
/// rules for values. One thread at a time.
final class LineWalk {
  /// Number of levels of objects, the attributes of the event included.
  private static let depths = Limits.nesting + 1

  private let readsV1: Bool
  private let readsV2: Bool
  private let maxLine: Int
  private let placeholders: Placeholders
  /// Whether attributes and tags are needed in canonical form.
  let writesAttributes: Bool
  let v1 = Limits.v1
  let v2 = Limits.v2
  /// The times of events that are valid and selected.
  private let accepted: ClosedRange<Int>
  /// By depth and identity of a key: the number of the last object that had it.
  var stamps = PlainList<UInt32>(repeating: 0, count: LineWalk.depths * (InternTable.most + 1))
  /// The number of the last object begun.
  var object: UInt32 = 0
  /// Edits of attributes whose source is not in canonical form.
  var edits = PlainList<WalkEdit>()
  /// Reads the times of events.
  private var timesRead = Timestamp.Reader()
  /// Writes the times of attributes.
  var times = Timestamp.Writer()
  let fold = KeyFold()

  /// A walk for `rules`; nil if it would read no line.
  init?(_ rules: Rules, writesAttributes: Bool) {
    self.writesAttributes = writesAttributes
    readsV1 = rules.dialect == nil || rules.dialect == .v1
    readsV2 = rules.dialect == nil || rules.dialect == .v2
    maxLine = rules.maxLine
    placeholders = rules.placeholders
    let first = max(Rules.earliestTime, rules.notBefore ?? .min, rules.since ?? .min)
    let last = min(
      Rules.endOfTime - 1, rules.notAfter ?? .max, rules.until.map { $0 - 1 } ?? .max)
    guard readsV1 || readsV2, first <= last else { return nil }
    accepted = first...last
  }

  /// Reads a line of `source`, whose quotes are in `index`: appends it to the lines of the batch,
  /// with its record, and returns true; false, with nothing changed, if it must take the slow path.
  /// Complexity: O(bytes of the line).
  func read(
    _ line: LineIndex.Line, of source: ByteView, _ index: LineIndex, into batch: RecordBatch
  ) -> Bool {
    let range = line.range
    guard range.count <= maxLine, source[range.lowerBound] == JSONByte.openBrace,
      QuoteCursor.canRead(line, of: source)
    else { return false }
    var cursor = QuoteCursor(line, of: source, index)
    let tape = batch.tape
    let (entries, decoded) = (tape.count, tape.decoded.count)
    let (events, operations) = (batch.events.count, batch.operations.count)
    var end = range.upperBound
    if source[end - 1] == JSONByte.carriageReturn { end -= 1 }
    var record = RecordEntry(line: UInt32(batch.lines.count), dialect: .v2)
    record.isSettled = true
    record.firstEvent = UInt32(truncatingIfNeeded: events)
    record.firstOperation = UInt32(truncatingIfNeeded: operations)
    guard readRoot(&cursor, &record, into: batch), cursor.position == end else {
      tape.truncate(to: entries)
      tape.decoded.truncate(to: decoded)
      batch.events.truncate(to: events)
      batch.operations.truncate(to: operations)
      return false
    }
    var entry = LineEntry(
      start: UInt32(truncatingIfNeeded: range.lowerBound),
      length: UInt32(truncatingIfNeeded: end &- range.lowerBound),
      number: UInt32(truncatingIfNeeded: batch.lineCount), outcome: .record)
    entry.dialect = record.dialect
    entry.isCompact = true
    entry.record = Node(batch.records.count)
    batch.lines.append(entry)
    // As in ``accept(_:at:into:)``.
    let index = batch.records.count
    batch.records.append(record)
    batch.records[index].eventCount = UInt32(truncatingIfNeeded: batch.events.count &- events)
    batch.records[index].operationCount =
      UInt32(truncatingIfNeeded: batch.operations.count &- operations)
    return true
  }

  // MARK: - The root

  private func readRoot(
    _ cursor: inout QuoteCursor, _ record: inout RecordEntry, into batch: RecordBatch
  ) -> Bool {
    cursor.position &+= 1
    var time: Int?
    var first = name(&cursor, in: batch).field
    // Both dialects have a time; the next field decides.
    if first == .time {
      time = self.time(&cursor, of: batch.tape)
      guard time != nil, cursor.pass(JSONByte.comma) else { return false }
      first = name(&cursor, in: batch).field
    }
    if first == .identifiers {
      return readsV2 && readIdentifiers(&cursor, &record, into: batch)
        && readV2(&cursor, &record, time, into: batch)
    }
    guard readsV1, let first else { return false }
    record.dialect = .v1
    record.form = .v1
    record.hasEventList = false
    return readV1(&cursor, &record, time, from: first, into: batch)
  }

  /// Reads the fields of a `v1` event or of user data from `first` on, whose name has been skipped
  /// (data-model 3.2, 3.4).
  @inline(__always)
  private func readV1(
    _ cursor: inout QuoteCursor, _ record: inout RecordEntry, _ time: Int?,
    from first: RootField, into batch: RecordBatch
  ) -> Bool {
    var event = EventEntry(record: UInt32(batch.records.count))
    var time = time
    var passed: RootField? = first
    let operations = batch.operations.count
    let count = cursor.list(until: JSONByte.closeBrace) { cursor in
      let member = passed ?? name(&cursor, in: batch).field
      passed = nil
      switch member {
      case .customID, .userID:
        return !record.customID.exists && readCustomID(&cursor, &record, into: batch)
      case .installationID, .installID:
        return !record.installationID.exists && readInstallationID(&cursor, &record, into: batch)
      case .id, .eventID: return !event.idNode.exists && readID(&cursor, &event, into: batch)
      case .name:
        return !event.nameNode.exists && readName(&cursor, &event, isV1: true, into: batch)
      case .time: return readTime(&cursor, &time, of: batch.tape)
      case .label: return !event.label.exists && readLabel(&cursor, &event, into: batch)
      case .tags: return !event.tags.exists && readTags(&cursor, &event, into: batch)
      case .attributes:
        return !event.attributes.exists && readAttributes(&cursor, &event, v1, into: batch)
      case .update:
        // An id would be that of the person.
        return batch.operations.count == operations && !event.idNode.exists
          && readUpdate(&cursor, hasCustomID: record.customID.exists, into: batch)
      default: return false
      }
    }
    guard count != nil else { return false }
    return batch.operations.count == operations
      ? accept(event, at: time, into: batch)
      : isUserData(event, &record, at: time)
  }

  /// Whether a `v1` line with an update is user data only, without an event.
  private func isUserData(
    _ event: EventEntry, _ record: inout RecordEntry, at time: Int?
  ) -> Bool {
    guard let time, record.customID.exists || record.installationID.exists,
      !event.idNode.exists, !event.nameNode.exists, !event.label.exists, !event.tags.exists,
      !event.attributes.exists
    else { return false }
    record.hasEventList = true
    record.time = time
    return true
  }

  /// Reads the part of a `v2` record after its identifiers (data-model 3.1).
  private func readV2(
    _ cursor: inout QuoteCursor, _ record: inout RecordEntry, _ time: Int?,
    into batch: RecordBatch
  ) -> Bool {
    // A record with identifiers only is not plain.
    guard cursor.pass(JSONByte.comma) else { return false }
    var time = time
    var hasEvents = false
    let operations = batch.operations.count
    let hasCustomID = record.customID.exists
    let count = cursor.list(until: JSONByte.closeBrace) { cursor in
      switch name(&cursor, in: batch).field {
      case .time: return readTime(&cursor, &time, of: batch.tape)
      case .events:
        guard !hasEvents else { return false }
        hasEvents = true
        return cursor.items { readEvent(&$0, into: batch) } != nil
      case .attributes:
        return batch.operations.count == operations
          && readOperations(&cursor, hasCustomID: hasCustomID, into: batch)
      default: return false
      }
    }
    record.time = time ?? 0
    // Operations need a time.
    let isComplete = batch.operations.count == operations ? hasEvents : time != nil
    return count != nil && isComplete
  }

  private func readIdentifiers(
    _ cursor: inout QuoteCursor, _ record: inout RecordEntry, into batch: RecordBatch
  ) -> Bool {
    cursor.members { cursor in
      switch name(&cursor, in: batch).field {
      case .customID: !record.customID.exists && readCustomID(&cursor, &record, into: batch)
      case .installationID:
        !record.installationID.exists && readInstallationID(&cursor, &record, into: batch)
      default: false
      }
    } != nil
  }

  private func readEvent(_ cursor: inout QuoteCursor, into batch: RecordBatch) -> Bool {
    var event = EventEntry(record: UInt32(batch.records.count))
    var time: Int?
    let count = cursor.members { cursor in
      switch name(&cursor, in: batch).field {
      case .id: !event.idNode.exists && readID(&cursor, &event, into: batch)
      case .name: !event.nameNode.exists && readName(&cursor, &event, isV1: false, into: batch)
      case .time: readTime(&cursor, &time, of: batch.tape)
      case .attributes:
        !event.attributes.exists && readAttributes(&cursor, &event, v2, into: batch)
      default: false
      }
    }
    return count != nil && accept(event, at: time, into: batch)
  }

  /// Appends a complete event; false when it has no name or no time.
  @inline(__always)
  private func accept(
    _ event: EventEntry, at time: Int?, into batch: RecordBatch
  ) -> Bool {
    guard let time, event.nameNode.exists else { return false }
    // Filled in the list: copying it right after the last writes would stall the processor.
    let index = batch.events.count
    batch.events.append(event)
    batch.events[index].time = time
    batch.events[index].outcome = .accepted
    return true
  }

  // MARK: - Fields

  /// Skips the name of a field and its colon, and returns the name's meaning; nothing when it is
  /// unknown, and then the line takes the slow path.
  @inline(__always)
  func name(_ cursor: inout QuoteCursor, in batch: RecordBatch) -> KeyInfo {
    let number = cursor.name(in: batch.tape.names)
    if !batch.keys.knows(number) { batch.learnKeys() }
    return batch.keys[number]
  }

  @inline(__always)
  private func readCustomID(
    _ cursor: inout QuoteCursor, _ record: inout RecordEntry, into batch: RecordBatch
  ) -> Bool {
    // A plain text or integer can only be invalid as an id if it is one of the placeholders.
    guard let node = textOrInteger(&cursor, atMost: Limits.customID, into: batch),
      !placeholders.contain(batch.tape.bytes(at: node), as: .person)
    else { return false }
    record.customID = node
    return true
  }

  @inline(__always)
  private func readInstallationID(
    _ cursor: inout QuoteCursor, _ record: inout RecordEntry, into batch: RecordBatch
  ) -> Bool {
    guard let node = text(&cursor, atMost: Limits.installationID, into: batch),
      !placeholders.contain(batch.tape.bytes(at: node), as: .installation),
      IdentityRule.storeInstallationID(node, in: batch.tape) == nil
    else { return false }
    record.installationID = node
    return true
  }

  @inline(__always)
  private func readID(
    _ cursor: inout QuoteCursor, _ event: inout EventEntry, into batch: RecordBatch
  ) -> Bool {
    guard let node = textOrInteger(&cursor, atMost: Limits.eventID, into: batch) else {
      return false
    }
    event.idNode = node
    return true
  }

  @inline(__always)
  private func readName(
    _ cursor: inout QuoteCursor, _ event: inout EventEntry, isV1: Bool, into batch: RecordBatch
  ) -> Bool {
    guard let range = cursor.text(), range.count < Detection.notificationName else { return false }
    let node = batch.tape.append(
      TapeEntry(
        start: range.lowerBound, length: range.count, next: batch.tape.count + 1, kind: .string))
    event.nameNode = Node(node)
    return batch.storeName(of: &event, isV1: isV1)
  }

  /// Reads the time of an event or record, unless it has one already.
  @inline(__always)
  private func readTime(_ cursor: inout QuoteCursor, _ time: inout Int?, of tape: Tape) -> Bool {
    guard time == nil else { return false }
    time = self.time(&cursor, of: tape)
    return time != nil
  }

  /// Skips a time that is valid for events, and returns it.
  @inline(__always)
  private func time(_ cursor: inout QuoteCursor, of tape: Tape) -> Int? {
    let time: Int?
    if cursor.byte == JSONByte.quote {
      guard let range = cursor.text() else { return nil }
      time = timesRead.parse(cursor.bytes(range))
    } else {
      guard let number = cursor.number(next: 0) else { return nil }
      time = DecimalNumber.milliseconds(tape.bytes(number), per: .milliseconds)
    }
    return time.flatMap { accepted.contains($0) ? $0 : nil }
  }

  // MARK: - Texts

  /// Skips a plain text of at most `limit` characters, and appends it to the tape; returns its
  /// index.
  @inline(__always)
  func text(_ cursor: inout QuoteCursor, atMost limit: Int, into batch: RecordBatch) -> Node? {
    guard let range = plainText(&cursor, atMost: limit) else { return nil }
    let tape = batch.tape
    return Node(
      tape.append(
        TapeEntry(
          start: range.lowerBound, length: range.count, next: tape.count + 1, kind: .string)))
  }

  /// The same for a text or an integer.
  @inline(__always)
  private func textOrInteger(
    _ cursor: inout QuoteCursor, atMost limit: Int, into batch: RecordBatch
  ) -> Node? {
    cursor.byte == JSONByte.quote
      ? text(&cursor, atMost: limit, into: batch) : integer(&cursor, atMost: limit, into: batch)
  }

  @inline(never)
  private func integer(
    _ cursor: inout QuoteCursor, atMost limit: Int, into batch: RecordBatch
  ) -> Node? {
    guard let number = cursor.number(next: batch.tape.count + 1), number.kind == .integer,
      number.length <= limit
    else { return nil }
    return Node(batch.tape.append(number))
  }

  /// Skips a plain text of at most `limit` characters, and returns its range: neither empty nor
  /// blank, and without a line feed. It has no escapes, or with `mayEscape` only canonical ones.
  @inline(__always)
  func plainText(
    _ cursor: inout QuoteCursor, atMost limit: Int, mayEscape: Bool = false
  ) -> Range<Int>? {
    guard let range = cursor.text() else { return nil }
    if UInt(bitPattern: range.count &- 1) < UInt(bitPattern: limit),
      cursor.bytes(range)[0] &- 0x21 < 0x7F - 0x21,
      !cursor.hasSpecial(in: range)
    {
      return range
    }
    return PlainValue.isText(cursor.bytes(range), atMost: limit, mayEscape: mayEscape) ? range : nil
  }

  /// Skips an array of 1 to `most` such texts, and appends it to the tape; returns its index.
  func texts(
    _ cursor: inout QuoteCursor, atMost limit: Int, _ most: Int, into batch: RecordBatch
  ) -> Node? {
    let tape = batch.tape
    let start = cursor.position
    let array = tape.append(TapeEntry(start: start, length: 0, next: 0, kind: .array))
    guard let count = cursor.items({ text(&$0, atMost: limit, into: batch) != nil }), count <= most
    else { return nil }
    tape[array].length = UInt32(truncatingIfNeeded: cursor.position - start)
    tape[array].next = UInt32(truncatingIfNeeded: tape.count)
    return Node(array)
  }

  /// Reads the label of an event.
  @inline(__always)
  func readLabel(
    _ cursor: inout QuoteCursor, _ event: inout EventEntry, into batch: RecordBatch
  ) -> Bool {
    guard let label = text(&cursor, atMost: Limits.label, into: batch) else { return false }
    event.label = label
    return true
  }

  /// Reads the tags of an event, and stores them if they are needed (data-model 7).
  func readTags(
    _ cursor: inout QuoteCursor, _ event: inout EventEntry, into batch: RecordBatch
  ) -> Bool {
    guard let tags = texts(&cursor, atMost: Limits.tag, Limits.tags, into: batch) else {
      return false
    }
    event.tags = tags
    if writesAttributes, !TagSet.storeUsual(tags, in: batch.tape) {
      TagSet.store(tags, in: batch.tape, with: fold)
    }
    return true
  }
}
