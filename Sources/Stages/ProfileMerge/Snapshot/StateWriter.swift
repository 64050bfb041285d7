import Pipeline

/// Writes lines of a state in the format described in ``StateReader``, with room for one that is
/// used again for the next.
struct StateWriter: ~Copyable {
  private let plan: SnapshotPlan
  private var register = AttributeRegister()

  init(plan: SnapshotPlan) { self.plan = plan }

  func writeAnonymous(
    _ place: (shard: UInt32, number: UInt32), into out: inout ByteBuffer
  ) {
    let entry = plan.shards[Int(place.shard)].tables.anonymousIDs[place.number]
    out.append("{\"key\":\"anonymous:")
    StateNumber.append(entry.id, to: &out)
    out.append("\",\"name\":\"")
    out.append(plan.eventNames[entry.name])
    out.append("\",\"time\":")
    out.append(decimal: entry.time)
    out.append("}\n")
  }

  func writeTotal(_ name: UInt32, into out: inout ByteBuffer) {
    let total = plan.totals[name]
    out.append("{\"key\":\"event:")
    out.append(plan.eventNames[name])
    out.append("\",\"count\":")
    out.append(decimal: total.count)
    plan.totals.appendDialects(name, to: &out)
    out.append(",\"duplicates\":")
    out.append(decimal: total.duplicates)
    out.append(UInt8(ascii: ","))
    append(total.seen, to: &out)
    out.append("}\n")
  }

  /// Appends the line of the key at `place`, whose registers are `rows`.
  mutating func write(
    _ place: SnapshotPlan.Place, _ rows: borrowing RegisterRows, into out: inout ByteBuffer
  ) {
    let (seen, clear) = (plan.profile(place).seen, plan.clear(place))
    out.append("{\"key\":")
    out.appendJSONString(plan.key(place))
    writeAttributes(rows, clear: clear, into: &out)
    if clear != .min {
      out.append(",\"clear\":")
      out.append(decimal: clear)
    }
    writeEvents(rows, into: &out)
    if !seen.isNever {
      out.append(UInt8(ascii: ","))
      append(seen, to: &out)
    }
    if let link = plan.link(place) {
      out.append(",\"link\":{\"custom_id\":")
      out.appendJSONString(link.customID)
      out.append(",\"time\":")
      out.append(decimal: link.time)
      out.append(UInt8(ascii: "}"))
    }
    if seen.isNever && plan.isKnown(place) { out.append(",\"touched\":true") }
    out.append("}\n")
  }

  private mutating func writeAttributes(
    _ rows: borrowing RegisterRows, clear: Int, into out: inout ByteBuffer
  ) {
    var isFirst = true
    var place = 0
    while let name = rows.nextAttribute(&place, clear: clear, into: &register) {
      if register.isForgotten { continue }
      out.append(isFirst ? ",\"attributes\":{" : ",")
      isFirst = false
      out.append(plan.attributeNames[name])
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

  private func writeEvents(_ rows: borrowing RegisterRows, into out: inout ByteBuffer) {
    var id = 0
    for index in rows.events.indices {
      let row = rows.events[index]
      let (count, seen) = (row.register.count, row.register.seen)
      out.append(index == 0 ? ",\"events\":{" : ",")
      out.append(plan.stateNames[row.name])
      if count != 1 {
        out.append("\"count\":")
        out.append(decimal: count)
        out.append(UInt8(ascii: ","))
      }
      if seen.first != seen.last {
        out.append("\"first\":")
        out.append(decimal: seen.first)
        out.append(UInt8(ascii: ","))
      }
      writeIDs(of: row.rank, rows, &id, into: &out)
      out.append("\"last\":")
      out.append(decimal: seen.last)
      if !row.register.value.isEmpty {
        out.append(",\"value\":")
        out.append(row.register.value)
      }
      out.append(UInt8(ascii: "}"))
    }
    if !rows.events.isEmpty { out.append(UInt8(ascii: "}")) }
  }

  /// Appends the ids of the name with the place `rank` in the order; `next` moves behind them.
  private func writeIDs(
    of rank: UInt32, _ rows: borrowing RegisterRows, _ next: inout Int,
    into out: inout ByteBuffer
  ) {
    var isFirst = true
    while next < rows.ids.count, rows.ids[next].rank <= rank {
      let row = rows.ids[next]
      next += 1
      if row.rank < rank || row.time < plan.oldestID { continue }
      out.append(isFirst ? "\"ids\":{\"" : ",\"")
      isFirst = false
      StateNumber.append(row.id, to: &out)
      out.append("\":")
      out.append(decimal: row.time)
    }
    if !isFirst { out.append("},") }
  }

  /// Appends `"first":T,"last":T`, the former only when it differs.
  private func append(_ seen: Seen, to out: inout ByteBuffer) {
    if seen.first != seen.last {
      out.append("\"first\":")
      out.append(decimal: seen.first)
      out.append(UInt8(ascii: ","))
    }
    out.append("\"last\":")
    out.append(decimal: seen.last)
  }
}
