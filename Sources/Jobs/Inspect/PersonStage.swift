import Pipeline
import Stages

/// The keys of a person, found by their bytes.
struct PersonKeys: Sendable {
  /// `custom:ID` and `install:ID`.
  let texts: [String]
  private let bytes: [[UInt8]]
  /// By the hash of a key: the indices of those that have it.
  private let positions: [UInt64: [Int]]
  /// The ids between quotes, without escapes.
  private let quoted: [[UInt8]]

  init(_ texts: [String]) {
    self.texts = texts
    bytes = texts.map { Array($0.utf8) }
    positions = Dictionary(
      grouping: texts.indices, by: { position in ByteView.with(texts[position]) { XXH64.hash($0) } }
    )
    let ids = texts.map { text in String(text.drop { $0 != ":" }.dropFirst()) }
    // Sources may write a UUID in lower case.
    quoted = Set(
      ids + texts.filter { $0.hasPrefix("install:") }.map { String($0.dropFirst(8)).lowercased() }
    ).map { Array("\"\($0)\"".utf8) }
  }

  /// The index of a key; nil for those of others.
  func position(of key: ByteView) -> Int? {
    positions[XXH64.hash(key)]?.first { bytes[$0] == key.array }
  }

  /// Whether a line that is not a record contains one of the ids as a string, however escaped.
  func isNamed(in line: ByteView, _ escapes: inout EscapeLevels) -> Bool {
    escapes.contains(line) { text in
      quoted.contains { id in ByteView.with(id) { text.contains($0) } }
    }
  }
}

/// Collects the parts of lines about a person. One stage object per thread.
final class PersonStage: Stage {
  static let name = "person"

  private let keys: PersonKeys
  private let router: RouterStage
  private let sources: [(input: Int, path: String)]
  private let texts: TextStore
  /// Links that these cover are as if they had never existed.
  private let erasures: Erasures
  private let all: Locked<PersonFindings>
  private var found = PersonFindings()
  private var key = ByteBuffer(capacity: 64)
  private var escapes = EscapeLevels()

  /// A stage that adds to `all`, which all lanes share; `sources` are the inputs read, with their
  /// numbers among all, and `texts` keeps the values.
  init(
    _ keys: PersonKeys, _ router: RouterStage, sources: [(input: Int, path: String)],
    _ texts: TextStore, without erasures: Erasures, _ all: Locked<PersonFindings>
  ) {
    (self.keys, self.router, self.sources) = (keys, router, sources)
    self.erasures = erasures
    (self.texts, self.all) = (texts, all)
  }

  func process(_ unit: WorkUnit) {
    let batch = unit.batch
    for index in batch.lines.indices {
      let line = batch.lines[index]
      switch line.outcome {
      case .blank: break
      case .rejected: takeRejected(line, of: unit)
      case .record:
        if batch.records[line.record.index].isRejected {
          takeRejected(line, of: unit)
        } else {
          for record in batch.records(of: line) { take(record: record, line, of: unit) }
        }
      }
    }
    guard !found.parts.isEmpty || !found.statements.isEmpty else { return }
    let (found, all) = (found, all)
    self.found = PersonFindings()
    let isFull = all.withLock { all in
      all.parts += found.parts
      all.statements += found.statements
      all.elsewhere.merge(found.elsewhere) { $0 + $1 }
      return max(all.parts.count, all.statements.count) > PersonFindings.mostParts
    }
    if isFull { unit.failure = unit.failure ?? PersonFindings.tooMany }
  }

  private func site(of line: LineEntry, in block: Block) -> LogSite {
    let source = sources[block.input]
    return LogSite(
      input: source.input, source: source.path, line: block.number(of: line),
      offset: block.offset(of: line))
  }

  private func takeRejected(_ line: LineEntry, of unit: WorkUnit) {
    let text = unit.block.bytes[Int(line.start)..<Int(line.start) + Int(line.length)]
    guard isOwned(line, unit.batch) || keys.isNamed(in: text, &escapes) else { return }
    found.parts.append(
      LoggedPart(
        site: site(of: line, in: unit.block), dialect: line.dialect?.name, key: nil, subject: .line,
        time: nil, outcome: "rejected", reasons: Self.reasons(line.reasons, of: unit.batch),
        value: "", id: .none))
  }

  /// Whether a rejected line has records with one of the ids, perhaps as a number.
  private func isOwned(_ line: LineEntry, _ batch: RecordBatch) -> Bool {
    line.record.exists
      && batch.records(of: line).contains { index in
        let record = batch.records[index]
        return [(.custom, record.customID), (.install, record.installationID)].contains {
          $1.exists && [.string, .integer].contains(batch.tape[$1].kind)
            && position($0, $1, of: batch) != nil
        }
      }
  }

  /// A record, and where it is.
  private struct Origin {
    let batch: RecordBatch
    let record: RecordEntry
    let site: LogSite
    var time: Int? { record.timeFault == nil ? record.time : nil }
  }

