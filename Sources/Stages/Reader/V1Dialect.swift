import Pipeline

/// Dialect `v1`: single events, the bulk form, user data (data-model 3.2, 3.4).
enum V1Dialect: RecordDialect {
  static func read(_ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch) {
    if !reader.root.has(.update), reader.root.has(.name) {
      reader.readV1Event(&record, into: batch)
    } else {
      reader.readV1Parts(&record, into: batch)
    }
  }
}

extension DialectReader {
  private static let identityV1 = RootField.set(
    .customID, .userID, .installationID, .installID, .id, .time)
  static let knownV1EventObject = RootField.set(
    .id, .eventID, .name, .time, .label, .tags, .attributes)
  private static let knownV1Event = identityV1 | knownV1EventObject

  /// Reads one event that carries its owner.
  fileprivate func readV1Event(_ record: inout RecordEntry, into batch: RecordBatch) {
    // The root of the line is the event.
    let first = batch.unread.count
    dropPlaceholders(in: root, of: batch)
    record.customID = root.first(.customID, .userID)
    record.installationID = root.first(.installationID, .installID)
    record.hasEventList = false
    var event = EventEntry(record: UInt32(batch.records.count))
    root.readV1(into: &event)
    noteAliases(isEvent: true, of: batch)
    readOthers(of: root, besides: Self.knownV1Event, into: &event, from: first, in: batch)
    batch.events.append(event)
  }

  /// Reads user data, or the bulk form: one owner, several events. A root `time` is their default.
  fileprivate func readV1Parts(_ record: inout RecordEntry, into batch: RecordBatch) {
    let update = root[.update]
    dropPlaceholders(in: root, of: batch)
    noteAliases(isEvent: false, of: batch)
    let content = update.exists ? RootField.update : .events
    noteUnknown(in: root, besides: Self.identityV1 | content.bit, of: batch)
    record.customID = root.first(.id, .customID, .userID)
    record.installationID = root.first(.installationID, .installID)
    record.timeNode = root[.time]
    guard update.exists else {
      return readEvents(root[.events], isV1: true, of: &record, into: batch)
    }
    record.mayBeLink = true
    guard batch.tape[update].kind == .object else {
      return readOperations(update, isV1: true, into: batch)
    }
    inner.read(update.index, of: batch)
    let values = inner.take("values", of: batch.tape)
    noteUnknown(
      in: inner, besides: RootField.overwrite.bit, at: FieldPath(root: "update"), of: batch)
    readOverwrite(inner[.overwrite], into: batch)
    readOperations(values, isV1: true, into: batch)
  }
}
