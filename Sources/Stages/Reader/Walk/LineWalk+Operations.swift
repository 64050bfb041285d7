import Pipeline

/// The profile operations of `v2` records and of user data in `v1` (data-model 3.4, 9).
extension LineWalk {
  /// Reads the attributes of a person, if `hasCustomID`, or an installation.
  func readOperations(
    _ cursor: inout QuoteCursor, hasCustomID: Bool, into batch: RecordBatch
  ) -> Bool {
    let object = beginObject()
    var natives: UInt8 = 0
    return cursor.members { cursor in
      let start = cursor.position &+ 1
      let meaning = name(&cursor, in: batch)
      guard meaning.identity != 0 else { return false }
      let key = append(key: start, cursor, to: batch.tape)
      meaning.relabel(key, as: meaning.kind, in: batch.tape)
      guard meaning.kind == .reserved || note(meaning, in: object, depth: 0) else { return false }
      return readOperation(
        key, &cursor, hasCustomID: hasCustomID, limit: v2.operationString, &natives, into: batch)
    } != nil
  }

  /// Reads the `update` of a `v1` record: `overwrite` and `values`. `hasCustomID` is whether the
  /// record has the id of a person.
  func readUpdate(
    _ cursor: inout QuoteCursor, hasCustomID: Bool, into batch: RecordBatch
  ) -> Bool {
    var hasOverwrite = false
    var hasValues = false
    let count = cursor.members { cursor in
      let start = cursor.position &+ 1
      let meaning = name(&cursor, in: batch)
      guard meaning.identity != 0 else { return false }
      if meaning.field == .overwrite {
        // `true` is an operation, the first one.
        guard !hasOverwrite, cursor.byte == JSONByte.f else { return false }
        hasOverwrite = true
        return cursor.boolean()
      }
      guard !hasValues, cursor.bytes(start..<cursor.position &- 2) == "values" else { return false }
      hasValues = true
      return readValues(&cursor, hasCustomID: hasCustomID, into: batch)
    }
    return count != nil && hasValues
  }

  /// Reads the user data of a `v1` record, whose keys have prefixes.
  private func readValues(
    _ cursor: inout QuoteCursor, hasCustomID: Bool, into batch: RecordBatch
  ) -> Bool {
    fold.begin()
    var natives: UInt8 = 0
    return cursor.members { cursor in
      let start = cursor.position &+ 1
      guard cursor.name(in: batch.tape.names) != 0 else { return false }
      let tape = batch.tape
      let key = append(key: start, cursor, to: tape)
      let isCollection = V1Names.stripPrefix(ofKey: key, in: tape)
      KeyName.classify(key, in: tape)
      let text = tape.bytes(at: key)
      let isRepeated =
        tape[key].isValidKey
        && fold.add(KeyFold.tag(text), item: key) { tape.bytes(at: $0) == text } != nil
      return !isRepeated
        && readOperation(
          key, &cursor, isCollection: isCollection, hasCustomID: hasCustomID,
          limit: v1.operationString, &natives, into: batch)
    } != nil
  }

  /// Appends the key that begins at `start`, whose colon the cursor has passed, to the tape;
  /// returns its index.
  @inline(__always)
  private func append(key start: Int, _ cursor: QuoteCursor, to tape: Tape) -> Int {
    tape.append(
      TapeEntry(start: start, length: cursor.position &- 2 &- start, next: 0, kind: .key))
  }

  /// Reads the value of the key at tape index `key`, which has its stored form, and appends the
  /// operation. `natives` are the native attributes of the record so far, as bits.
  private func readOperation(
    _ key: Int, _ cursor: inout QuoteCursor, isCollection: Bool = false, hasCustomID: Bool,
    limit: Int, _ natives: inout UInt8, into batch: RecordBatch
  ) -> Bool {
    let tape = batch.tape
    var operation = OperationEntry(
      record: UInt32(batch.records.count), kind: .attribute, key: Node(key),
      value: Node(tape.count))
    operation.isCollection = isCollection
    let kind = tape[key].keyKind
    if kind == .reserved {
      guard let native = NativeKey(tape.bytes(at: key)), natives & 1 << native.rawValue == 0,
        readNative(native, &cursor, isCollection, hasCustomID: hasCustomID, into: batch)
      else { return false }
      natives |= 1 << native.rawValue
      operation.native = native
    } else {
      guard kind.isValid, readOperand(&cursor, of: kind, isCollection, limit, into: batch) else {
        return false
      }
    }
    tape[key].next = UInt32(truncatingIfNeeded: tape.count)
    operation.isApplied = true
    batch.operations.append(operation)
    return true
  }

