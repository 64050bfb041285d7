import Pipeline

/// Dialect `v2`, the canonical form (SPEC 3.1).
extension DialectReader {
  private static let knownV2: UInt32 =
    RootMember.identifiers.bit | RootMember.time.bit | RootMember.overwrite.bit
    | RootMember.attributes.bit | RootMember.events.bit

  /// Reads a v2 record.
  mutating func readV2(_ record: inout RecordEntry, into batch: inout RecordBatch) {
    root.countOthers(than: DialectReader.knownV2, of: batch.tape, in: &batch.unknownFields)
    record.timeNode = root[.time]
    record.mayBeLink = true
    readIdentifiers(Int(root[.identifiers]), &record, of: batch.tape)
    readOverwrite(root[.overwrite], into: &batch)
    readOperations(root[.attributes], isV1: false, into: &batch)
    readEvents(root[.events], of: &record, into: &batch) { reader, _, event, _ in
      event.nameNode = reader.inner[.name]
      event.timeNode = reader.inner[.time]
      event.idNode = reader.inner[.id]
      event.attributes = reader.inner[.attributes]
      event.ignoredLabel = reader.inner.has(.label)
      event.ignoredTags = reader.inner.has(.tags)
    }
  }

  private func readIdentifiers(
    _ node: Int, _ record: inout RecordEntry, of tape: borrowing Tape
  ) {
    let object = tape[node]
    guard object.kind == .object else {
      record.hasBadIdentifiers = true
      return
    }
    record.customID = tape.member("custom_id", of: node)
    record.installationID = tape.member("installation_id", of: node)
    guard record.installationID < 0 else { return }
    let installation = tape.member("installation", of: node)
    if installation >= 0, tape[Int(installation)].kind == .object {
      record.installationID = tape.member("installation_id", of: Int(installation))
    }
  }
}

extension Tape {
  /// The tape index of the last member called `name` of the object at `object`, or -1 when it is
  /// absent or null. Complexity: O(members).
  fileprivate borrowing func member(_ name: StaticString, of object: Int) -> Int32 {
    var found: Int32 = -1
    var key = object + 1
    let end = Int(self[object].next)
    while key < end {
      let entry = self[key]
      if bytes(entry) == ByteView(name) {
        found = self[key + 1].kind == .null ? -1 : Int32(key + 1)
      }
      key = Int(entry.next)
    }
    return found
  }
}
