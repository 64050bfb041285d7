import Pipeline

/// Fields of canonical records beyond the Profiles API (dialects 2): registers, `erase` and
/// `installation_attributes`, at the time of the record.
///
/// They count only in their specified form. Any other value under these names is an unknown field,
/// as in logs that predate them.
extension DialectReader {
  /// Reads registers and `erase` of the root as one operation each. `"erase":false` has no effect,
  /// `"erase":"person"` is about the person that `record` names. Returns the tape index of
  /// `installation_attributes`, if present.
  func readPrivacy(of record: RecordEntry, into batch: RecordBatch) -> Node {
    if root.unknownKeys.isEmpty { return .none }
    let tape = batch.tape
    for kind in RegisterKind.allCases {
      let node = root.take(ByteView(kind.field), of: tape) { kind.form.fits($0, of: tape) }
      if node.exists { batch.addOperation(.register(kind), value: node) }
    }
    let erase = root.take("erase", of: tape) { node in
      tape.isBoolean(node)
        || record.customID.exists && tape[node].kind == .string && tape.bytes(at: node) == "person"
    }
    if erase.exists, tape[erase].kind != .false {
      batch.addOperation(.erase, value: erase)
      batch.operations[batch.operations.count - 1].isOnInstallation = tape[erase].kind == .true
    }
    return root.take("installation_attributes", of: tape) { tape[$0].kind == .object }
  }

  /// Reads the fields of the object at `node` as operations on attributes of the record's
  /// installation, regardless of the owner of the record.
  func readInstallationOperations(_ node: Node, nulls: Bool = true, into batch: RecordBatch) {
    let first = batch.operations.count
    readOperations(
      node, isV1: false, at: "installation_attributes", nulls: nulls, into: batch)
    for index in first..<batch.operations.count {
      batch.operations[index].isOnInstallation = true
    }
  }
}
