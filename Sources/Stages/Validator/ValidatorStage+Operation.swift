import Pipeline

/// Profile operations: an invalid one is rejected individually (data-model 9).
extension ValidatorStage {
  /// Validates the operation at `index` and decides whether it is applied.
  mutating func validateOperation(
    _ index: Int, of record: inout RecordEntry, _ time: inout RecordTime,
    in batch: RecordBatch
  ) {
    var operation = batch.operations[index]
    batch.reasons.beginPart()
    defer { batch.reasons.endPart() }
    let (first, firstRemark) = (batch.reasons.count, batch.remarks.count)
    switch operation.kind {
    case .clear:
      if batch.tape[operation.value].kind != .true {
        batch.reasons.add(.wrongType, at: "overwrite", detail: ExpectedType.flag.detail)
      }
    case .noObject:
      batch.reasons.add(
        .badAttributes, at: "attributes",
        detail: LikelyMistake.object(operation.value, of: batch.tape))
    case .register(let register):
      if register.row.isOfInstallation {
        requireInstallation(record, at: register.field, in: batch)
      }
      if let fault = register.form.fault(operation.value.index, of: batch.tape) {
        batch.reasons.add(fault, at: register.field)
      }
    case .erase:
      if operation.isOnInstallation { requireInstallation(record, at: "erase", in: batch) }
    case .attribute: validateAttribute(operation, of: record, in: batch)
    case .unreadable: batch.reasons.take(operation.value.index, of: batch.findings)
    }
    resolve(&time, of: &record, tape: batch.tape)
    if let fault = record.timeFault {
      addTimeFault(fault, record.time, at: record.timeNode, in: batch)
    }
    let count = batch.reasons.count - first
    operation.reasons = ReasonRange(start: UInt32(first), count: UInt32(count))
    operation.isApplied = count == 0
    batch.operations[index] = operation
    batch.locateRemarks(
      from: firstRemark, record: operation.record, operation: Node(index), isAccepted: count == 0)
  }

  /// Requires that the record has an installation, which the field belongs to (dialects 2).
  private func requireInstallation(
    _ record: RecordEntry, at field: StaticString, in batch: RecordBatch
  ) {
    if !record.installationID.exists { batch.reasons.add(.needsInstallationID, at: field) }
  }

  private mutating func validateAttribute(
    _ operation: OperationEntry, of record: RecordEntry, in batch: RecordBatch
  ) {
    let key = operation.key.index
    let node = operation.value.index
    var path = FieldPath(
      root: operation.isOnInstallation ? "installation_attributes" : "attributes")
    path.push(key: key)
    if operation.isOnInstallation, !record.installationID.exists {
      batch.reasons.add(.needsInstallationID, at: path, of: batch.tape)
      return
    }
    if refuse(node, at: path, in: batch) { return }
    switch batch.tape[key].keyKind {
    case .bad: batch.reasons.add(.badKey, at: path, of: batch.tape)
    case .reserved, .label, .tags:
      if let native = operation.native {
        let isOfPerson = record.customID.exists && !operation.isOnInstallation
        validateNative(native, of: operation, hasCustomID: isOfPerson, path: &path, in: batch)
      } else {
        batch.reasons.add(.unknownReservedKey, at: path, of: batch.tape)
      }
    case .date, .url:
      validateTyped(operation, path: path, in: batch)
    case .plain:
      let rule: TextRule = record.form == .v1 ? .v1Operation : .v2Operation
      validatePlain(
        node, isCollection: operation.isCollection, rule: rule, path: &path, in: batch)
    }
  }

  /// Adds the reason for a value that the reader could not convert; returns whether the value at
  /// `node` is one.
  func refuse(_ node: Int, at path: FieldPath, in batch: RecordBatch) -> Bool {
    let entry = batch.tape[node]
    guard let fault = entry.fault else { return false }
    batch.reasons.add(fault, at: path, of: batch.tape, detail: entry.expectedType.detail)
    return true
  }

  /// Validates a date or URL; null unsets it. A collection is an array, so it is neither.
  private func validateTyped(
    _ operation: OperationEntry, path: FieldPath, in batch: RecordBatch
  ) {
    let node = operation.value.index
    if batch.tape[node].kind == .null { return }
    if operation.isCollection {
      batch.reasons.add(.wrongType, at: path, of: batch.tape)
    } else if batch.tape[operation.key].keyKind == .date {
      validateDate(node, key: operation.key.index, path: path, in: batch)
    } else {
      validateURL(node, isKnown: true, path: path, in: batch)
    }
  }

