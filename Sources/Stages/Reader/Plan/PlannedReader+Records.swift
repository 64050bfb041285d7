import Pipeline

/// A range of the source that is written differently: a key, a time, or nothing.
struct AttributeEdit: BitwiseCopyable {
  /// What is written instead.
  enum Text: BitwiseCopyable {
    case nothing
    /// The name with this number.
    case key(UInt16)
    /// In milliseconds since 1970.
    case time(Int)
  }

  let start: Int
  let end: Int
  let text: Text
}

/// Events and records that are complete.
extension PlannedReader {
  /// Appends the text of the attributes of an event to the tape as one entry, in canonical form.
  func addAttributes(_ members: Range<Int>, _ count: Int, of place: PlanPlace, to tape: Tape) {
    attributeCount = count
    var entry = TapeEntry(
      start: members.lowerBound, length: members.count, next: tape.count + 1, kind: .object,
      flags: TapeEntry.prevalidated)
    if writesAttributes, !edits.isEmpty {
      let start = tape.decoded.count
      var position = members.lowerBound
      for index in edits.indices {
        let edit = edits[index]
        tape.decoded.append(tape.sourceBytes(position..<edit.start))
        switch edit.text {
        case .nothing: break
        case .key(let number): tape.decoded.append(tape.names.text(Int(number)))
        case .time(let time):
          tape.decoded.append(JSONByte.quote)
          timesWritten.append(milliseconds: time, to: &tape.decoded)
          tape.decoded.append(JSONByte.quote)
        }
        position = edit.end
      }
      tape.decoded.append(tape.sourceBytes(position..<members.upperBound))
      precondition(tape.decoded.count <= Int(UInt32.max), "a block's texts exceed 4 GiB")
      entry.start = UInt32(start)
      entry.length = UInt32(tape.decoded.count - start)
      entry.flags |= TapeEntry.decoded
    }
    self[place] = Node(tape.append(entry))
  }

  /// Appends the event that has ended; one without a name or a time is not plain.
  @inline(__always)
  func addEvent(isV1: Bool = false, into batch: RecordBatch) throws(NotPlain) {
    guard self[isV1 ? .time : .eventTime].exists, self[.name].exists else { throw NotPlain() }
    var event = EventEntry(record: UInt32(truncatingIfNeeded: batch.records.count))
    event.outcome = .accepted
    event.nameNode = self[.name]
    event.idNode = self[.id]
    event.label = self[.label]
    event.tags = self[.tags]
    event.attributes = self[.attributes]
    event.attributeCount = Int32(truncatingIfNeeded: attributeCount)
    event.time = isV1 ? recordTime : eventTime
    if self[.duplicate].exists { try checkDuplicate(of: &event, batch.tape) }
    attributeCount = 0
    // Its name is looked up in the list: copying the entry right after a write would stall the
    // processor.
    let index = batch.events.count
    batch.events.append(event)
    guard batch.storeName(of: &batch.events[index], isV1: isV1) else { throw NotPlain() }
    forget(.id ... .eventTime)
  }

  /// An event that counts once for its id needs one.
  @inline(never)
  private func checkDuplicate(of event: inout EventEntry, _ tape: Tape) throws(NotPlain) {
    event.hasTimelessID = true
    guard tape.bytes(at: self[.duplicate]) == "id", event.idNode.exists,
      !placeholders.contain(tape.bytes(at: event.idNode), as: .event)
    else { throw NotPlain() }
  }

  /// Appends the line and its record; the batch had that many events and operations before.
  func addRecord(
    _ line: Range<Int>, _ events: Int, _ operations: Int, into batch: RecordBatch
  ) throws(NotPlain) {
    var record = RecordEntry(line: UInt32(batch.lines.count), dialect: .v2)
    let hasOperations = batch.operations.count > operations
    switch plan.containers[root].end {
    case .recordV2:
      // A record with identifiers only is not plain, and operations need a time.
      guard hasOperations ? self[.time].exists : self[.events].exists else { throw NotPlain() }
      record.time = self[.time].exists ? recordTime : 0
    case .recordV1:
      (record.dialect, record.form) = (.v1, .v1)
      if self[.update].exists {
        // Only user data, without an event: an id would be that of the person.
        guard self[.values].exists, self[.time].exists,
          self[.customID].exists || self[.installationID].exists, !self[.id].exists,
          !self[.name].exists, !self[.label].exists, !self[.tags].exists,
          !self[.attributes].exists
        else { throw NotPlain() }
        record.time = recordTime
      } else {
        record.hasEventList = false
        try addEvent(isV1: true, into: batch)
      }
    default: throw NotPlain()
    }
    (record.customID, record.installationID) = (self[.customID], self[.installationID])
    try checkOwner(of: record, batch.tape)
    record.isSettled = true
    record.firstEvent = UInt32(truncatingIfNeeded: events)
    record.eventCount = UInt32(truncatingIfNeeded: batch.events.count &- events)
    record.firstOperation = UInt32(truncatingIfNeeded: operations)
    record.operationCount = UInt32(truncatingIfNeeded: batch.operations.count &- operations)
    addLine(line, record, isCompact: true, to: batch)
  }

  @inline(__always)
  func addLine(_ line: Range<Int>, _ record: RecordEntry, isCompact: Bool, to batch: RecordBatch) {
    var entry = LineEntry(
      start: UInt32(truncatingIfNeeded: line.lowerBound),
      length: UInt32(truncatingIfNeeded: line.count),
      number: UInt32(truncatingIfNeeded: batch.lineCount), outcome: .record)
    entry.dialect = record.dialect
    entry.isCompact = isCompact
    entry.record = Node(batch.records.count)
    batch.lines.append(entry)
    batch.records.append(record)
  }

  /// Stores the installation id. An id that is plain as a text can only be invalid if it is one of
  /// the placeholders, or has white space.
  func checkOwner(of record: RecordEntry, _ tape: Tape) throws(NotPlain) {
    if record.customID.exists, placeholders.contain(tape.bytes(at: record.customID), as: .person) {
      throw NotPlain()
    }
    let installation = record.installationID
    guard installation.exists else { return }
    guard !placeholders.contain(tape.bytes(at: installation), as: .installation),
      IdentityRule.storeInstallationID(installation, in: tape) == nil
    else { throw NotPlain() }
  }
}
