import Pipeline

/// The native attributes, each with its own rule and its own code (data-model 9).
extension ValidatorStage {
  /// Validates the value of a native attribute; null unsets it.
  func validateNative(
    _ native: NativeKey, of operation: OperationEntry, hasCustomID: Bool, path: inout FieldPath,
    in batch: RecordBatch
  ) {
    let node = Int(operation.value)
    if !hasCustomID, native == .emailAddress || native == .phoneNumber {
      batch.reasons.add(.needsCustomID, at: path, of: batch.tape)
      return
    }
    let entry = batch.tape[node]
    if entry.kind == .null { return }
    if native == .topicPreferences {
      validateTopics(node, path: &path, in: batch)
      return
    }
    // A v1 collection is an array, and only topics are one.
    guard entry.kind == .string, !operation.isCollection else {
      batch.reasons.add(
        .wrongType, at: path, of: batch.tape,
        detail: LikelyMistake.text(entry) ?? ExpectedType.native.detail)
      return
    }
    if let fault = nativeFault(native, node, in: batch.tape) {
      batch.reasons.add(
        fault.code, at: path, of: batch.tape, limit: fault.limit, actual: fault.actual)
    }
  }

  private func nativeFault(
    _ native: NativeKey, _ node: Int, in tape: Tape
  ) -> ValueFault? {
    let text = tape.bytes(at: node)
    switch native {
    case .emailAddress:
      if let actual = Characters.count(text, moreThan: Limits.email) {
        return ValueFault(.emailInvalid, limit: Limits.email, actual: actual)
      }
      return FormatRules.isEmail(text) ? nil : ValueFault(.emailInvalid)
    case .phoneNumber:
      return FormatRules.isPhone(text) ? nil : ValueFault(.phoneInvalid)
    case .emailMarketing, .smsMarketing:
      return text == "subscribed" || text == "unsubscribed"
        ? nil : ValueFault(.subscriptionInvalid)
    case .language: return localeFault(node, code: .languageInvalid, in: tape)
    case .region: return localeFault(node, code: .regionInvalid, in: tape)
    case .timezone: return TextRule.timezone.fault(tape[node], of: tape)
    case .topicPreferences: return nil
    }
  }

  /// A language or region is stored trimmed.
  private func localeFault(
    _ node: Int, code: ReasonCode, in tape: Tape
  ) -> ValueFault? {
    let range = Characters.trimmedRange(tape.bytes(at: node))
    KeyName.narrow(node, to: range, in: tape)
    let text = tape.bytes(at: node)
    if Characters.count(text, moreThan: Limits.shortestLocale - 1) == nil {
      return ValueFault(code, limit: Limits.shortestLocale)
    }
    if let actual = Characters.count(text, moreThan: Limits.longestLocale) {
      return ValueFault(code, limit: Limits.longestLocale, actual: actual)
    }
    return nil
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
