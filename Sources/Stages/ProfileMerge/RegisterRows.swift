import Pipeline

/// What an event name or attribute key is sorted by.
enum NameOrder {
  /// Their numbers: any order will do.
  case numbers
  /// The bytes of the names, told by their ranks.
  case bytes(events: [UInt32], attributes: [UInt32])
}

/// An event register of one key, or of several together.
struct EventRow {
  /// Place of the name in the order.
  let rank: UInt32
  let name: UInt32
  var register: EventRegister
}

/// A set, an unset or the mark of an item.
struct AttributeRow {
  /// Place of the key in the order.
  let rank: UInt32
  let record: LogRecord
}

/// The id of an event of a key.
struct IDRow {
  /// Place of the event's name in the order.
  let rank: UInt32
  let name: UInt32
  let id: Fingerprint
  /// The time of the event.
  let time: Int
}

/// The registers of one key, or of several that are published together, out of their records.
///
/// `gather` the records of any number of keys, then `settle`, then read. Made to be used again and
/// again: it keeps its room. The views in it are of the records.
struct RegisterRows {
  private var gatheredEvents: [EventRow] = []
  private var gatheredAttributes: [AttributeRow] = []
  private var order: [UInt64] = []
  /// After `settle`: one row per event name, in order.
  private(set) var events: [EventRow] = []
  /// After `settle`: rows of one key stand together, the keys in order.
  private(set) var attributes: [AttributeRow] = []
  /// After `settle`: in the order of the names, then of the ids.
  private(set) var ids: [IDRow] = []

  init() {}

  /// Forgets everything.
  mutating func removeAll() {
    gatheredEvents.removeAll(keepingCapacity: true)
    gatheredAttributes.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    attributes.removeAll(keepingCapacity: true)
    ids.removeAll(keepingCapacity: true)
  }

  /// Takes in records that stand one behind the other.
  mutating func gather(_ records: ByteView, order: NameOrder) {
    var offset = 0
    switch order {
    case .numbers:
      while let record = LogRecord(records, at: &offset) { add(record, rank: record.name) }
    case .bytes(let events, let attributes):
      while let record = LogRecord(records, at: &offset) {
        let name = Int(record.name)
        add(record, rank: record.isOfEvent ? events[name] : attributes[name])
      }
    }
  }

  private mutating func add(_ record: LogRecord, rank: UInt32) {
    switch record.kind {
    case .event, .register:
      gatheredEvents.append(
        EventRow(rank: rank, name: record.name, register: record.eventRegister))
    case .set, .unset, .addItem, .removeItem:
      gatheredAttributes.append(AttributeRow(rank: rank, record: record))
    case .id:
      ids.append(
        IDRow(
          rank: rank, name: record.name,
          id: Fingerprint(low: record.words.0, high: record.words.1), time: record.time))
    }
  }

  /// Sorts the rows and merges event registers of one name.
  /// Complexity: O(n log n) for n records.
  mutating func settle() {
    events.removeAll(keepingCapacity: true)
    order.removeAll(keepingCapacity: true)
    for index in gatheredEvents.indices { note(gatheredEvents[index].rank, index) }
    if order.count > 1 { order.sort() }
    for key in order {
      let row = gatheredEvents[Int(key & 0xFFFF_FFFF)]
      if let last = events.last, last.rank == row.rank {
        events[events.count - 1].register.merge(row.register)
      } else {
        events.append(row)
      }
    }
    attributes.removeAll(keepingCapacity: true)
    order.removeAll(keepingCapacity: true)
    for index in gatheredAttributes.indices { note(gatheredAttributes[index].rank, index) }
    if order.count > 1 { order.sort() }
    for key in order { attributes.append(gatheredAttributes[Int(key & 0xFFFF_FFFF)]) }
    if ids.count > 1 {
      ids.sort { ($0.rank, $0.id.high, $0.id.low) < ($1.rank, $1.id.high, $1.id.low) }
    }
  }

  /// Adds the rank and the index of a row to ``order``, in which both sort as one number.
  private mutating func note(_ rank: UInt32, _ index: Int) {
    precondition(index <= Int(UInt32.max), "a key has at most 4294967296 records")
    order.append(UInt64(rank) << 32 | UInt64(index))
  }

  /// Puts the register of the next attribute key together, settled, and returns the number of the
  /// key; nil at the end. `place` is 0 at first.
  func nextAttribute(
    _ place: inout Int, clear: Int, into register: inout AttributeRegister
  ) -> UInt32? {
    guard place < attributes.count else { return nil }
    let first = attributes[place]
    register.reset()
    while place < attributes.count, attributes[place].rank == first.rank {
      attributes[place].record.merge(into: &register)
      place += 1
    }
    register.settle(clear: clear)
    return first.record.name
  }
}
