import Pipeline
import Stages

/// Proves for each v1 and v2 record that every unread field of it is a counted loss, or an
/// attribute of its event (`migrate --verify`).
///
/// Runs after the migration. It has separate lists of the fields and its own walk over the lines,
/// so that it finds a field that the reader skips silently. One stage object per thread.
struct FieldProofStage: Stage {
  static let name = "proof"

  final class Findings: Sendable {
    private let first = Locked<[(input: Int, line: Int, field: String)]>([])
    private static let most = 20

    /// The first positions at which a field is neither converted nor a loss, in input order.
    var examples: [(input: Int, line: Int, field: String)] {
      first.withLock { $0 }.sorted { ($0.input, $0.line) < ($1.input, $1.line) }
    }

    fileprivate func add(_ input: Int, _ line: Int, _ field: String) {
      first.withLock { if $0.count < Self.most { $0.append((input, line, field)) } }
    }
  }

  private let findings: Findings
  private let keeps: Bool

  init(_ findings: Findings, rules: Rules) {
    self.findings = findings
    keeps = rules.unknownFields == .keep
  }

  /// Checks every accepted record. Complexity: O(fields), hashed.
  func process(_ unit: WorkUnit) {
    let batch = unit.batch
    var lost: Set<Node> = []
    for index in 0..<batch.losses.count { lost.insert(batch.losses[index].site.key) }
    for record in batch.records.indices {
      let entry = batch.records[record]
      guard entry.form != .drafted, batch.isTaken(entry) else { continue }
      var walk = FieldWalk(batch: batch, lost: lost, keeps: keeps)
      walk.look(at: entry)
      if let key = walk.missing {
        findings.add(
          unit.block.input, unit.block.number(of: batch.lines[Int(entry.line)]),
          batch.tape.bytes(at: key).text)
      }
    }
  }
}

private struct FieldWalk {
  private static let ids: Set<String> = [
    "custom_id", "user_id", "installation_id", "install_id", "id", "time",
  ]
  private static let parts: Set<String> = ["name", "label", "tags", "attributes", "event_id"]
  private static let v1Event: Set<String> = ["id", "time"]
  private static let v2Event: Set<String> = ["id", "name", "time", "attributes"]

  let batch: RecordBatch
  let lost: Set<Node>
  let keeps: Bool
  /// The key of a field that is neither converted nor a loss.
  var missing: Node?

  mutating func look(at record: RecordEntry) {
    let root = batch.lines[Int(record.line)].object.index
    let fields = fields(of: root)
    if record.form == .v2 {
      let known: Set<String> = ["identifiers", "time", "attributes", "events", "overwrite"]
      expectLoss(of: fields.filter { !known.contains($0.key) && !isWellFormed($0.key, $0.value) })
      if let identifiers = fields["identifiers"] {
        let known: Set<String> = ["custom_id", "installation_id", "installation"]
        expectLoss(of: self.fields(of: identifiers).filter { !known.contains($0.key) })
      }
      return lookAtEvents(fields["events"], of: record)
    }
    let isEvent = fields["update"] == nil && fields["name"] != nil
    expectAliases(fields, (isEvent ? [] : ["id"]) + ["custom_id", "user_id"])
    expectAliases(fields, ["installation_id", "install_id"])
    if let update = fields["update"] {
      expectLoss(of: fields.filter { !Self.ids.contains($0.key) && $0.key != "update" })
      let inner = self.fields(of: update)
      return expectLoss(of: inner.filter { !["values", "overwrite"].contains($0.key) })
    }
    guard fields["name"] != nil else {
      expectLoss(of: fields.filter { !Self.ids.contains($0.key) && $0.key != "events" })
      return lookAtEvents(fields["events"], of: record)
    }
    let known = Self.ids.union(Self.parts)
    expectAliases(fields, ["id", "event_id"])
    expect(fields.filter { !known.contains($0.key) }, in: Int(record.firstEvent))
  }

  private mutating func lookAtEvents(_ array: Int?, of record: RecordEntry) {
    guard let array, batch.tape[array].kind == .array else { return }
    var item = array + 1
    for event in record.eventIndices {
      if batch.events[event].isAccepted {
        if record.form == .v1 { expectAliases(self.fields(of: item), ["id", "event_id"]) }
        let fields = self.fields(of: item).filter { name, value in
          record.form == .v1
            ? !Self.parts.contains(name) && !Self.v1Event.contains(name)
            : !Self.v2Event.contains(name) && !isWellFormed(name, value)
        }
        // Alternative names of v2 fields have loss codes of their own.
        let isOwn = record.form == .v2
        expectLoss(of: fields.filter { isOwn && ["label", "tags"].contains($0.key) })
        expect(fields.filter { !isOwn || !["label", "tags"].contains($0.key) }, in: event)
      }
      item = Int(batch.tape[item].next)
    }
  }

  /// The values of the fields of an object that are not null, by name: of repeated ones the last.
  private func fields(of object: Int) -> [String: Int] {
    var fields: [String: Int] = [:]
    batch.tape.forEachMember(of: object) { key in
      fields[batch.tape.bytes(at: key).text] = batch.tape[key + 1].kind == .null ? nil : key + 1
    }
    return fields
  }

  /// Whether a v2 field beyond the Profiles API has its specified form.
  private func isWellFormed(_ name: String, _ value: Int) -> Bool {
    switch name {
    case "erase" where batch.tape[value].kind == .string:
      return batch.tape.bytes(at: value) == "person"
    case "erase", "untimed":
      return batch.tape[value].kind == .true || batch.tape[value].kind == .false
    case "installation_attributes", "redriven": return batch.tape[value].kind == .object
    case "source_name": return batch.tape[value].kind == .string
    case "duplicate":
      return batch.tape[value].kind == .string && batch.tape.bytes(at: value) == "id"
    default:
      return RegisterKind.allCases.contains {
        "\($0.field)" == name && $0.form.fits(value, of: batch.tape)
      }
    }
  }

  /// Expects that only one name of an id, and those with the same value except for case, are not
  /// losses. A placeholder is a loss.
  private mutating func expectAliases(_ fields: [String: Int], _ names: [String]) {
    let values = names.compactMap { fields[$0] }.filter { !lost.contains(Node($0 - 1)) }
    guard let first = values.first else { return }
    func text(_ value: Int) -> String { batch.tape.bytes(at: value).text.lowercased() }
    for value in values where text(value) != text(first) { missing = Node(value - 1) }
  }

  private mutating func expectLoss(of fields: [String: Int]) {
    for value in fields.values where !lost.contains(Node(value - 1)) { missing = Node(value - 1) }
  }

  /// Expects that the fields of an event are losses, or attributes where they are kept.
  private mutating func expect(_ fields: [String: Int], in event: Int) {
    let rest = fields.filter { !lost.contains(Node($0.value - 1)) }
    guard keeps, !rest.isEmpty, batch.events[event].attributes.exists else {
      return expectLoss(of: rest)
    }
    var names: Set<String> = []
    batch.tape.forEachMember(of: batch.events[event].attributes.index) { key in
      names.insert(batch.tape.bytes(at: key).text.lowercased())
    }
    expectLoss(
      of: rest.filter { name, _ in
        let raw = ByteBuffer(text: name)
        let inner = KeyName.kind(of: raw.view).1
        return !names.contains(raw.view[inner].text.lowercased())
      })
  }
}
