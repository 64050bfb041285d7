import Pipeline

/// Turns parsed objects into records: the part of the reader that knows the dialects (SPEC 3).
///
/// Detection and one file per dialect (`DialectReader+V1.swift`, `DialectReader+V2.swift`). Scratch
/// memory is reused from line to line; one reader belongs to one thread at a time.
struct DialectReader {
  let root = RootMembers()
  let inner = RootMembers()
  let fold = KeyFold()
  var winners: [Int32] = []

  /// The members that make a line a record of some dialect, in the order of detection (SPEC 3).
  enum Form {
    case v2, v1Data, v1Event, v1Bulk

    /// The dialect the form belongs to.
    var dialect: Dialect { self == .v2 ? .v2 : .v1 }
  }

  init() {}

  /// Reads the object at tape index `object` as the record of line number `line` of the batch.
  /// Returns nil when no dialect matches; the dialect's record is appended to the batch otherwise.
  mutating func read(_ object: Int, line: Int, into batch: RecordBatch) -> Dialect? {
    batch.keys.learn(from: batch.tape.names)
    root.read(object, of: batch)
    guard let form = detect() else { return nil }
    var record = RecordEntry(line: UInt32(line), dialect: form.dialect)
    record.firstEvent = UInt32(batch.events.count)
    record.firstOperation = UInt32(batch.operations.count)
    switch form {
    case .v2: readV2(&record, into: batch)
    case .v1Data: readV1Data(&record, into: batch)
    case .v1Event: readV1Event(&record, into: batch)
    case .v1Bulk: readV1Bulk(&record, into: batch)
    }
    record.eventCount = UInt32(batch.events.count) - record.firstEvent
    record.operationCount = UInt32(batch.operations.count) - record.firstOperation
    batch.records.append(record)
    return form.dialect
  }

  private func detect() -> Form? {
    if root.has(.identifiers) { return .v2 }
    if root.has(.update) { return .v1Data }
    if root.has(.name) { return .v1Event }
    if root.has(.events) { return .v1Bulk }
    return nil
  }

  /// Reads the items of `events`; what is no array makes the record bad.
  func readEvents(
    _ node: Int32, isV1: Bool, of record: inout RecordEntry, into batch: RecordBatch
  ) {
    guard node >= 0 else { return }
    let array = batch.tape[Int(node)]
    guard array.kind == .array else {
      record.hasBadEvents = true
      return
    }
    var item = Int(node) + 1
    while item < Int(array.next) {
      var event = EventEntry(record: UInt32(batch.records.count))
      if batch.tape[item].kind == .object {
        inner.read(item, of: batch)
        if isV1 { inner.readV1(into: &event) } else { inner.readV2(into: &event) }
      } else {
        event.isObject = false
      }
      batch.events.append(event)
      item = Int(batch.tape[item].next)
    }
  }

  /// Reads `overwrite`: `true` is a clear, `false` nothing, anything else a clear that the
  /// validator refuses.
  func readOverwrite(_ node: Int32, into batch: RecordBatch) {
    guard node >= 0, batch.tape[Int(node)].kind != .false else { return }
    batch.operations.append(
      OperationEntry(
        record: UInt32(batch.records.count), kind: .clear, key: -1, value: node))
  }

  /// Reads the members of `attributes` or `values` as operations, the later of two that fall
  /// together winning at its own place (SPEC 4.1), a v1 collection over an attribute (SPEC 3.3).
  mutating func readOperations(
    _ node: Int32, isV1: Bool, into batch: RecordBatch
  ) {
    guard node >= 0 else { return }
    let object = batch.tape[Int(node)]
    guard object.kind == .object else {
      batch.operations.append(
        OperationEntry(
          record: UInt32(batch.records.count), kind: .noObject, key: node - 1, value: node))
      return
    }
    fold.begin()
    winners.recycle()
    let first = batch.operations.count
    var hasOverwritten = false
    var key = Int(node) + 1
    while key < Int(object.next) {
      var operation = OperationEntry(
        record: UInt32(batch.records.count), kind: .attribute, key: Int32(key),
        value: Int32(key + 1))
      let next = Int(batch.tape[key].next)
      let written = batch.tape[key]
      if isV1 { operation.isCollection = readV1Key(key, of: batch.tape) }
      // The prefixes of v1 were taken away, so what is left is another text than was numbered.
      if isV1 || !batch.keys.relabel(key, in: batch.tape) { KeyName.classify(key, in: batch.tape) }
      if batch.tape[key].keyKind == .reserved {
        operation.native = NativeKey(batch.tape.bytes(at: key))
      }
      // A key that turns out to be none keeps the text it was written in: nothing falls together
      // with it.
      if !batch.tape[key].isValidKey, operation.native == nil {
        batch.tape.restore(written, at: key)
      }
      hasOverwritten = foldOperation(operation, first: first, in: batch) || hasOverwritten
      key = next
    }
    if hasOverwritten { removeOverwritten(from: first, in: batch) }
  }

  /// Appends the operation and tells whether one of two that fall together lost.
  private mutating func foldOperation(
    _ operation: OperationEntry, first: Int, in batch: RecordBatch
  ) -> Bool {
    let index = batch.operations.count
    batch.operations.append(operation)
    guard let earlier = batch.sameKey(as: index, in: fold) else {
      winners.append(Int32(index))
      return false
    }
    let winner = Int(winners[earlier - first])
    let isBeaten = batch.operations[winner].isCollection && !operation.isCollection
    winners.append(Int32(isBeaten ? winner : index))
    batch.operations[isBeaten ? index : winner].isOverwritten = true
    return true
  }

  private func removeOverwritten(from first: Int, in batch: RecordBatch) {
    var kept = first
    for index in first..<batch.operations.count
    where !batch.operations[index].isOverwritten {
      batch.operations[kept] = batch.operations[index]
      kept += 1
    }
    batch.operations.truncate(to: kept)
  }
}

extension Tape {
  /// Puts back a key that was rewritten on the way to being found bad.
  fileprivate func restore(_ written: TapeEntry, at key: Int) {
    var entry = written
    entry.keyKind = self[key].keyKind
    self[key] = entry
  }
}

extension RecordBatch {
  /// The latest earlier operation whose key falls together with that of operation `index`: the same
  /// stored key if it is valid, the same text if not.
  fileprivate func sameKey(as index: Int, in fold: KeyFold) -> Int? {
    let key = tape[Int(operations[index].key)]
    let text = tape.bytes(key)
    return fold.add(KeyFold.tag(text), item: index) { earlier in
      let other = tape[Int(operations[earlier].key)]
      return other.isValidKey == key.isValidKey && tape.bytes(other) == text
    }
  }
}
