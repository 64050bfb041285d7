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
/// and `erased` hashes of the names of events that it covered (``KeyRegisters/erased(_:of:)``).
/// `link` is the one that counts, the earliest, `other_link` the earliest to another person, and
/// `latest_link` the latest, if it is neither; with `unlinked` a link was erased, and `link` is the
/// latest, if there is one; with `alone` there are none, for good (``InstallationLinks``). PLACE
/// has its published form. `untimed` is the number of the `count` events without a time (dialects
/// 5); if all of them are, there is neither `first` nor `last`. The id of such an event has no
/// time, either.
package struct StateLines: ~Copyable {
  private let names: SnapshotNames
  private var rows = KeyRegisters()
  private var register = AttributeRegister()
  /// The registers with one value, in the order of their fields.
  private let registers = RegisterKind.allCases.sorted {
    ByteView($0.row.state.field) < ByteView($1.row.state.field)
  }
  /// Number of them that were written, or have no value.
  private var written = 0

  /// A writer of states whose names use numbers of `names`.
  package init(_ names: SnapshotNames) { self.names = names }

  /// Appends the line of a state, which must be complete.
  package mutating func append(_ state: KeyState, to out: inout ByteBuffer) {
    rows.removeAll()
    rows.gather(state.records, order: names.order, from: .state)
    rows.settle()
    if KeySection(of: state.key) != .anonymous {
      JSONWriter.line(to: &out) { json in write(state.key, in: &json) }
    } else if let id = rows.ids.first {
      JSONWriter.line(to: &out) { json in writeAnonymous(id, in: &json) }
    }
  }

  private func writeAnonymous(_ row: EventIDEntry, in json: inout JSONWriter) {
    var digits = ByteBuffer()
    StateNumber.append(row.id, to: &digits)
    json.member("key") { text in
      text.append("\"anonymous:")
      text.append(digits[0..<StateNumber.ownDigits])
      text.append(UInt8(ascii: "\""))
    }
    json.member("name", names.events[row.name])
    json.member("source", digits.view.dropFirst(StateNumber.ownDigits))
    if row.latest != row.time {
      json.array("time") { json in appendTimes(of: row, to: &json) }
    } else if row.time != EventTime.absent {
      json.member("time", row.time)
    }
  }

  /// Appends the times of the earliest and the latest delivery of an event, null without one.
  private func appendTimes(of row: EventIDEntry, to json: inout JSONWriter) {
    json.item(row.time)
    json.item(row.latest == EventTime.absent ? nil : row.latest)
  }

  private mutating func write(_ key: ByteView, in json: inout JSONWriter) {
    let facts = rows.facts
    let (seen, links) = (facts.seen, facts.links)
    json.member("key", key)
    written = 0
    if links.standsAlone { json.member(next("alone", in: &json), true) }
    writeAttributes(in: &json)
    if facts.clear != .min { json.member(next("clear", in: &json), facts.clear) }
    if !rows.days.isEmpty {
      json.array(next("days", in: &json), of: rows.days.days.lazy.map { DayNumber.text($0) })
    }
    if facts.eraseMark != .min { json.member(next("erase", in: &json), facts.eraseMark) }
    writeErased(in: &json)
    writeEvents(in: &json)
    if !seen.isNever {
      if seen.first != seen.last { json.member(next("first", in: &json), seen.first) }
      json.member(next("last", in: &json), seen.last)
    }
    if !links.hasErased { write(links.latestIfAnother, as: "latest_link", in: &json) }
    write(links.current, as: "link", in: &json)
    write(links.other, as: "other_link", in: &json)
    if seen.isNever && facts.isTouched { json.member(next("touched", in: &json), true) }
    if links.hasErased { json.member(next("unlinked", in: &json), true) }
    writeRegisters(before: nil, in: &json)
  }

  /// Returns `field`, which comes next, after writing the registers that sort before it.
  private mutating func next(_ field: StaticString, in json: inout JSONWriter) -> StaticString {
    writeRegisters(before: ByteView(field), in: &json)
    return field
  }

  private mutating func writeRegisters(before field: ByteView?, in json: inout JSONWriter) {
    while written < registers.count {
      let state = registers[written].row.state
      if let field, !(ByteView(state.field) < field) { return }
      written += 1
      guard let value = rows[registers[written - 1]] else { continue }
      json.object(state.field) { json in
        json.member(state.value, JSONText(value.value))
        json.member("time", value.time)
      }
    }
  }

  private mutating func write(
    _ link: InstallationLink?, as field: StaticString, in json: inout JSONWriter
  ) {
    guard let link else { return }
    json.object(next(field, in: &json)) { json in
      json.member("custom_id", KeySection.custom.id(of: link.target))
      json.member("time", link.time)
    }
  }

  private mutating func writeAttributes(in json: inout JSONWriter) {
    var position = 0
    guard nextAttribute(&position) != nil else { return }
    position = 0
    json.object(next("attributes", in: &json)) { json in
      while let name = nextAttribute(&position) {
        json.object(names.attributes[name]) { json in writeRegister(in: &json) }
      }
    }
  }

  /// Assembles the register of the next key that has one, and returns the key.
  private mutating func nextAttribute(_ position: inout Int) -> UInt32? {
    while let name = rows.nextAttribute(&position, into: &register) {
      if !register.isForgotten { return name }
    }
    return nil
  }

  private func writeRegister(in json: inout JSONWriter) {
    let base = register.base
    writeItems("add", removals: false, in: &json)
    if base.form != .plain { json.member("form", base.form == .date ? "date" : "url") }
    writeItems("remove", removals: true, in: &json)
    if base.kind == .none { return }
    if base.kind == .set { json.member("set", JSONText(base.value)) }
    json.member("time", base.time)
    if base.kind == .unset { json.member("unset", true) }
  }

  private func writeItems(_ field: StaticString, removals: Bool, in json: inout JSONWriter) {
    let items = register.items.filter { $0.mark.isRemoval == removals }
    if items.isEmpty { return }
    json.object(field) { json in
      for item in items { json.member(item.text, item.mark.time) }
    }
  }

  private mutating func writeErased(in json: inout JSONWriter) {
    if rows.erased.isEmpty { return }
    json.array(next("erased", in: &json)) { json in
      for name in rows.erased {
        var digits = ByteBuffer(capacity: 32)
        digits.append(hex: name.high)
        digits.append(hex: name.low)
        json.item(digits.view)
      }
    }
  }

  private mutating func writeEvents(in json: inout JSONWriter) {
    if rows.events.isEmpty { return }
    var id = 0
    json.object(next("events", in: &json)) { json in
      for index in rows.events.indices {
        let row = rows.events[index]
        json.object(names.events[row.name]) { json in write(row, &id, in: &json) }
      }
    }
  }

  /// Writes an event register; `id` is the index of the first id that may belong to it, and moves
  /// past those that do.
  private func write(_ row: EventRegisterEntry, _ id: inout Int, in json: inout JSONWriter) {
    let (register, seen) = (row.register, row.register.seen)
    if register.count != 1 { json.member("count", register.count) }
    if !seen.isNever, seen.first != seen.last { json.member("first", seen.first) }
    while id < rows.ids.count, rows.ids[id].rank < row.rank { id += 1 }
    if id < rows.ids.count, rows.ids[id].rank == row.rank {
      json.object("ids") { json in
        while id < rows.ids.count, rows.ids[id].rank == row.rank {
          let row = rows.ids[id]
          var digits = ByteBuffer(capacity: 32)
          StateNumber.append(row.id, to: &digits)
          if row.latest != row.time {
            json.array(digits.view) { json in appendTimes(of: row, to: &json) }
          } else {
            json.member(digits.view, row.time == EventTime.absent ? nil : row.time)
          }
          id += 1
        }
      }
    }
    if !seen.isNever { json.member("last", seen.last) }
    if register.untimed != 0 { json.member("untimed", register.untimed) }
    if !register.value.isEmpty { json.member("value", JSONText(register.value)) }
  }
}
