import Pipeline

/// The native attributes, each with its own rule and its own code (data-model 9).
extension ValidatorStage {
  /// Validates the value of a native attribute; null unsets it.
  func validateNative(
    _ native: NativeKey, of operation: OperationEntry, hasCustomID: Bool, path: inout FieldPath,
    in batch: RecordBatch
  ) {
    let node = operation.value.index
    if !hasCustomID, native.isOfPerson {
      batch.reasons.add(.needsCustomID, at: path, of: batch.tape)
      return
    }
    let entry = batch.tape[node]
    if entry.kind == .null { return }
    if native == .topicPreferences {
      validateTopics(node, path: &path, in: batch)
      return
    }
    // A v1 collection is an array, and only topics may be arrays.
    guard entry.kind == .string, !operation.isCollection else {
      batch.reasons.add(
        .wrongType, at: path, of: batch.tape,
        detail: LikelyMistake.text(entry) ?? ExpectedType.native.detail)
      return
    }
    if let fault = NativeRule.fault(native, node, in: batch.tape) {
      batch.reasons.add(
        fault.code, at: path, of: batch.tape, limit: fault.limit, actual: fault.actual)
    }
  }

  private func validateTopics(
    _ node: Int, path: inout FieldPath, in batch: RecordBatch
  ) {
    switch batch.tape[node].kind {
    case .array:
      validateItems(node, path: &path, in: batch) { stage, item, path, batch in
        stage.validateTopic(item, path: path, in: batch)
      }
    case .object:
      validateItemOperations(node, path: &path, in: batch) { stage, item, path, batch in
        stage.validateTopic(item, path: path, in: batch)
      }
    default:
      batch.reasons.add(
        .wrongType, at: path, of: batch.tape,
        detail: LikelyMistake.list(batch.tape[node]) ?? ExpectedType.topics.detail)
    }
  }

  /// A topic is stored in lower case.
  private func validateTopic(_ item: Int, path: FieldPath, in batch: RecordBatch) {
    guard batch.tape[item].kind == .string else {
      batch.reasons.add(.wrongType, at: path, of: batch.tape, detail: ExpectedType.item.detail)
      return
    }
    if Characters.needsLowercasing(batch.tape.bytes(at: item)) {
      batch.tape.rewrite(item) { present, lower in
        Characters.appendLowercased(present, to: &lower)
      }
    }
    if !FormatRules.isTopic(batch.tape.bytes(at: item)) {
      batch.reasons.add(.topicInvalid, at: path, of: batch.tape)
    }
  }
}
