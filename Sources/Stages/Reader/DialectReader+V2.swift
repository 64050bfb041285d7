import Pipeline

/// Dialect `v2`, the canonical form (SPEC 3.1).
extension DialectReader {
  private static let knownV2: UInt32 =
    RootMember.identifiers.bit | RootMember.time.bit | RootMember.overwrite.bit
    | RootMember.attributes.bit | RootMember.events.bit

  /// Reads a v2 record.
  mutating func readV2(_ record: inout RecordEntry, into batch: RecordBatch) {
    root.countOthers(than: DialectReader.knownV2, of: batch.tape, in: &batch.unknownFields)
    record.timeNode = root[.time]
    record.mayBeLink = true
    readIdentifiers(Int(root[.identifiers]), &record, of: batch)
    readOverwrite(root[.overwrite], into: batch)
    readOperations(root[.attributes], isV1: false, into: batch)
    readEvents(root[.events], isV1: false, of: &record, into: batch)
  }

  private func readIdentifiers(
    _ node: Int, _ record: inout RecordEntry, of batch: RecordBatch
  ) {
    guard batch.tape[node].kind == .object else {
      record.hasBadIdentifiers = true
      return
    }
    inner.read(node, of: batch)
    record.customID = inner[.customID]
    record.installationID = inner[.installationID]
    let installation = Int(inner[.installation])
    guard record.installationID < 0, installation >= 0, batch.tape[installation].kind == .object
    else { return }
    inner.read(installation, of: batch)
    record.installationID = inner[.installationID]
  }
}
