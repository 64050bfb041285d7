package import Pipeline

extension SnapshotPlan {
  /// Appends the state lines `range` of a part in the format described in ``StateReader``; the
  /// header is not among them. For any thread.
  package func renderState(partition: Int, _ range: Range<Int>, into out: inout ByteBuffer) {
    let part = parts[partition]
    var writer = StateWriter(plan: self)
    for index in range {
      if (index - range.lowerBound) % ProfileTables.batch == 0 {
        prefetch(
          (index..<min(index + ProfileTables.batch, range.upperBound)).lazy.compactMap {
            part.place(ofState: $0)
          })
      }
      var index = index
      if index < part.anonymous.count {
        writer.writeAnonymous(part.anonymous[index], into: &out)
        continue
      }
      index -= part.anonymous.count
      if index < part.persons.count {
        writer.writeKey(part.persons[index].place, into: &out)
        continue
      }
      index -= part.persons.count
      if index < part.totals.count {
        writer.writeTotal(part.totals[index], into: &out)
        continue
      }
      writer.writeKey(part.installations[index - part.totals.count], into: &out)
    }
  }
}

/// Writes lines of a state, with room for one that is used again for the next.
private struct StateWriter {
  let plan: SnapshotPlan
  var events: [EventRow] = []
  var attributes: [AttributeRow] = []
  var ids: [StoredID] = []
  var register = AttributeRegister()

  init(plan: SnapshotPlan) { self.plan = plan }

  func writeAnonymous(
    _ place: (shard: UInt32, number: UInt32), into out: inout ByteBuffer
  ) {
    let entry = plan.shards[Int(place.shard)].tables.ids[place.number]
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

  mutating func writeKey(_ place: SnapshotPlan.Place, into out: inout ByteBuffer) {
    let shard = plan.shards[Int(place.shard)]
    events.removeAll(keepingCapacity: true)
    attributes.removeAll(keepingCapacity: true)
    shard.tables.appendEvents(of: place.profile, plan.eventNames.ranks, to: &events)
    shard.tables.appendAttributes(
      of: place.profile, shard: place.shard, plan.attributeKeys.ranks, to: &attributes)
    let profile = shard.tables.profiles[place.profile]
    let clear = shard.tables.clear(of: place.profile)

    out.append("{\"key\":")
    out.appendJSONString(plan.key(place))
    writeAttributes(of: shard, clear: clear, into: &out)
    if clear != .min {
      out.append(",\"clear\":")
      out.append(decimal: clear)
    }
    writeEvents(of: shard, into: &out)
    if !profile.seen.isNever {
      out.append(UInt8(ascii: ","))
      append(profile.seen, to: &out)
    }
    if let link = shard.tables.link(of: place.profile) {
      out.append(",\"link\":{\"custom_id\":")
      out.appendJSONString(link.customID)
      out.append(",\"time\":")
      out.append(decimal: link.time)
      out.append(UInt8(ascii: "}"))
    }
    if profile.isTouched && profile.seen.isNever { out.append(",\"touched\":true") }
    out.append("}\n")
  }

  private mutating func writeAttributes(
    of shard: ProfileShard, clear: Int, into out: inout ByteBuffer
  ) {
    if attributes.count > 1 { attributes.sort { $0.rank < $1.rank } }
    var isFirst = true
    for row in attributes {
      register.reset()
      shard.tables.merge(attribute: row.number, into: &register)
      register.settle(clear: clear)
      if register.isForgotten { continue }
      out.append(isFirst ? ",\"attributes\":{\"" : ",\"")
      isFirst = false
      out.append(plan.attributeKeys[row.name])
      out.append("\":{")
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

  private mutating func writeEvents(of shard: ProfileShard, into out: inout ByteBuffer) {
    if events.count > 1 { events.sort { $0.rank < $1.rank } }
    for (index, row) in events.enumerated() {
      out.append(index == 0 ? ",\"events\":{\"" : ",\"")
      out.append(plan.eventNames[row.name])
      out.append("\":{\"count\":")
      out.append(decimal: row.register.count)
      out.append(",\"first_seen\":")
      out.append(decimal: row.register.seen.first)
      writeIDs(row.ids, of: shard, into: &out)
      out.append(",\"last_seen\":")
      out.append(decimal: row.register.seen.last)
      if !row.register.value.isEmpty {
        out.append(",\"value\":")
        out.append(row.register.value)
      }
      out.append(UInt8(ascii: "}"))
    }
    if !events.isEmpty { out.append(UInt8(ascii: "}")) }
  }

  private mutating func writeIDs(
    _ list: UInt32, of shard: ProfileShard, into out: inout ByteBuffer
  ) {
    guard plan.options.dedupeDays > 0 else { return }
    ids.removeAll(keepingCapacity: true)
    shard.tables.appendIDs(list, since: plan.oldestID, to: &ids)
    if ids.isEmpty { return }
    ids.sort { ($0.id.high, $0.id.low) < ($1.id.high, $1.id.low) }
    for (index, entry) in ids.enumerated() {
      out.append(index == 0 ? ",\"ids\":{\"" : ",\"")
      StateNumber.append(entry.id, to: &out)
      out.append("\":")
      out.append(decimal: entry.time)
    }
    out.append(UInt8(ascii: "}"))
  }

  private func append(_ seen: Seen, to out: inout ByteBuffer) {
    out.append("\"first_seen\":")
    out.append(decimal: seen.first)
    out.append(",\"last_seen\":")
    out.append(decimal: seen.last)
  }
}
