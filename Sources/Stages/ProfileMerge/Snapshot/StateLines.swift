package import Pipeline

/// Writes states of keys as lines that people and tools can read (`eventmill inspect --state`). For
/// one thread.
///
/// A line begins with `key`; the other fields, and those of every object, are sorted by bytes.
/// Times are integers, milliseconds since 1970. Empty and implied parts are omitted: `first` when
/// it equals `last`, `count` of an event when it is 1.
///
/// ```
/// {"key":"anonymous:HEX20","name":NAME,"source":HEX12,"time":IDTIME}  time omitted: it has none
/// {"key":"custom:ID","at":{"place":PLACE,"time":T},"attributes":{KEY:ATTRIBUTE},"clear":T,
///  "days":[DATE],"events":{NAME:EVENT},"first":T,"last":T,"touched":true}
/// {"key":"install:ID",… the same …,"alone":true,"consent":{"opted_out":true|false,"time":T},
///  "erase":T,"erased":[HEX32],"latest_link":LINK,"link":LINK,"other_link":LINK,"unlinked":true}
///
/// ATTRIBUTE = {"add":{ITEM:T},"form":"date"|"url","remove":{ITEM:T},"set":VALUE,"time":T,
///              "unset":true}
/// EVENT     = {"count":N,"first":T,"ids":{HEX32:IDTIME},"last":T,"untimed":N,"value":{…}}
/// IDTIME    = T|null, or [T,T|null]: the earliest and the latest delivery
/// LINK      = {"custom_id":ID,"time":T}
/// PLACE     = {"latitude":N,"longitude":N,"accuracy":N}
/// ```
/// `touched` marks a key that has a state although nothing was seen of it (a link-only record).
/// `form` is omitted for plain keys. Either `set` or `unset` comes with `time`; an attribute with
/// items only has neither. HEX20 are 80 bits of the fingerprint of an event id, HEX12 its input
/// (``InputSourceID``), HEX32 both; kept only with `--dedupe-days`. `days` are all days of the key,
/// though a state only stores those that its events do not imply. `erase` is the latest erase mark,
/// and `erased` hashes of the names of events that it covered (``ErasedNamesRegister``).
/// `link` is the one that counts, the earliest, `other_link` the earliest to another person, and
/// `latest_link` the latest, if it is neither; with `unlinked` a link was erased, and `link` is the
/// latest, if there is one; with `alone` there are none, for good (``LinksRegister``). PLACE
/// has its published form. `untimed` is the number of the `count` events without a time (dialects
/// 5); if all of them are, there is neither `first` nor `last`. The id of such an event has no
/// time, either.
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
      if id.latest != id.time || id.time != EventTime.absent {
        value("time") { id.write(to: &$0) }
      }
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

  /// Adds a field.
  func member(_ field: StaticString, _ value: some JSONScalar) {
    self.value(field) { $0.item(value) }
  }

  /// Adds a field with an object.
  func object(_ field: StaticString, _ members: (inout JSONWriter) -> Void) {
    value(field) { $0.object(members) }
  }

  /// Adds a field with an array.
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

/// Describes registers.
private struct RegisterDescribing: RegisterVisitor {
  let line: StateLines

  mutating func visit<R: Register & ~Copyable>(_ register: inout R) { register.describe(in: line) }
}
