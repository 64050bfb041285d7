import Pipeline

/// What canonical records say beyond the Profiles API (dialects 2): registers, `erase` and
/// `installation_attributes`, at the time of the record.
///
/// They count only in the form in which they are written. Whatever else stands under these names is
/// a member that nobody knows, as in the logs of those who never heard of them.
extension DialectReader {
  /// Reads registers and `erase` of the root as an operation each. `"erase":false` says nothing.
  /// Returns the tape index of `installation_attributes`, if it is there.
  func readPrivacy(into batch: RecordBatch) -> Node {
    if root.unknownKeys.isEmpty { return .none }
    let tape = batch.tape
    for kind in RegisterKind.allCases {
      let node = root.take(ByteView(kind.field), of: tape) { kind.form.fits($0, of: tape) }
      append(.register(kind), node, to: batch)
    }
    let erase = root.take("erase", of: tape) { tape.isBoolean($0) }
    if erase.exists, tape[erase].kind == .true { append(.erase, erase, to: batch) }
    return root.take("installation_attributes", of: tape) { tape[$0].kind == .object }
  }

  /// Reads the members of the object at `node` as operations on attributes of the record's
  /// installation, whoever the record belongs to, if there are any.
  func readInstallationOperations(_ node: Node, into batch: RecordBatch) {
    let first = batch.operations.count
    readOperations(node, isV1: false, into: batch)
    for index in first..<batch.operations.count {
      batch.operations[index].isOnInstallation = true
    }
  }

  /// Adds an operation with the value at `node`, if there is one.
  private func append(_ kind: OperationKind, _ node: Node, to batch: RecordBatch) {
    guard node.exists else { return }
    batch.operations.append(
      OperationEntry(record: UInt32(batch.records.count), kind: kind, key: .none, value: node))
  }
}