  private func take(record index: Int, _ line: LineEntry, of unit: WorkUnit) {
    let batch = unit.batch
    let record = batch.records[index]
    let installation = position(.install, record.installationID, of: batch)
    let person = position(.custom, record.customID, of: batch)
    // A record of another person may still be about an installation of this one.
    let owner = record.customID.exists ? person : installation
    guard owner != nil || installation != nil else { return }
    let origin = Origin(batch: batch, record: record, site: site(of: line, in: unit.block))
    let slice = unit.slices[0]
    slice.recycle()
    router.route(record: index, of: unit)
    var ids: [Fingerprint] = []
    for operation in slice.operations {
      if operation.isEvent { ids.append(operation.id) }
      let (bytes, value) = (slice.key(operation), slice.value(operation))
      let key = keys.position(of: bytes)
      if operation.kind == .link, erasures.cover(linkAt: operation.time, of: bytes, to: value) {
        addSuppressedLink(of: origin, key ?? owner)
        continue
      }
      // The installation of a link may belong to another person.
      guard operation.kind != .touched, key != nil || operation.kind == .link && owner != nil else {
        continue
      }
      let statement = Statement(
        operation, of: slice.bytes.view, key: key ?? 0, texts, at: origin.site)
      if key != nil {
        found.statements.append(statement)
      } else {
        found.elsewhere[bytes.text, default: []].append(statement)
      }
      if operation.kind == .link, let subject = key ?? owner {
        let link = LoggedPart.Subject.link(
          installation: bytes.text, person: KeySection.custom.id(of: value).text)
        add(link, origin, subject, operation.time, "accepted")
      }
    }
    if slice.operations.isEmpty, record.eventIndices.isEmpty, record.operationIndices.isEmpty {
      addSuppressedLink(of: origin, owner ?? installation)
    }
    slice.recycle()
    if let owner { takeEvents(of: origin, owner, ids) }
    takeOperations(of: origin, owner, installation)
  }

  private func addSuppressedLink(of origin: Origin, _ key: Int?) {
    let (record, tape) = (origin.record, origin.batch.tape)
    guard let key, record.installationID.exists, record.customID.exists else { return }
    let link = LoggedPart.Subject.link(
      installation: KeySection.install.prefix.text + tape.bytes(at: record.installationID).text,
      person: tape.bytes(at: record.customID).text)
    add(link, origin, key, origin.time, "suppressed")
  }

  private func takeEvents(of origin: Origin, _ owner: Int, _ ids: [Fingerprint]) {
    let (record, batch) = (origin.record, origin.batch)
    var accepted = ids[...]
    for index in record.eventIndices {
      let event = batch.events[index]
      let id = event.outcome == .accepted ? accepted.popFirst() ?? .none : .none
      var value = ByteBuffer()
      if event.outcome != .rejected {
        CanonicalWriter.appendAttributes(
          of: event, in: batch.tape, isCompact: batch.lines[Int(record.line)].isCompact, to: &value)
      }
      let name = event.nameNode.exists ? batch.tape.bytes(at: event.nameNode).text : ""
      add(
        .event(index - record.eventIndices.lowerBound, name: name), origin, owner,
        event.timing == .absent ? nil : event.time, "\(event.outcome)",
        Self.reasons(event.reasons, of: batch), value.view.text, id)
    }
  }

  private func takeOperations(of origin: Origin, _ owner: Int?, _ installation: Int?) {
    let (record, batch) = (origin.record, origin.batch)
    for index in record.operationIndices {
      let operation = batch.operations[index]
      guard let key = operation.isOfInstallation ? installation : owner else { continue }
      let word = operation.isApplied ? "applied" : operation.isSuppressed ? "suppressed" : "refused"
      var name = ByteBuffer()
      operation.appendName(of: batch.tape, to: &name)
      var value = ByteBuffer()
      if operation.isApplied, operation.kind == .attribute {
        CanonicalWriter.appendValue(operation.value.index, of: batch.tape, to: &value)
      }
      add(
        .operation(index - record.operationIndices.lowerBound, key: name.view.text), origin, key,
        origin.time, word, Self.reasons(operation.reasons, of: batch), value.view.text)
    }
  }

  private func add(
    _ subject: LoggedPart.Subject, _ origin: Origin, _ key: Int, _ time: Int?, _ outcome: String,
    _ reasons: String = "", _ value: String = "", _ id: Fingerprint = .none
  ) {
    // Of a rejected event it may be anything.
    let time = time.flatMap { (Rules.earliestTime..<Rules.endOfTime).contains($0) ? $0 : nil }
    found.parts.append(
      LoggedPart(
        site: origin.site, dialect: origin.record.dialect.name, key: keys.texts[key],
        subject: subject, time: time, outcome: outcome, reasons: reasons, value: value, id: id))
  }

  private func position(_ section: KeySection, _ id: OptionalIndex, of batch: RecordBatch) -> Int? {
    guard id.exists else { return nil }
    key.removeAll()
    key.append(section.prefix)
    key.append(batch.tape.bytes(at: id))
    return keys.position(of: key.view)
  }

  private static func reasons(_ range: ReasonRange, of batch: RecordBatch) -> String {
    guard range.count > 0 else { return "" }
    var text = ByteBuffer()
    batch.reasons.append(range, to: &text)
    return text.view.text
  }
}
