import Pipeline
import Stages

/// A file of an output that rows are made from: each of its lines makes rows of some tables.
enum ExportSource: Sendable {
  case profiles, changes, counts, days

  /// The tables, in the order in which lines fill them.
  var tables: [ExportTable] {
    switch self {
    case .profiles: [.profiles, .attributes, .events]
    case .changes: [.changes, .profiles, .attributes, .events]
    case .counts: [.counts]
    case .days: [.days]
    }
  }
}

/// Lines of an output on their way to the tables.
final class ExportUnit: FlowUnit {
  var sequence = 0
  let block = Block(capacity: BlockReader.defaultBlockSize)
  let tables: [TableText]

  init(_ source: ExportSource, _ format: ExportFormat) {
    tables = source.tables.map { TableText($0, format) }
  }

  func recycle() { for table in tables { table.removeAll() } }
}

/// Makes rows of the lines of blocks. One per lane.
final class ExportRows {
  private let source: ExportSource
  private let path: String
  private let tape = Tape(numbersNames: false)
  private var scratch = ByteBuffer()

  init(_ source: ExportSource, path: String) { (self.source, self.path) = (source, path) }

  /// Makes the rows of the unit's lines.
  func fill(_ unit: ExportUnit) throws(Failure) {
    let text = unit.block.bytes
    tape.bind(to: text)
    var cursor = LineCursor(bytes: text)
    var number = unit.block.firstLine
    while let line = cursor.next() {
      guard UTF8Check.isValid(text[line]),
        case .value(let root) = Scanner.scan(line: line, into: tape),
        append(root, to: unit.tables)
      else {
        throw Failure(
          .corrupt, doing: ExportJob.doing, path: path, line: number,
          why: "it is not a line that eventmill writes", advice: ExportJob.repair)
      }
      number += 1
    }
  }

  private func append(_ root: Int, to tables: [TableText]) -> Bool {
    switch source {
    case .profiles: appendProfile(root, tables[...])
    case .changes: appendChange(root, tables)
    case .counts: appendCount(root, to: tables[0])
    case .days: appendDay(root, to: tables[0])
    }
  }

  private func string(_ name: ByteView, of object: Int?) -> ByteView? {
    object.flatMap { tape.string(at: tape.member(name, of: $0)) }
  }

  /// The source text of the value `name` of the object at `object`, if it is of the kind `kind`.
  private func raw(_ name: ByteView, of object: Int, _ kind: TapeKind) -> ByteView? {
    guard let value = tape.member(name, of: object), tape[value].kind == kind else { return nil }
    return tape.bytes(at: value)
  }

  private func appendSeen(of object: Int, to table: TableText) {
    table.append(string("first_seen", of: object))
    table.append(string("last_seen", of: object))
  }

  private func appendChange(_ root: Int, _ tables: [TableText]) -> Bool {
    guard let change = string("change", of: root), let profile = tape.member("profile", of: root),
      let id = string("id", of: profile), let kind = string("kind", of: profile)
    else { return false }
    tables[0].append(id)
    tables[0].append(kind)
    tables[0].append(change)
    return change == "removed" || appendProfile(profile, tables[1...])
  }

  /// Appends to the tables of profiles, of their attributes and of their events.
  private func appendProfile(_ root: Int, _ tables: ArraySlice<TableText>) -> Bool {
    let table = tables[tables.startIndex]
    let (attributes, events) = (tables[tables.startIndex + 1], tables[tables.startIndex + 2])
    guard let id = string("id", of: root), let kind = string("kind", of: root),
      let identifiers = tape.member("identifiers", of: root)
    else { return false }
    let location = tape.member("location", of: root)
    table.append(id)
    table.append(kind)
    table.append(string("custom_id", of: identifiers))
    table.append(installations(identifiers))
    appendSeen(of: root, to: table)
    table.append(raw("attributes", of: root, .object) ?? "{}")
    table.append(token: raw("opted_out", of: root, .true) ?? "false")
    table.append(token: number("latitude", of: location))
    table.append(token: number("longitude", of: location))
    table.append(token: number("accuracy", of: location))
    table.append(string("time", of: location))
    // The list of a profile that has opted out as a whole is that of its installations.
    table.append(
      raw("opted_out_installations", of: root, .array)
        ?? (raw("opted_out", of: root, .true) == nil ? "[]" : installations(identifiers)))
    let key = (kind, id)
    return append(attributesOf: root, key, to: attributes)
      && append(eventsOf: root, key, to: events)
  }

