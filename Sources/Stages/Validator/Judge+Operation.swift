import Pipeline

/// Profile operations: an invalid one is rejected individually (data-model 9).
extension Judge {
  /// Decides whether the operation at `index` is applied.
  func judgeOperation(_ index: Int) {
    var operation = batch.operations[index]
    batch.reasons.beginPart()
    defer { batch.reasons.endPart() }
    let (first, firstRemark) = (batch.reasons.count, batch.remarks.count)
    switch operation.kind {
    case .clear:
      if tape[operation.value].kind != .true {
        batch.reasons.add(.wrongType, at: "overwrite", detail: ExpectedType.flag.detail)
      }
    case .noObject:
      batch.reasons.add(
        .badAttributes, at: "attributes", detail: LikelyMistake.object(operation.value, of: tape))
    case .register(let register):
      if register.isOfInstallation { requireInstallation(at: register.field) }
      if let fault = register.form.fault(operation.value.index, of: tape) {
        batch.reasons.add(fault, at: register.field)
      }
    case .erase:
      if operation.isOnInstallation { requireInstallation(at: "erase") }
    case .attribute: judgeAttribute(operation)
    case .unreadable: batch.reasons.take(operation.value.index, of: batch.findings)
    }
    resolveTime()
    if let fault = record.timeFault { addTimeFault(fault, record.time, at: record.timeNode) }
    operation.reasons = batch.reasons.range(from: first)
    operation.isApplied = operation.reasons.count == 0
    batch.operations[index] = operation
    batch.locateRemarks(
      from: firstRemark, record: operation.record, operation: Node(index),
      isAccepted: operation.isApplied)
  }

  /// Requires that the record has an installation, which the field belongs to (dialects 2).
  private func requireInstallation(at field: StaticString) {
    if !record.installationID.exists { batch.reasons.add(.needsInstallationID, at: field) }
  }

  private func judgeAttribute(_ operation: OperationEntry) {
    let (key, node, native) = (operation.key.index, operation.value.index, operation.native)
    let isPerson = record.customID.exists && !operation.isOnInstallation
    path = FieldPath(root: operation.isOnInstallation ? "installation_attributes" : "attributes")
    path.push(key: key)
    if operation.isOnInstallation, !record.installationID.exists {
      return add(.needsInstallationID)
    }
    if refuse(node) { return }
    let kind = tape[key].keyKind
    if kind == .bad { return add(.badKey) }
    if kind.form == nil {
      guard let native else { return add(.unknownReservedKey) }
      if native.isOfPerson, !isPerson { return add(.needsCustomID) }
    }
    // It unsets the attribute.
    if tape[node].kind == .null { return }
    if kind == .plain {
      judgeList(
        node, isV1 ? .v1OperationItem : .v2OperationItem,
        or: operation.isCollection ? .collection : isV1 ? .v1Operation : .v2Operation)
    } else if native == .topicPreferences {
      judgeList(node, .topic, or: .topics)
    } else if operation.isCollection {
      // A v1 collection is an array, and of native attributes only topics may be arrays.
      let expected = native == nil ? ExpectedType.nothing : .native
      add(.wrongType, detail: expected.detail(insteadOf: tape[node]))
    } else if let native {
      add(native.fault(node, in: tape))
    } else if let form = kind.form {
      judge(node, as: form)
    }
  }

  /// Judges a list, or an object that adds items and removes some; for others `other` applies.
  private func judgeList(_ node: Int, _ item: TextRule, or other: TextRule) {
    switch tape[node].kind {
    case .array: judgeItems(node, item)
    case .object: judgeChanges(node, item)
    default: judge(node, other)
    }
  }

  /// Judges `{"$add":[…],"$remove":[…]}`, and drops keys that a repeated one overwrites: an object
  /// with an empty list has no effect, whatever else it contains; any other object is of the wrong
  /// type.
  private func judgeChanges(_ node: Int, _ item: TextRule) {
    var (added, removed) = (Node.none, Node.none)
    var isOther = false
    func note(_ key: Int, _ latest: inout Node) {
      if latest.exists { tape[latest].flags |= TapeEntry.dropped }
      latest = Node(key)
    }
    tape.forEachMember(of: node) { key in
      let name = tape.bytes(at: key)
      if name == "$add" {
        note(key, &added)
      } else if name == "$remove" {
        note(key, &removed)
      } else {
        isOther = true
      }
    }
    var isEmpty = !added.exists && !removed.exists && !isOther
    for key in [added, removed] where key.exists {
      let list = tape[key.next]
      if list.kind != .array {
        isOther = true
      } else if Int(list.next) == key.index + 2 {
        isEmpty = true
      }
    }
    if isEmpty { return add(.emptyOperation) }
    if isOther { return add(.wrongType, detail: ExpectedType.itemChange.detail) }
    for key in [added, removed] where key.exists {
      path.push(key: key.index)
      judgeItems(key.index + 1, item)
      path.pop()
    }
  }
}
