import Pipeline

/// Profile operations: a bad one is refused alone (SPEC 4.4).
extension ValidatorStage {
  /// Validates the operation at `index` and decides whether it is applied.
  mutating func validateOperation(
    _ index: Int, of record: inout RecordEntry, _ time: inout RecordTime,
    in batch: inout RecordBatch
  ) {
    var operation = batch.operations[index]
    let first = batch.reasons.count
    switch operation.kind {
    case .clear:
      if batch.tape[Int(operation.value)].kind != .true {
        batch.reasons.add(.wrongType, at: "overwrite")
      }
    case .noObject: batch.reasons.add(.badAttributes, at: "attributes")
    case .attribute: validateAttribute(operation, of: record, in: &batch)
    }
    resolve(&time, of: &record, tape: batch.tape)
    if let fault = record.timeFault {
      batch.reasons.add(fault, at: "time", actual: fault == .timeOutOfRange ? record.time : nil)
    }
    let count = batch.reasons.count - first
    operation.reasons = ReasonRange(start: UInt32(first), count: UInt32(count))
    operation.isApplied = count == 0
    batch.operations[index] = operation
  }

  private mutating func validateAttribute(
    _ operation: OperationEntry, of record: RecordEntry, in batch: inout RecordBatch
  ) {
    let key = Int(operation.key)
    let node = Int(operation.value)
    var path = FieldPath(root: "attributes")
    path.push(key: key)
    switch batch.tape[key].keyKind {
    case .bad: batch.reasons.add(.badKey, at: path, of: batch.tape)
    case .reserved, .label, .tags:
      if let native = operation.native {
        validateNative(
          native, node, hasCustomID: record.customID >= 0, path: &path, in: &batch)
      } else {
        batch.reasons.add(.unknownReservedKey, at: path, of: batch.tape)
      }
    case .date:
      if batch.tape[node].kind != .null { validateDate(node, path: path, in: &batch) }
    case .url:
      if batch.tape[node].kind != .null {
        validateURL(node, isKnown: true, path: path, in: &batch)
      }
    case .plain:
      let rule: TextRule = record.dialect == .v1 ? .v1Operation : .v2Operation
      validatePlain(
        node, isCollection: operation.isCollection, rule: rule, path: &path, in: &batch)
    }
  }

  private func validatePlain(
    _ node: Int, isCollection: Bool, rule: TextRule, path: inout FieldPath,
    in batch: inout RecordBatch
  ) {
    let entry = batch.tape[node]
    switch entry.kind {
    case .null: break
    case .array:
      validateItems(node, path: &path, in: &batch) { stage, item, path, batch in
        stage.validateItem(item, rule: rule, path: path, in: &batch)
      }
    case .object:
      validateItemOperations(node, path: &path, in: &batch) { stage, item, path, batch in
        stage.validateItem(item, rule: rule, path: path, in: &batch)
      }
    case .string, .integer, .double, .true, .false:
      if isCollection {
        batch.reasons.add(.wrongType, at: path, of: batch.tape)
      } else if let fault = scalarFault(entry, rule: rule, of: batch.tape) {
        batch.reasons.add(
          fault.code, at: path, of: batch.tape, limit: fault.limit, actual: fault.actual)
      }
    case .key, .date:
      preconditionFailure("a value cannot be a key or a date before it was validated")
    }
  }

  private func validateItem(
    _ item: Int, rule: TextRule, path: FieldPath, in batch: inout RecordBatch
  ) {
    let entry = batch.tape[item]
    switch entry.kind {
    case .string:
      if let fault = rule.fault(entry, of: batch.tape) {
        batch.reasons.add(
          fault.code, at: path, of: batch.tape, limit: fault.limit, actual: fault.actual)
      }
    case .array: batch.reasons.add(.arrayNested, at: path, of: batch.tape)
    default: batch.reasons.add(.wrongType, at: path, of: batch.tape)
    }
  }

  /// Checks the number of items of the array at `node`, and each of them with `check`.
  func validateItems(
    _ node: Int, path: inout FieldPath, in batch: inout RecordBatch,
    _ check: (borrowing ValidatorStage, Int, FieldPath, inout RecordBatch) -> Void
  ) {
    let end = Int(batch.tape[node].next)
    guard node + 1 < end else {
      batch.reasons.add(.emptyOperation, at: path, of: batch.tape)
      return
    }
    var item = node + 1
    var count = 0
    while item < end {
      path.push(index: count)
      check(self, item, path, &batch)
      path.pop()
      count += 1
      item = Int(batch.tape[item].next)
    }
    if count > Limits.array {
      batch.reasons.add(
        .arrayTooLong, at: path, of: batch.tape, limit: Limits.array, actual: count)
    }
  }

  /// `{"$add":[…],"$remove":[…]}`: any other object is of the wrong type, one with an empty list
  /// says nothing.
  func validateItemOperations(
    _ node: Int, path: inout FieldPath, in batch: inout RecordBatch,
    _ check: (borrowing ValidatorStage, Int, FieldPath, inout RecordBatch) -> Void
  ) {
    guard let lists = ItemLists(node, in: &batch.tape) else {
      batch.reasons.add(.wrongType, at: path, of: batch.tape)
      return
    }
    if lists.isEmpty(of: batch.tape) {
      batch.reasons.add(.emptyOperation, at: path, of: batch.tape)
      return
    }
    for key in [lists.add, lists.remove] where key >= 0 {
      path.push(key: key)
      validateItems(key + 1, path: &path, in: &batch, check)
      path.pop()
    }
  }
}

/// The lists of an item operation: the tape indices of the keys `$add` and `$remove`, -1 = absent.
struct ItemLists {
  private(set) var add = -1
  private(set) var remove = -1

  /// Reads the object at `node`, and drops keys that a repeated one overwrites; nil when it has a
  /// member that is neither, or a list that is no array.
  init?(_ node: Int, in tape: inout Tape) {
    var key = node + 1
    let end = Int(tape[node].next)
    while key < end {
      let name = tape.bytes(at: key)
      if name == "$add" {
        if add >= 0 { tape[add].flags |= TapeEntry.dropped }
        add = key
      } else if name == "$remove" {
        if remove >= 0 { tape[remove].flags |= TapeEntry.dropped }
        remove = key
      } else {
        return nil
      }
      key = Int(tape[key].next)
    }
    if add >= 0, tape[add + 1].kind != .array { return nil }
    if remove >= 0, tape[remove + 1].kind != .array { return nil }
  }

  /// Whether there is no list, or one that is empty.
  func isEmpty(of tape: borrowing Tape) -> Bool {
    if add < 0, remove < 0 { return true }
    if add >= 0, Int(tape[add + 1].next) == add + 2 { return true }
    return remove >= 0 && Int(tape[remove + 1].next) == remove + 2
  }
}
