import Pipeline

/// Reads a line with a list of events, perhaps in items of other lists (docs/guides/mapping.md). If
/// items have an owner, or an effect, of their own, each is a record, and the first, empty record
/// of the line has the losses of the line itself.
struct MappedList {
  private let group: MappedGroup
  /// The kinds for which the conditions on the line hold, as bits.
  private var open: UInt64 = 0
  private let first: MappedKind
  private let found: MappedLine
  private let reader: DialectReader
  private let draft: ForeignDraft
  private let batch: RecordBatch
  private let tape: Tape
  private var level: Int { group.trees.count - 1 }

  init(
    _ kind: MappedKind, of mapping: Mapping, _ reader: DialectReader, _ found: MappedLine,
    _ batch: RecordBatch
  ) {
    (first, group) = (kind, mapping.groups[kind.rules.group])
    (self.reader, self.found, self.batch, tape) = (reader, found, batch, batch.tape)
    draft = reader.draft(into: batch)
    for (index, kind) in group.kinds.enumerated() where found.isOpen(kind, in: tape) {
      open |= 1 << UInt64(index)
    }
  }

  /// Reads the line into `record`, or, with owners of the items, into records that it appends;
  /// returns whether it has appended them.
  func read(_ object: Int, into record: inout RecordEntry) -> Bool {
    found.beginLine()
    let reading = MappedReading(first, found, reader, draft)
    noteUnread(of: object, level: 0, at: SourcePlaces.root, reading)
    let list = found.list(of: group, in: object, level: 0, at: SourcePlaces.none, tape).node
    record.hasEventList = list.exists
    if list.exists, tape[list].kind != .array { batch.reject(&record, .badEvents, at: "events") }
    found.enter(object, level: 0, at: SourcePlaces.root)
    let index = batch.records.count
    if group.hasOwners {
      reader.append(record, to: batch)
    } else {
      reading.enter(level: 0)
      reading.scope.shared.begin(first.rules)
      reading.identify(&record)
    }
    if list.exists, !record.fault.exists {
      readItems(of: object, at: SourcePlaces.root, level: 0, into: &record)
    }
    if group.hasOwners {
      batch.records[index].mayBeEmpty = batch.records.count > index + 1
    } else {
      endLosses(of: &record)
    }
    return group.hasOwners
  }

  /// Notes the fields that no kind reads, of the line and of the items of the lists around events.
  private func noteUnread(of object: Int, level: Int, at place: Int32, _ reading: MappedReading) {
    let scope = found.scope(of: first, in: tape)
    found.read(object, as: first.trees[level], into: scope.levels[level], at: place, in: tape)
    reading.noteUnread(of: scope.levels[level])
    guard level + 1 < self.level else { return }
    forEachItem(of: object, at: place, level: level) { item, place in
      guard tape[item].kind == .object else { return }
      noteUnread(of: item, level: level + 1, at: place, reading)
    }
  }

  /// Calls `body` with the items of the list in an object, and their paths.
  private func forEachItem(
    of object: Int, at place: Int32, level: Int, _ body: (_ item: Int, _ place: Int32) -> Void
  ) {
    let list = found.list(of: group, in: object, level: level, at: place, tape)
    guard list.node.exists, tape[list.node].kind == .array else { return }
    tape.forEachItem(of: list.node.index) { item, position in
      body(item, found.places.item(position, of: list.place))
    }
  }

  private func readItems(
    of object: Int, at place: Int32, level: Int, into record: inout RecordEntry
  ) {
    if level > 0 { found.enter(object, level: level, at: place) }
    let isLast = level + 1 == self.level
    forEachItem(of: object, at: place, level: level) { item, place in
      if tape[item].kind != .object {
        read(item, nil, .wrongType, at: place, into: &record)
      } else if isLast {
        read(item, kind(of: item), .unmappedLine, at: place, into: &record)
      } else {
        let list = found.list(
          of: group, in: item, level: level + 1, at: SourcePlaces.none, tape
        ).node
        if list.exists, tape[list].kind != .array {
          read(item, nil, .badEvents, at: place, into: &record)
        } else if list.exists, Int(tape[list].next) > list.index + 1 {
          readItems(of: item, at: place, level: level + 1, into: &record)
        } else {
          // There is no event that could have what it holds.
          MappedReading(first, found, reader, draft).notingLineLosses {
            draft.lose(.unknownField, at: found.places.path(of: place))
          }
        }
      }
    }
  }

  /// The kind of an item: the first whose conditions hold.
  private func kind(of item: Int) -> MappedKind? {
    _ = found.list(of: group, in: item, level: level, at: SourcePlaces.none, tape)
    for (index, kind) in group.kinds.enumerated() where open & 1 << UInt64(index) != 0 {
      if found.holds(kind, in: tape) { return kind }
    }
    return nil
  }

  /// Reads an item; one of no kind is an event that is rejected for the reason `fault`.
  private func read(
    _ item: Int, _ kind: MappedKind?, _ fault: ReasonCode, at place: Int32,
    into record: inout RecordEntry
  ) {
    if group.hasOwners {
      record = RecordEntry(line: record.line, dialect: record.dialect)
      (record.form, record.isPart) = (.drafted, true)
      reader.begin(&record, in: batch)
    }
    if let kind {
      found.itemPlace = place
      MappedReading(kind, found, reader, draft)
        .readItem(item, at: place, own: group.hasOwners, into: &record)
    } else {
      batch.addUnreadableEvent { if fault != .wrongType { batch.findings.add(fault, at: "") } }
    }
    guard group.hasOwners else { return }
    endLosses(of: &record)
    reader.append(record, to: batch)
  }

  /// Makes the losses of what events share those of the record.
  private func endLosses(of record: inout RecordEntry) {
    if found.losses.isEmpty { return }
    var told: Set<String> = []
    batch.noteOmissions(of: &record) { _ in
      // Kinds may lose the same of the line.
      let losses = found.losses.filter { loss in
        group.kinds.count == 1
          || told.insert("\(loss.code) \(batch.findings.path(loss).text)").inserted
      }
      batch.findings.append(losses[...])
      found.losses.removeAll(keepingCapacity: true)
    }
  }
}
