package import Pipeline

extension SnapshotPlan {
  /// Appends the profiles `range` of a part, one line each (SPEC 9), and counts into `tally`.
  ///
  /// Attributes are sorted by the bytes of their key as it is written, events by the bytes of their
  /// name. For any thread.
  package func renderProfiles(
    partition: Int, _ range: Range<Int>, into out: inout ByteBuffer, tally: inout SnapshotTally
  ) {
    let part = parts[partition]
    var writer = ProfileWriter(plan: self)
    for index in range {
      if (index - range.lowerBound) % ProfileTables.batch == 0 {
        prefetch(
          (index..<min(index + ProfileTables.batch, range.upperBound)).lazy.map {
            $0 < part.persons.count
              ? part.persons[$0].place : part.singles[$0 - part.persons.count].place
          })
      }
      let isPerson = index < part.persons.count
      let person = isPerson ? part.persons[index] : part.singles[index - part.persons.count]
      writer.write(person, isPerson: isPerson, into: &out, &tally)
    }
    tally.lines += range.count
  }
}

/// Writes published profiles, with room for one that is used again for the next.
private struct ProfileWriter {
  let plan: SnapshotPlan
  var events: [EventRow] = []
  var attributes: [AttributeRow] = []
  var register = AttributeRegister()
  /// The items of a set array, decoded.
  var decoded = ArrayText()
  let members = SortedMembers()

  init(plan: SnapshotPlan) { self.plan = plan }

  mutating func write(
    _ person: SnapshotPlan.Person, isPerson: Bool, into out: inout ByteBuffer,
    _ tally: inout SnapshotTally
  ) {
    events.removeAll(keepingCapacity: true)
    attributes.removeAll(keepingCapacity: true)
    var seen = Seen.never
    var clear = Int.min
    gather(person.place, &seen, &clear)
    for index in person.members { gather(plan.members[index], &seen, &clear) }

    out.append("{\"identifiers\":{")
    writeIdentifiers(person, isPerson: isPerson, into: &out)
    out.append(UInt8(ascii: "}"))
    writeAttributes(clear: clear, into: &out, &tally)
    writeEvents(into: &out, &tally)
    if !seen.isNever {
      out.append(UInt8(ascii: ","))
      append(seen, to: &out)
    }
    out.append("}\n")
  }

  private mutating func gather(
    _ place: SnapshotPlan.Place, _ seen: inout Seen, _ clear: inout Int
  ) {
    let shard = plan.shards[Int(place.shard)]
    shard.tables.appendEvents(of: place.profile, plan.eventNames.ranks, to: &events)
    shard.tables.appendAttributes(
      of: place.profile, shard: place.shard, plan.attributeKeys.ranks, to: &attributes)
    seen.merge(shard.tables.profiles[place.profile].seen)
    clear = max(clear, shard.tables.clear(of: place.profile))
  }

  private func writeIdentifiers(
    _ person: SnapshotPlan.Person, isPerson: Bool, into out: inout ByteBuffer
  ) {
    let key = plan.key(person.place)
    out.append(isPerson ? "\"custom_id\":" : "\"installation_id\":")
    out.appendJSONString(key.dropFirst(isPerson ? 7 : 8))
    for index in person.members {
      out.append(index == person.members.lowerBound ? ",\"installation_ids\":[" : ",")
      out.appendJSONString(plan.key(plan.members[index]).dropFirst(8))
    }
    if !person.members.isEmpty { out.append(UInt8(ascii: "]")) }
  }

  private mutating func writeAttributes(
    clear: Int, into out: inout ByteBuffer, _ tally: inout SnapshotTally
  ) {
    if attributes.count > 1 { attributes.sort { $0.rank < $1.rank } }
    members.removeAll()
    var index = 0
    while index < attributes.count {
      let row = attributes[index]
      register.reset()
      while index < attributes.count, attributes[index].rank == row.rank {
        let shard = plan.shards[Int(attributes[index].shard)]
        shard.tables.merge(attribute: attributes[index].number, into: &register)
        index += 1
      }
      register.settle(clear: clear)
      let base = register.base
      let needsItems = base.kind == .set && !register.items.isEmpty
      let value = register.value(baseItems: needsItems ? decoded.items(of: base.value) : nil)
      if case .absent = value { continue }
      let key = plan.attributeKeys[row.name]
      switch value {
      case .absent: break
      case .base:
        members.begin(key, base.form)
        members.text.append(base.value)
      case .items(let items, let overflow):
        members.begin(key, .plain)
        for (place, item) in items.enumerated() {
          members.text.append(UInt8(ascii: place == 0 ? "[" : ","))
          members.text.appendJSONString(item)
        }
        members.text.append(UInt8(ascii: "]"))
        if overflow { tally.arrayOverflow += 1 }
      }
    }
    guard !members.isEmpty else { return }
    out.append(",\"attributes\":{")
    members.append(to: &out)
    out.append(UInt8(ascii: "}"))
  }

  private mutating func writeEvents(
    into out: inout ByteBuffer, _ tally: inout SnapshotTally
  ) {
    if events.count > 1 { events.sort { $0.rank < $1.rank } }
    var index = 0
    while index < events.count {
      let (rank, name) = (events[index].rank, events[index].name)
      var register = events[index].register
      out.append(index == 0 ? ",\"events\":{\"" : ",\"")
      index += 1
      while index < events.count, events[index].rank == rank {
        register.merge(events[index].register)
        index += 1
      }
      out.append(plan.eventNames[name])
      out.append("\":{\"count\":")
      out.append(decimal: register.count)
      out.append(UInt8(ascii: ","))
      append(register.seen, to: &out)
      if plan.options.withValues && !register.value.isEmpty {
        out.append(",\"value\":")
        out.append(register.value)
      }
      out.append(UInt8(ascii: "}"))
      tally.count(name)
    }
    if !events.isEmpty { out.append(UInt8(ascii: "}")) }
  }

  private func append(_ seen: Seen, to out: inout ByteBuffer) {
    out.append("\"first_seen\":\"")
    Timestamp.append(milliseconds: seen.first, to: &out)
    out.append("\",\"last_seen\":\"")
    Timestamp.append(milliseconds: seen.last, to: &out)
    out.append(UInt8(ascii: "\""))
  }
}

extension SnapshotPlan {
  /// The text of a key.
  func key(_ place: Place) -> ByteView {
    let shard = shards[Int(place.shard)]
    return shard.tables.texts[shard.tables.profiles[place.profile].key]
  }
}