  private func validatePlain(
    _ node: Int, isCollection: Bool, rule: TextRule, path: inout FieldPath,
    in batch: RecordBatch
  ) {
    let entry = batch.tape[node]
    switch entry.kind {
    case .null: break
    case .array:
      validateItems(node, path: &path, in: batch) { stage, item, path, batch in
        stage.validateItem(item, rule: rule, path: path, in: batch)
      }
    case .object:
      validateItemOperations(node, path: &path, in: batch) { stage, item, path, batch in
        stage.validateItem(item, rule: rule, path: path, in: batch)
      }
    case .string, .integer, .double, .true, .false:
      if isCollection {
        batch.reasons.add(.wrongType, at: path, of: batch.tape, detail: LikelyMistake.list(entry))
      } else if let fault = scalarFault(entry, rule: rule, of: batch.tape) {
        batch.reasons.add(
          fault.code, at: path, of: batch.tape, limit: fault.limit, actual: fault.actual)
      }
    case .key, .date:
      preconditionFailure("a value cannot be a key or a date before it was validated")
    }
  }

  private func validateItem(
    _ item: Int, rule: TextRule, path: FieldPath, in batch: RecordBatch
  ) {
    let entry = batch.tape[item]
    switch entry.kind {
    case .string:
      if let fault = rule.fault(entry, of: batch.tape) {
        batch.reasons.add(
          fault.code, at: path, of: batch.tape, limit: fault.limit, actual: fault.actual)
      }
    case .array: batch.reasons.add(.arrayNested, at: path, of: batch.tape)
    default:
      batch.reasons.add(.wrongType, at: path, of: batch.tape, detail: ExpectedType.item.detail)
    }
  }

  /// Checks the number of items of the array at `node`, and each of them with `check`.
  func validateItems(
    _ node: Int, path: inout FieldPath, in batch: RecordBatch,
    _ check: (borrowing ValidatorStage, Int, FieldPath, RecordBatch) -> Void
  ) {
    let count = batch.tape.itemCount(of: node)
    if count == 0 {
      batch.reasons.add(.emptyOperation, at: path, of: batch.tape)
      return
    }
    batch.tape.forEachItem(of: node) { item, position in
      path.push(index: position)
      check(self, item, path, batch)
      path.pop()
    }
    if count > Limits.array {
      batch.reasons.add(
        .arrayTooLong, at: path, of: batch.tape, limit: Limits.array, actual: count)
    }
  }

  /// Validates `{"$add":[…],"$remove":[…]}`: an object with an empty list has no effect, whatever
  /// else it contains; any other object is of the wrong type.
  func validateItemOperations(
    _ node: Int, path: inout FieldPath, in batch: RecordBatch,
    _ check: (borrowing ValidatorStage, Int, FieldPath, RecordBatch) -> Void
  ) {
    let lists = ItemLists(node, in: batch.tape)
    if let fault = lists.fault(of: batch.tape) {
      batch.reasons.add(
        fault, at: path, of: batch.tape,
        detail: fault == .wrongType ? ExpectedType.itemChange.detail : nil)
      return
    }
    for key in [lists.add, lists.remove] where key.exists {
      path.push(key: key.index)
      validateItems(key.index + 1, path: &path, in: batch, check)
      path.pop()
    }
  }
}

/// The lists of an item operation: the tape indices of the keys `$add` and `$remove`.
struct ItemLists {
  private(set) var add = Node.none
  private(set) var remove = Node.none
  private var hasOthers = false

  /// Reads the object at `node`, and drops keys that a repeated one overwrites.
  init(_ node: Int, in tape: Tape) {
    tape.forEachMember(of: node) { key in
      let name = tape.bytes(at: key)
      if name == "$add" {
        if add.exists { tape[add].flags |= TapeEntry.dropped }
        add = Node(key)
      } else if name == "$remove" {
        if remove.exists { tape[remove].flags |= TapeEntry.dropped }
        remove = Node(key)
      } else {
        hasOthers = true
      }
    }
  }

  /// The fault of the object as a whole, or nil.
  func fault(of tape: Tape) -> ReasonCode? {
    if !add.exists, !remove.exists, !hasOthers { return .emptyOperation }
    if isEmpty(add, of: tape) || isEmpty(remove, of: tape) { return .emptyOperation }
    let isList = isArray(add, of: tape) && isArray(remove, of: tape)
    return hasOthers || !isList ? .wrongType : nil
  }

  private func isEmpty(_ key: Node, of tape: Tape) -> Bool {
    key.exists && tape[key.next].kind == .array
      && Int(tape[key.next].next) == key.index + 2
  }

  private func isArray(_ key: Node, of tape: Tape) -> Bool {
    !key.exists || tape[key.next].kind == .array
  }
}
