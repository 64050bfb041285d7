import Pipeline

/// Writes lines of a state in the format described in ``StateReader``, with room for one that is
/// used again for the next.
struct StateWriter: ~Copyable {
  private let names: SnapshotNames
  /// Ids of events before this time are forgotten.
  private let oldestID: Int
  private var register = AttributeRegister()
  private var oldestWritten = Int.max

  init(_ names: SnapshotNames, oldestID: Int) {
    self.names = names
    self.oldestID = oldestID
  }

  /// Appends the line of the id of an anonymous event.
  func writeAnonymous(_ row: EventIDEntry, into out: inout ByteBuffer) {
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

  /// Appends the line of the key of `state`, whose registers are `rows`. Returns the time of the
  /// oldest id in it, in milliseconds since 1970; the greatest time there is when it has none.
  mutating func write(
    _ state: KeyState, _ rows: borrowing KeyRegisters, into out: inout ByteBuffer
  ) -> Int {
    oldestWritten = .max
    out.append("{\"key\":")
    out.appendJSONString(state.key)
    if let location = rows.location {
      out.append(",\"at\":{\"place\":")
      out.append(location.place)
      out.append(",\"time\":")
      out.append(decimal: location.time)
      out.append(UInt8(ascii: "}"))
    }
    writeAttributes(rows, clear: state.clear, into: &out)
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
    writeErased(rows, into: &out)
    writeEvents(rows, into: &out)
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
    return oldestWritten
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

  private mutating func writeAttributes(
    _ rows: borrowing KeyRegisters, clear: Int, into out: inout ByteBuffer
  ) {
    var isFirst = true
    var place = 0
    while let name = rows.nextAttribute(&place, clear: clear, into: &register) {
      if register.isForgotten { continue }
      out.append(isFirst ? ",\"attributes\":{" : ",")
      isFirst = false
      out.append(names.attributeNames[name])
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

  private func writeErased(_ rows: borrowing KeyRegisters, into out: inout ByteBuffer) {
    for index in rows.erased.indices {
      out.append(index == 0 ? ",\"erased\":[\"" : ",\"")
      out.append(hex: rows.erased[index].high)
      out.append(hex: rows.erased[index].low)
      out.append(UInt8(ascii: "\""))
    }
    if !rows.erased.isEmpty { out.append(UInt8(ascii: "]")) }
  }

  private mutating func writeEvents(_ rows: borrowing KeyRegisters, into out: inout ByteBuffer) {
    var id = 0
    for index in rows.events.indices {
      let row = rows.events[index]
      let (register, seen) = (row.register, row.register.seen)
      out.append(index == 0 ? ",\"events\":{" : ",")
      out.append(names.stateNames[row.name])
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
      writeIDs(of: row.rank, rows, &id, into: &out)
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
  private mutating func writeIDs(
    of rank: UInt32, _ rows: borrowing KeyRegisters, _ next: inout Int,
    into out: inout ByteBuffer
  ) {
    var isFirst = true
    while next < rows.ids.count, rows.ids[next].rank <= rank {
      var row = rows.ids[next]
      next += 1
      while next < rows.ids.count, rows.ids[next].isSame(as: row) {
        row.id = row.id.merged(with: rows.ids[next].id)
        next += 1
      }
      if row.rank < rank || row.time < oldestID { continue }
      out.append(isFirst ? "\"ids\":{\"" : ",\"")
      isFirst = false
      oldestWritten = min(oldestWritten, row.time)
      StateNumber.append(row.id, to: &out)
      out.append("\":")
      if row.time == EventTime.absent { out.append("null") } else { out.append(decimal: row.time) }
    }
    if !isFirst { out.append("},") }
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
