import Pipeline

/// The profile operations of `v2` records (data-model 9).
extension LineWalk {
  /// Reads the attributes of a person or installation, of which `hasCustomID` tells whether it is a
  /// person.
  func readOperations(
    _ cursor: inout QuoteCursor, hasCustomID: Bool, into batch: RecordBatch
  ) -> Bool {
    let object = beginObject()
    var natives: UInt8 = 0
    return cursor.members { cursor in
      let start = cursor.position &+ 1
      guard let meaning = name(&cursor, in: batch) else { return false }
      let tape = batch.tape
      let key = tape.append(
        TapeEntry(start: start, length: cursor.position &- 2 &- start, next: 0, kind: .key))
      meaning.relabel(key, as: meaning.kind, in: tape)
      var operation = OperationEntry(
        record: UInt32(batch.records.count), kind: .attribute, key: Node(key),
        value: Node(tape.count))
      if meaning.kind == .reserved {
        guard let native = NativeKey(tape.bytes(at: key)), natives & 1 << native.rawValue == 0,
          readNative(native, &cursor, hasCustomID: hasCustomID, into: batch)
        else { return false }
        natives |= 1 << native.rawValue
        operation.native = native
      } else {
        guard note(meaning, in: object, depth: 0), readOperand(&cursor, of: meaning, into: batch)
        else { return false }
      }
      tape[key].next = UInt32(truncatingIfNeeded: tape.count)
      operation.isApplied = true
      batch.operations.append(operation)
      return true
    } != nil
  }

  /// Reads the value of a native attribute, which is a text.
  private func readNative(
    _ native: NativeKey, _ cursor: inout QuoteCursor, hasCustomID: Bool, into batch: RecordBatch
  ) -> Bool {
    guard hasCustomID || !native.isOfPerson, native != .topicPreferences,
      let node = text(&cursor, atMost: v2.operationString, into: batch)
    else { return false }
    return NativeRule.fault(native, node.index, in: batch.tape) == nil
  }

  /// Reads the value of an attribute: null, a scalar, or an array of texts.
  private func readOperand(
    _ cursor: inout QuoteCursor, of key: KeyInfo, into batch: RecordBatch
  ) -> Bool {
    let tape = batch.tape
    if key.kind != .plain {
      let start = cursor.position &+ 1
      let edited = edits.count
      guard key.kind == .date ? readDate(&cursor, of: tape) : readURL(&cursor),
        edits.count == edited
      else { return false }
      tape.append(
        TapeEntry(
          start: start, length: cursor.position &- 1 &- start, next: tape.count + 1, kind: .string))
      return true
    }
    let limit = v2.operationString
    switch cursor.byte {
    case JSONByte.quote: return text(&cursor, atMost: limit, into: batch) != nil
    case JSONByte.t, JSONByte.f:
      let kind: TapeKind = cursor.byte == JSONByte.t ? .true : .false
      let start = cursor.position
      guard cursor.boolean() else { return false }
      tape.append(
        TapeEntry(
          start: start, length: cursor.position &- start, next: tape.count + 1, kind: kind))
      return true
    case JSONByte.openBracket:
      return texts(&cursor, atMost: limit, Limits.array, into: batch) != nil
    default:
      guard let number = cursor.number(next: tape.count + 1),
        PlainValue.isTriviallyValid(number, of: tape)
      else { return false }
      tape.append(number)
      return true
    }
  }
}
