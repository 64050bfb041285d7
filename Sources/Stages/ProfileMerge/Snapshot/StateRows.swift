import Pipeline

/// An event register of one of the states that are written together.
struct EventRow {
  /// Place of the name in the order of bytes.
  let rank: UInt32
  let name: UInt32
  var register: EventRegister
  /// The list of ids in the tables it came from.
  let ids: UInt32
}

/// An attribute register of one of the states that are written together.
struct AttributeRow {
  /// Place of the key in the order of bytes.
  let rank: UInt32
  let name: UInt32
  /// Number of the shard, and of the register in its tables.
  let shard: UInt32
  let number: UInt32
}

extension ProfileTables {
  /// Appends the event registers of `profile`.
  func appendEvents(of profile: UInt32, _ ranks: [UInt32], to rows: inout [EventRow]) {
    var number = profiles[profile].events
    while number != Self.end {
      let entry = events[number]
      rows.append(
        EventRow(
          rank: ranks[Int(entry.name)], name: entry.name,
          register: EventRegister(
            count: entry.count, seen: entry.seen, value: values[entry.value]),
          ids: entry.ids))
      number = entry.next
    }
  }

  /// Appends the attribute registers of `profile`.
  func appendAttributes(
    of profile: UInt32, shard: UInt32, _ ranks: [UInt32], to rows: inout [AttributeRow]
  ) {
    var number = profiles[profile].attributes
    while number != Self.end {
      let entry = attributes[number]
      rows.append(
        AttributeRow(
          rank: ranks[Int(entry.name)], name: entry.name, shard: shard, number: number))
      number = entry.next
    }
  }

  /// Merges the attribute register `number` into `register`.
  func merge(attribute number: UInt32, into register: inout AttributeRegister) {
    let entry = attributes[number]
    register.merge(base(of: entry))
    var item = entry.items
    while item != Self.end {
      let entry = items[item]
      register.merge(MarkedItem(text: texts[entry.text], mark: entry.mark))
      item = entry.next
    }
  }

  /// Appends the ids of the list `number` of the time `oldest` or later.
  func appendIDs(_ number: UInt32, since oldest: Int, to list: inout [StoredID]) {
    var number = number
    while number != Self.end {
      let entry = ids[number]
      if entry.time >= oldest { list.append(entry) }
      number = entry.next
    }
  }
}
