import Pipeline

/// Dialect `v2`, the canonical form (data-model 3.1).
enum V2Dialect: RecordDialect {
  static func read(_ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch) {
    let root = reader.root
    reader.readRedriven(&record, of: batch)
    record.timeNode = root[.time]
    record.mayBeLink = true
    reader.readIdentifiers(root[.identifiers].index, &record, of: batch)
    reader.readOverwrite(root[.overwrite], into: batch)
    let installationAttributes = reader.readPrivacy(of: record, into: batch)
    reader.noteUnknown(in: root, besides: known, of: batch)
    reader.readOperations(root[.attributes], isV1: false, into: batch)
    reader.readInstallationOperations(installationAttributes, into: batch)
    reader.readEvents(root[.events], isV1: false, of: &record, into: batch)
  }

  private static let known = RootField.set(.identifiers, .time, .overwrite, .attributes, .events)
}

extension DialectReader {
  private static let knownIdentifiers = RootField.set(.customID, .installationID, .installation)
  static let knownV2Event = RootField.set(.id, .name, .time, .attributes, .label, .tags)

  /// Reads the origin of a redriven record. An unknown dialect counts as none: it is only a note.
  fileprivate func readRedriven(_ record: inout RecordEntry, of batch: RecordBatch) {
    let node = root.take("redriven", of: batch.tape) { batch.tape[$0].kind == .object }
    guard node.exists else { return }
    batch.hasRedriven = true
    record.redriven = node
    let name = batch.tape.string(at: record.redrivenNode("dialect", of: batch.tape))
    record.redrivenDialect = name.flatMap { dialect(named: $0.text) }
  }

  fileprivate func readIdentifiers(_ node: Int, _ record: inout RecordEntry, of batch: RecordBatch)
  {
    guard batch.tape[node].kind == .object else {
      return batch.reject(&record, .noIdentity, at: "identifiers")
    }
    inner.read(node, of: batch)
    var path = FieldPath(root: "identifiers")
    dropPlaceholders(RootField.installationID.bit, in: inner, at: path, of: batch)
    record.customID = inner[.customID]
    record.installationID = inner[.installationID]
    noteUnknown(in: inner, besides: Self.knownIdentifiers, at: path, of: batch)
    let installation = inner[.installation].index
    guard installation >= 0, batch.tape[installation].kind == .object else { return }
    inner.read(installation, of: batch)
    path.push(key: installation - 1)
    dropPlaceholders(RootField.installationID.bit, in: inner, at: path, of: batch)
    let nested = inner[.installationID]
    if !record.installationID.exists {
      record.installationID = nested
    } else if nested.exists,
      !batch.tape.isSameID(record.installationID.index, nested.index, .installation)
    {
      batch.unread.add(.aliasIgnored, key: nested.previous, in: path, of: batch.tape)
    }
  }

  /// Notes `label` and `tags` beside the attributes, which are ignored (data-model 10).
  func noteIgnored(of batch: RecordBatch) {
    guard inner.hasAny(RootField.label.bit | RootField.tags.bit) else { return }
    for field in [RootField.label, .tags] where inner.has(field) {
      batch.unread.add(
        field == .label ? .rootLabelIgnored : .rootTagsIgnored, key: inner[field].previous,
        in: FieldPath(root: ""), of: batch.tape)
    }
  }
}
