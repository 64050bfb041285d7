package import Pipeline

/// Writes states of keys as lines that people and tools can read (`eventmill inspect --state`). For
/// one thread.
///
/// A line begins with `key`; the other fields, and those of every object, are sorted by bytes
/// (docs/reference/file-formats.md, `inspect --state`). Each register writes its own. Empty and
/// implied parts are omitted.
package final class StateLines {
  let names: SnapshotNames
  private var rows = KeyRegisters()
  /// The ids of events that were not written yet, in the order of the names.
  private var ids: ArraySlice<IDsRegister.Row> = []
  private let fields = SortedMembers()

  /// A writer of states whose names use numbers of `names`.
  package init(_ names: SnapshotNames) { self.names = names }

  /// Appends the line of a state, which must be complete.
  package func append(_ state: KeyState, to out: inout ByteBuffer) {
    rows.removeAll()
    rows.gather(state.records, order: names.order, from: .state)
    rows.settle()
    ids = rows.ids.rows[...]
    fields.removeAll()
    if KeySection(of: state.key) != .anonymous {
      var visitor = RegisterDescribing(line: self)
      // What was seen of a key implies that it was touched.
      if !rows.facts.seen.isEmpty { rows.facts.touched.removeAll() }
      rows.eachOfAll(&visitor)
      append(key: state.key, to: &out)
    } else if let id = ids.first {
      var digits = ByteBuffer()
      StateNumber.append(id.id, to: &digits)
      member("name", names.events[id.name])
      member("source", digits.view.dropFirst(StateNumber.ownDigits))
      if id.latest != id.time || id.time != EventTime.absent { value("time") { id.write(to: &$0) } }
      var key = ByteBuffer()
      key.append(KeySection.anonymous.prefix)
      key.append(digits[0..<StateNumber.ownDigits])
      append(key: key.view, to: &out)
    }
  }

  private func append(key: ByteView, to out: inout ByteBuffer) {
    out.append("{\"key\":")
    out.appendJSONString(key)
    if !fields.isEmpty { out.append(UInt8(ascii: ",")) }
    fields.append(to: &out)
    out.append("}\n")
  }

  // MARK: - Fields

  func member(_ field: StaticString, _ value: some JSONScalar) {
    self.value(field) { $0.item(value) }
  }

  func object(_ field: StaticString, _ members: (inout JSONWriter) -> Void) {
    value(field) { $0.object(members) }
  }

  func array(_ field: StaticString, of items: [some JSONScalar]) {
    value(field) { json in json.array { json in for item in items { json.item(item) } } }
  }

  private func value(_ field: StaticString, _ write: (inout JSONWriter) -> Void) {
    var json = JSONWriter()
    write(&json)
    fields.begin(ByteView(field), .plain)
    fields.append(json.bytes)
    fields.isSorted = false
  }

  /// Writes the ids of the event name with the rank `rank`, which is behind those before, into its
  /// object.
  func describeIDs(of rank: UInt32, in json: inout JSONWriter) {
    while let first = ids.first, first.rank < rank { ids.removeFirst() }
    guard ids.first?.rank == rank else { return }
    json.object("ids") { json in
      while let row = ids.first, row.rank == rank {
        ids.removeFirst()
        var digits = ByteBuffer(capacity: 32)
        StateNumber.append(row.id, to: &digits)
        json.key(digits.view)
        row.write(to: &json)
      }
    }
  }
}

private struct RegisterDescribing: RegisterVisitor {
  let line: StateLines

  mutating func visit<R: Register & ~Copyable>(_ register: inout R) { register.describe(in: line) }
}