  /// Reads the value of a native attribute: null, topics or a text.
  private func readNative(
    _ native: NativeKey, _ cursor: inout QuoteCursor, _ isCollection: Bool, hasCustomID: Bool,
    into batch: RecordBatch
  ) -> Bool {
    guard hasCustomID || !native.isOfPerson else { return false }
    if cursor.byte == JSONByte.n { return null(&cursor, into: batch) }
    if native == .topicPreferences {
      let first = batch.tape.count
      return readItems(&cursor, atMost: Limits.topic, into: batch)
        && batch.tape.areTopics(from: first)
    }
    guard !isCollection, let node = text(&cursor, atMost: v2.operationString, into: batch) else {
      return false
    }
    return NativeRule.fault(native, node.index, in: batch.tape) == nil
  }

  /// Reads the value of an attribute: null, a scalar, an array of texts, or changes of items. A
  /// collection must not be a scalar.
  private func readOperand(
    _ cursor: inout QuoteCursor, of kind: KeyKind, _ isCollection: Bool, _ limit: Int,
    into batch: RecordBatch
  ) -> Bool {
    let byte = cursor.byte
    if byte == JSONByte.n { return null(&cursor, into: batch) }
    if kind != .plain {
      return !isCollection && readTyped(&cursor, isDate: kind == .date, into: batch)
    }
    if byte == JSONByte.openBracket || byte == JSONByte.openBrace {
      return readItems(&cursor, atMost: limit, into: batch)
    }
    if isCollection { return false }
    let tape = batch.tape
    switch byte {
    case JSONByte.quote: return text(&cursor, atMost: limit, into: batch) != nil
    case JSONByte.t, JSONByte.f:
      let start = cursor.position
      guard cursor.boolean() else { return false }
      append(byte == JSONByte.t ? .true : .false, from: start, to: cursor.position, tape)
      return true
    default:
      guard let number = cursor.number(next: tape.count + 1),
        PlainValue.isTriviallyValid(number, of: tape)
      else { return false }
      tape.append(number)
      return true
    }
  }

  /// Reads a date or URL.
  private func readTyped(
    _ cursor: inout QuoteCursor, isDate: Bool, into batch: RecordBatch
  ) -> Bool {
    let start = cursor.position &+ 1
    edits.removeAll()
    guard isDate ? readDate(&cursor, of: batch.tape) : readURL(&cursor) else { return false }
    append(.string, from: start, to: cursor.position &- 1, batch.tape)
    // A date that is not in the stored form becomes a time.
    if !edits.isEmpty {
      batch.tape[batch.tape.count - 1].kind = .date
      batch.tape[batch.tape.count - 1].milliseconds = edits[0].time
    }
    return true
  }

  private func null(_ cursor: inout QuoteCursor, into batch: RecordBatch) -> Bool {
    let start = cursor.position
    guard cursor.null() else { return false }
    append(.null, from: start, to: cursor.position, batch.tape)
    return true
  }

  /// Reads an array of texts, or an object with arrays of texts to add and to remove.
  private func readItems(
    _ cursor: inout QuoteCursor, atMost limit: Int, into batch: RecordBatch
  ) -> Bool {
    if cursor.byte == JSONByte.openBracket {
      return texts(&cursor, atMost: limit, Limits.array, into: batch) != nil
    }
    let tape = batch.tape
    let start = cursor.position
    let object = tape.append(TapeEntry(start: start, length: 0, next: 0, kind: .object))
    var (hasAdded, hasRemoved) = (false, false)
    let count = cursor.members { cursor in
      let start = cursor.position &+ 1
      guard cursor.name(in: batch.tape.names) != 0 else { return false }
      let key = append(key: start, cursor, to: tape)
      if tape.bytes(at: key) == "$add", !hasAdded {
        hasAdded = true
      } else if tape.bytes(at: key) == "$remove", !hasRemoved {
        hasRemoved = true
      } else {
        return false
      }
      guard texts(&cursor, atMost: limit, Limits.array, into: batch) != nil else { return false }
      tape[key].next = UInt32(truncatingIfNeeded: tape.count)
      return true
    }
    guard count != nil else { return false }
    tape[object].length = UInt32(truncatingIfNeeded: cursor.position &- start)
    tape[object].next = UInt32(truncatingIfNeeded: tape.count)
    return true
  }

  private func append(_ kind: TapeKind, from start: Int, to end: Int, _ tape: Tape) {
    tape.append(TapeEntry(start: start, length: end &- start, next: tape.count + 1, kind: kind))
  }
}

extension Tape {
  /// Whether all texts from the entry `first` on are topics in the stored form.
  fileprivate func areTopics(from first: Int) -> Bool {
    for index in first..<count
    where self[index].kind == .string && !FormatRules.isTopic(bytes(at: index)) {
      return false
    }
    return true
  }
}
