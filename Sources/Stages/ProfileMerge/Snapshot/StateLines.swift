package import Pipeline

/// Writes what is known of keys as lines that people and tools can read (`eventmill inspect
/// --state`). For one thread.
///
/// A line begins with `key`; the other members, and those of every object, are sorted by bytes.
/// Times are integers, milliseconds since 1970. Empty parts are left out, and what is implied:
/// `first` when it is `last`, `count` of an event when it is 1.
///
/// ```
/// {"key":"anonymous:HEX20","name":NAME,"source":HEX12,"time":T}       time left out: it has none
/// {"key":"custom:ID","at":{"place":PLACE,"time":T},"attributes":{KEY:ATTRIBUTE},"clear":T,
///  "events":{NAME:EVENT},"first":T,"last":T,"touched":true}
/// {"key":"install:ID",… the same …,"consent":{"opted_out":true|false,"time":T},"erase":T,
///  "erased":[HEX32],"latest_link":LINK,"link":LINK,"unlinked":true}
///
/// ATTRIBUTE = {"add":{ITEM:T},"form":"date"|"url","remove":{ITEM:T},"set":VALUE,"time":T,
///              "unset":true}
/// EVENT     = {"count":N,"first":T,"ids":{HEX32:T|null},"last":T,"untimed":N,"value":{…}}
/// LINK      = {"custom_id":ID,"time":T}
/// PLACE     = {"latitude":N,"longitude":N,"accuracy":N}
/// ```
/// `touched` marks a key that nothing was seen of and that still has a state (a link-only record).
/// `form` is left out for plain keys. `set` or `unset` stand with `time`, never both; an attribute
/// of which only items are known has neither. HEX20 are 80 bits of the fingerprint of an event id,
/// HEX12 the input it came with (``InputSourceID``), HEX32 both; kept only with `--dedupe-days`.
/// `erase` is the latest erase mark, and `erased` hashes of the names of events that it was about
/// (``KeyRegisters/erased(_:of:)``). `link` is the one that counts, the earliest, and `latest_link`
/// the latest, if it is another; with `unlinked` a link was erased, and `link` is the latest, if
/// there is one (``InstallationLinks``). PLACE is written as it is published. `untimed` tells how
/// many of the `count` events have no time (dialects 5); if all of them, there is neither `first`
/// nor `last`. The id of such an event has no time, either.
package struct StateLines: ~Copyable {
  private let names: SnapshotNames
  private var rows = KeyRegisters()
  private var register = AttributeRegister()

  /// A writer of states whose names have numbers of `names`.
  package init(_ names: SnapshotNames) { self.names = names }

  /// Appends the line of a state, which has all its values.
  package mutating func append(_ state: KeyState, to out: inout ByteBuffer) {
    rows.removeAll()
    rows.gather(state.records, order: names.order)
    rows.settle()
    if KeySection(of: state.key) == .anonymous {
      if let id = rows.ids.first { writeAnonymous(id, into: &out) }
    } else {
      write(state, into: &out)
    }
  }

  private func writeAnonymous(_ row: EventIDEntry, into out: inout ByteBuffer) {
    var digits = ByteBuffer()
    StateNumber.append(row.id, to: &digits)
    out.append("{\"key\":\"anonymous:")
    out.append(digits[0..<StateNumber.ownDigits])
    out.append("\",\"name\":\"")
    out.append(names.events[row.name])
    out.append("\",\"source\":\"")
    out.append(digits.view.dropFirst(StateNumber.ownDigits))
    out.append(UInt8(ascii: "\""))
    if row.time != EventTime.absent {
      out.append(",\"time\":")
      out.append(decimal: row.time)
    }
    out.append("}\n")
  }

  private mutating func write(_ state: KeyState, into out: inout ByteBuffer) {
    out.append("{\"key\":")
    out.appendJSONString(state.key)
    if let location = rows.location {
      out.append(",\"at\":{\"place\":")
      out.append(location.place)
      out.append(",\"time\":")
      out.append(decimal: location.time)
      out.append(UInt8(ascii: "}"))
    }
    writeAttributes(clear: state.clear, into: &out)
    if state.clear != .min {
      out.append(",\"clear\":")
      out.append(decimal: state.clear)
    }
    if let consent = rows.consent {
      out.append(",\"consent\":{\"opted_out\":")
      out.append(consent.isOptedOut ? "true" : "false")
      out.append(",\"time\":")
      out.append(decimal: consent.time)
      out.append(UInt8(ascii: "}"))
    }
    if state.eraseMark != .min {
      out.append(",\"erase\":")
      out.append(decimal: state.eraseMark)
    }
    writeErased(into: &out)
    writeEvents(into: &out)
    if !state.seen.isNever {
      out.append(UInt8(ascii: ","))
      state.seen.append(to: &out)
    }
    let links = state.links
    if !links.hasErased, !links.isOne { write(links.latest, as: ",\"latest_link\":{", &out) }
    write(links.current, as: ",\"link\":{", &out)
    if state.seen.isNever && state.isTouched { out.append(",\"touched\":true") }
    if links.hasErased { out.append(",\"unlinked\":true") }
    out.append("}\n")
  }

  private func write(_ link: InstallationLink?, as member: ByteView, _ out: inout ByteBuffer) {
    guard let link else { return }
    out.append(member)
    out.append("\"custom_id\":")
    out.appendJSONString(KeySection.custom.id(of: link.target))
    out.append(",\"time\":")
    out.append(decimal: link.time)
    out.append(UInt8(ascii: "}"))
  }

  private mutating func writeAttributes(clear: Int, into out: inout ByteBuffer) {
    var isFirst = true
    var place = 0
    while let name = rows.nextAttribute(&place, clear: clear, into: &register) {
      if register.isForgotten { continue }
      out.append(isFirst ? ",\"attributes\":{" : ",")
      isFirst = false
      append(names.attributes[name], to: &out)
      writeRegister(into: &out)
      out.append(UInt8(ascii: "}"))
    }
    if !isFirst { out.append(UInt8(ascii: "}")) }
  }

  private func writeRegister(into out: inout ByteBuffer) {
    let base = register.base
    var needsComma = writeItems(removals: false, into: &out)
    if base.form != .plain {
      if needsComma { out.append(UInt8(ascii: ",")) }
      out.append(base.form == .date ? "\"form\":\"date\"" : "\"form\":\"url\"")
      needsComma = true
    }
    if needsComma, register.items.contains(where: \.mark.isRemoval) {
      out.append(UInt8(ascii: ","))
    }
    if writeItems(removals: true, into: &out) { needsComma = true }
    if base.kind == .none { return }
    if needsComma { out.append(UInt8(ascii: ",")) }
    if base.kind == .set {
      out.append("\"set\":")
      out.append(base.value)
      out.append(UInt8(ascii: ","))
    }
    out.append("\"time\":")
    out.append(decimal: base.time)
    if base.kind == .unset { out.append(",\"unset\":true") }
  }

  /// Writes the added or the removed items; false when there are none.
  private func writeItems(removals: Bool, into out: inout ByteBuffer) -> Bool {
    var isFirst = true
    for item in register.items where item.mark.isRemoval == removals {
      if isFirst {
        out.append(removals ? "\"remove\":{" : "\"add\":{")
      } else {
        out.append(UInt8(ascii: ","))
      }
      isFirst = false
      out.appendJSONString(item.text)
      out.append(UInt8(ascii: ":"))
      out.append(decimal: item.mark.time)
    }
    if !isFirst { out.append(UInt8(ascii: "}")) }
    return !isFirst
  }

  private func writeErased(into out: inout ByteBuffer) {
    for index in rows.erased.indices {
      out.append(index == 0 ? ",\"erased\":[\"" : ",\"")
      out.append(hex: rows.erased[index].high)
      out.append(hex: rows.erased[index].low)
      out.append(UInt8(ascii: "\""))
    }
    if !rows.erased.isEmpty { out.append(UInt8(ascii: "]")) }
  }

  private func writeEvents(into out: inout ByteBuffer) {
    var id = 0
    for index in rows.events.indices {
      let row = rows.events[index]
      let (register, seen) = (row.register, row.register.seen)
      out.append(index == 0 ? ",\"events\":{" : ",")
      append(names.events[row.name], to: &out)
      if register.count != 1 {
        out.append("\"count\":")
        out.append(decimal: register.count)
        out.append(UInt8(ascii: ","))
      }
      if !seen.isNever, seen.first != seen.last {
        out.append("\"first\":")
        out.append(decimal: seen.first)
        out.append(UInt8(ascii: ","))
      }
      writeIDs(of: row.rank, &id, into: &out)
      if !seen.isNever {
        out.append("\"last\":")
        out.append(decimal: seen.last)
      }
      if register.untimed != 0 {
        out.append(seen.isNever ? "\"untimed\":" : ",\"untimed\":")
        out.append(decimal: register.untimed)
      }
      if !register.value.isEmpty {
        out.append(",\"value\":")
        out.append(register.value)
      }
      out.append(UInt8(ascii: "}"))
    }
    if !rows.events.isEmpty { out.append(UInt8(ascii: "}")) }
  }

  /// Appends the ids of the name with the place `rank` in the order; `next` moves behind them.
  private func writeIDs(of rank: UInt32, _ next: inout Int, into out: inout ByteBuffer) {
    var isFirst = true
    while next < rows.ids.count, rows.ids[next].rank <= rank {
      let row = rows.ids[next]
      next += 1
      if row.rank < rank { continue }
      out.append(isFirst ? "\"ids\":{\"" : ",\"")
      isFirst = false
      StateNumber.append(row.id, to: &out)
      out.append("\":")
      if row.time == EventTime.absent { out.append("null") } else { out.append(decimal: row.time) }
    }
    if !isFirst { out.append("},") }
  }

  /// Begins a member that is an object.
  private func append(_ name: ByteView, to out: inout ByteBuffer) {
    out.append(UInt8(ascii: "\""))
    out.append(name)
    out.append("\":{")
  }
}

extension Seen {
  /// Appends `"first":T,"last":T`, the former only when it differs.
  func append(to out: inout ByteBuffer) {
    if first != last {
      out.append("\"first\":")
      out.append(decimal: first)
      out.append(UInt8(ascii: ","))
    }
    out.append("\"last\":")
    out.append(decimal: last)
  }
}