  private func number(_ name: ByteView, of object: Int?) -> ByteView? {
    object.flatMap { raw(name, of: $0, .double) ?? raw(name, of: $0, .integer) }
  }

  /// The ids of installations as a JSON array; valid until the next call.
  private func installations(_ identifiers: Int) -> ByteView {
    if let ids = raw("installation_ids", of: identifiers, .array) { return ids }
    guard let id = string("installation_id", of: identifiers) else { return "[]" }
    scratch.removeAll()
    scratch.append(JSONByte.openBracket)
    scratch.appendJSONString(id)
    scratch.append(JSONByte.closeBracket)
    return scratch.view
  }

  private func append(
    attributesOf root: Int, _ profile: (kind: ByteView, id: ByteView), to table: TableText
  ) -> Bool {
    guard let attributes = tape.member("attributes", of: root) else { return true }
    var isSound = true
    tape.forEachMember(of: attributes) { entry in
      let raw = tape.bytes(at: entry)
      let (form, inner) = KeyName.kind(of: raw)
      func append(_ type: ValueType, _ value: Int, at position: Int = 0) {
        table.append(profile.kind)
        table.append(profile.id)
        table.append(raw[inner])
        table.append(word: type.rawValue)
        table.append(tape.bytes(at: value))
        table.append(position)
      }
      let value = entry + 1
      guard let type = ValueType(form, tape[value].kind) else { return isSound = false }
      if type == .array {
        tape.forEachItem(of: value) { append(type, $0, at: $1) }
      } else {
        append(type, value)
      }
    }
    return isSound
  }

  private func append(
    eventsOf root: Int, _ profile: (kind: ByteView, id: ByteView), to table: TableText
  ) -> Bool {
    guard let events = tape.member("events", of: root) else { return true }
    var isSound = true
    tape.forEachMember(of: events) { name in
      guard let count = raw("count", of: name + 1, .integer) else { return isSound = false }
      table.append(profile.kind)
      table.append(profile.id)
      table.append(tape.bytes(at: name))
      table.append(token: count)
      appendSeen(of: name + 1, to: table)
      table.append(raw("value", of: name + 1, .object))
    }
    return isSound
  }

  private func appendCount(_ root: Int, to table: TableText) -> Bool {
    guard let name = string("name", of: root), let count = raw("count", of: root, .integer),
      let profiles = raw("profiles", of: root, .integer),
      let duplicates = raw("duplicates", of: root, .integer),
      let dialects = raw("dialects", of: root, .object)
    else { return false }
    table.append(name)
    table.append(token: count)
    appendSeen(of: root, to: table)
    table.append(token: profiles)
    table.append(token: duplicates)
    table.append(dialects)
    table.append(raw("source_names", of: root, .array) ?? "[]")
    return true
  }

  private func appendDay(_ root: Int, to table: TableText) -> Bool {
    let periods: [ByteView] = ["day", "week", "month", "complete_from"]
    let period = periods.first { tape.member($0, of: root) != nil }
    let name = period.flatMap { string($0, of: root) }
    let event = string("event", of: root)
    let events = raw("count", of: root, .integer)
    let active = raw("active", of: root, .integer)
    guard (period == nil) == (name == nil), (event == nil) == (events == nil),
      events != nil || active != nil || period == "complete_from"
    else { return false }
    table.append(period ?? "none")
    table.append(name)
    table.append(event)
    table.append(string("first", of: root))
    table.append(token: events)
    table.append(token: active)
    table.append(token: raw("new", of: root, .integer))
    return true
  }
}
