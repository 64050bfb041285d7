import Pipeline

/// The order of event names and attribute keys.
package enum NameOrder {
  /// By number: any order will do.
  case numbers
  /// By the bytes of the names, given their ranks.
  case bytes(events: [UInt32], attributes: [UInt32])

  /// The rank of the name of a record.
  func number(of record: Mutation) -> UInt32 {
    guard case .bytes(let events, let attributes) = self else { return record.name }
    switch record.naming {
    case .event: return events[Int(record.name)]
    case .attribute: return attributes[Int(record.name)]
    case .none: return record.name
    }
  }
}

/// An event register of one key, or of several together.
struct EventRegisterEntry {
  /// Rank of the name.
  let rank: UInt32
  let name: UInt32
  var register: EventRegister
}

/// A set, an unset or the mark of an item.
struct AttributeEntry {
  /// Rank of the key.
  let rank: UInt32
  let record: Mutation
}

/// The id of an event of a key.
struct EventIDEntry {
  /// Rank of the event's name.
  let rank: UInt32
  let name: UInt32
  var id: EventID
  /// Whether a state has counted the event.
  let isEarlier: Bool
  /// The times of its earliest and its latest delivery; ``EventTime/absent``, which is later than
  /// all others, without one. They differ only if the id does not contain the time.
  var time: Int
  var latest: Int

  /// Whether both rows belong to the same event. The name is a part of the id.
  func isSame(as other: EventIDEntry) -> Bool { rank == other.rank && id.isSame(as: other.id) }

  /// Rows of one event are consecutive; the first of them counts: one that a state has counted,
  /// else that of the first input.
  static func < (a: EventIDEntry, b: EventIDEntry) -> Bool {
    if a.rank != b.rank { return a.rank < b.rank }
    if !a.id.isSame(as: b.id) { return a.id < b.id }
    return a.isEarlier != b.isEarlier ? a.isEarlier : a.id < b.id
  }
}

/// The registers of one key, or of several that are published together, assembled from their
/// records.
///
/// `gather` the records of any number of keys, then `settle`, then read. Reusable: it keeps its
/// capacity. Its views point into the records. Never copied, because a copy would count a reference
/// for each of its lists.
package struct KeyRegisters: ~Copyable {
  /// Where records come from.
  package enum Origin {
    /// A source of this run.
    case run
    /// A state of a file, after erasure: the erase mark precedes records of events, and has removed
    /// its day, too.
    case state
    /// An installation that is published with the key; its state, as above.
    case member
  }

  /// What is known of the key as a whole.
  package var facts = KeyFacts()
  private var gatheredEvents: [EventRegisterEntry] = []
  private var gatheredAttributes: [AttributeEntry] = []
  private var order: [UInt64] = []
  /// After `settle`: one row per event name, in order.
  private(set) var events: [EventRegisterEntry] = []
  /// After `settle`: rows of one key are consecutive, the keys in order.
  private(set) var attributes: [AttributeEntry] = []
  /// After `settle`: in the order of the names, then of the ids. Those of one event are
  /// consecutive, and the first of them counts; the others are duplicates, which are not in the
  /// counts.
  private(set) var ids: [EventIDEntry] = []
  /// After `settle`: a hash per name of erased events, in order.
  private(set) var erased: [Fingerprint] = []
  /// The number of gathered events that earlier states have counted, and of such states.
  var earlierEvents = 0
  private(set) var earlierStates = 0
  /// The people that the installation was linked to in this run: digests of their keys, after
  /// `settle` in order and at most ``HotIDs/mostPeople``.
  private(set) var people: [Fingerprint] = []
  /// The only person so far, of links: without a second one, or records, none is hashed.
  private var person: ByteView?
  /// The latest value of each register that keeps one, by its raw value.
  private var values = [TimedValue?](repeating: nil, count: RegisterKind.allCases.count)
  /// The days of all events that have a time.
  var days = DaySet()
  let keepsDays: Bool
  /// Scratch memory for the days that records of events imply, for the others, and for values.
  var toldDays = DaySet()
  var otherDays = DaySet()
  var scratch = ByteBuffer()

  init(keepsDays: Bool = true) { self.keepsDays = keepsDays }

  /// Removes everything.
  mutating func removeAll() {
    gatheredEvents.removeAll(keepingCapacity: true)
    gatheredAttributes.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
    attributes.removeAll(keepingCapacity: true)
    ids.removeAll(keepingCapacity: true)
    erased.removeAll(keepingCapacity: true)
    (earlierEvents, earlierStates, person) = (0, 0, nil)
    facts = KeyFacts()
    people.removeAll(keepingCapacity: true)
    for index in values.indices { values[index] = nil }
    days.removeAll()
  }

  /// Adds consecutive records.
  mutating func gather(_ records: ByteView, order: NameOrder, from origin: Origin = .run) {
    var earliest = 0
    var ownsLinks = origin == .run
    var offset = 0
    while let record = Mutation(records, at: &offset) {
      switch record.kind {
      case .eraseMark, .link, .unlinked, .alone, .touched:
        if record.kind == .eraseMark, origin != .run {
          earliest = DaySet.earliest(after: record.time)
        }
        if record.kind == .link, ownsLinks { addPerson(record.value) }
        if origin == .member { continue }
      case .run:
        // Links of an earlier state are not of this run.
        if record.earlierEvents != nil { ownsLinks = false }
      default: break
      }
      add(record, rank: order.number(of: record), from: earliest)
    }
  }

  private mutating func add(_ record: Mutation, rank: UInt32, from earliest: Int) {
    facts.add(record)
    switch record.kind {
    case .event, .register, .untimed, .identified:
      let register = record.eventRegister
      gatheredEvents.append(
        EventRegisterEntry(rank: rank, name: record.name, register: register))
      if keepsDays { days.insert(register.seen, from: earliest) }
      if record.kind == .identified { addID(record, rank: rank) }
    case .set, .unset, .addItem, .removeItem:
      gatheredAttributes.append(AttributeEntry(rank: rank, record: record))
    case .id, .earlierID: addID(record, rank: rank)
    case .single:
      guard let register = record.register else { return }
      let value = TimedValue(time: record.time, value: record.value)
      if self[register].map({ value.wins(over: $0) }) ?? true {
        values[Int(register.rawValue)] = value
      }
    case .erased: erased.append(Fingerprint(low: record.words.0, high: record.words.1))
    case .days: if keepsDays { days.insert(record.time, record.value, from: earliest) }
    case .run:
      if let count = record.earlierEvents {
        earlierEvents += count
        earlierStates += 1
      } else {
        people.append(Fingerprint(low: record.words.0, high: record.words.1))
      }
    case .profileDays, .seen, .clear, .eraseMark, .link, .unlinked, .alone, .touched, .published:
      break
    }
  }

  /// Adds a person that the installation was linked to in this run.
  private mutating func addPerson(_ key: ByteView) {
    if person == key { return }
    if person == nil, people.isEmpty {
      person = key
    } else {
      hashPerson()
      people.append(Erasures.digest(of: key))
    }
  }

  private mutating func hashPerson() {
    if let person { people.append(Erasures.digest(of: person)) }
    person = nil
  }

  /// The number of people, of settled rows, that are counted; nil: all.
  func people(where isCounted: ((Fingerprint) -> Bool)?) -> Int {
    guard let isCounted else { return person == nil ? people.count : 1 }
    guard let person else { return people.count(where: isCounted) }
    return isCounted(Erasures.digest(of: person)) ? 1 : 0
  }

  /// Number of events gathered so far.
  var gatheredEventCount: Int { gatheredEvents.reduce(0) { $0 + $1.register.count } }

  private mutating func addID(_ record: Mutation, rank: UInt32) {
    ids.append(
      EventIDEntry(
        rank: rank, name: record.name, id: record.eventID,
        isEarlier: record.kind == .earlierID, time: record.time, latest: record.latestDelivery))
  }

  /// Sorts the rows, merges event registers of one name, and subtracts duplicates from their
  /// counts. More may be gathered, and everything settled again, afterwards. Complexity: O(n log n)
  /// for n records.
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
      ids.sort { $0 < $1 }
      takeBackDuplicates()
    }
    if erased.count > 1 { erased = Set(erased).sorted() }
    // Beside an earlier state nothing else tells of a person.
    if !people.isEmpty || earlierStates > 0 { hashPerson() }
    if people.count > 1 { people = Array(Set(people).sorted().prefix(HotIDs.mostPeople)) }
  }

  /// Whether nothing was gathered, or nothing is left.
  var isEmpty: Bool {
    facts.isEmpty && events.isEmpty && attributes.isEmpty && ids.isEmpty && erased.isEmpty
      && !hasValues
  }

  /// Whether the key is published, unless it folds.
  var isPublic: Bool { facts.isKnown || !events.isEmpty }

  /// Whether a register has a value.
  var hasValues: Bool { values.contains { $0 != nil } }

  /// The latest value of a register, or nil.
  subscript(register: RegisterKind) -> TimedValue? { values[Int(register.rawValue)] }

  /// Calls `body` with every register that has a value.
  func forEachValue(_ body: (RegisterKind, TimedValue) -> Void) {
    for register in RegisterKind.allCases {
      if let value = self[register] { body(register, value) }
    }
  }

  /// Removes settled rows, and the events without a time with their ids. An event that came with a
  /// time, too, has one. Duplicates are forgotten; so they must have been counted.
  mutating func keep(
    events isKept: (EventRegisterEntry) -> Bool, ids isIDKept: (EventIDEntry) -> Bool,
    attributes isAttributeKept: (AttributeEntry) -> Bool
  ) {
    events.removeAll { !isKept($0) }
    for index in events.indices.reversed() where !events[index].register.dropUntimed() {
      events.remove(at: index)
    }
    gatheredEvents = events
    var kept: [EventIDEntry] = []
    Self.forEachID(among: ids) { id in
      if id.time != EventTime.absent, isIDKept(id) { kept.append(id) }
    }
    ids = kept
    gatheredAttributes.removeAll { !isAttributeKept($0) }
    attributes.removeAll { !isAttributeKept($0) }
  }

  /// Removes the value of a register.
  mutating func forget(_ register: RegisterKind) { values[Int(register.rawValue)] = nil }

  /// Sets what is kept of erased events.
  mutating func setErased(_ names: [Fingerprint]) { erased = names }

  private mutating func takeBackDuplicates() {
    var event = 0
    Self.forEachDuplicate(among: ids) { duplicate, _ in
      while event < events.count, events[event].rank < duplicate.rank { event += 1 }
      guard event < events.count, events[event].rank == duplicate.rank else { return }
      events[event].register.count -= 1
      if duplicate.time == EventTime.absent { events[event].register.untimed -= 1 }
    }
  }

  /// Calls `body` with every row of ``ids`` that is a duplicate of this run, and the one that
  /// counts. An event counts at the time of its earliest delivery, so of the two times the
  /// duplicate has the later one: the one at which an event was counted too many.
  func forEachDuplicate(_ body: (_ duplicate: EventIDEntry, _ counted: EventIDEntry) -> Void) {
    Self.forEachDuplicate(among: ids, body)
  }

  private static func forEachDuplicate(
    among ids: [EventIDEntry],
    _ body: (_ duplicate: EventIDEntry, _ counted: EventIDEntry) -> Void
  ) {
    guard var counted = ids.first else { return }
    for row in ids.dropFirst() {
      guard row.isSame(as: counted) else {
        counted = row
        continue
      }
      if row.isEarlier { continue }
      var duplicate = row
      if duplicate.time < counted.time { swap(&duplicate.time, &counted.time) }
      body(duplicate, counted)
    }
  }

  /// Calls `body` with one row of `ids` per event, with the first of all inputs that delivered
  /// it, the times of all its deliveries, and whether a state has counted it.
  static func forEachID(among ids: [EventIDEntry], _ body: (EventIDEntry) -> Void) {
    guard var merged = ids.first else { return }
    for row in ids.dropFirst() {
      if row.isSame(as: merged) {
        merged.id = merged.id.merged(with: row.id)
        merged.time = min(merged.time, row.time)
        merged.latest = max(merged.latest, row.latest)
      } else {
        body(merged)
        merged = row
      }
    }
    body(merged)
  }

  /// Adds the rank and the index of a row to ``order``, in which both sort as one number.
  private mutating func note(_ rank: UInt32, _ index: Int) {
    precondition(index <= Int(UInt32.max), "a key has at most 4294967296 records")
    order.append(UInt64(rank) << 32 | UInt64(index))
  }

  /// Assembles and settles the register of the next attribute key, and returns the number of the
  /// key; nil at the end. `position` is 0 at first.
  func nextAttribute(
    _ position: inout Int, into register: inout AttributeRegister
  ) -> UInt32? {
    guard position < attributes.count else { return nil }
    let first = attributes[position]
    register.reset()
    while position < attributes.count, attributes[position].rank == first.rank {
      attributes[position].record.merge(into: &register)
      position += 1
    }
    register.settle(clear: facts.clear)
    return first.record.name
  }
}

/// The settled rows as records with numbers of the run, in the order of their names.
extension KeyRegisters {
  /// Calls `body` with the facts, at most one record per attribute key, item and id, one for days,
  /// and per event name one each for events with and without time. Records older than a clear, or
  /// than the base of their attribute, are dropped (``AttributeRegister/settle(clear:)``).
  /// `register` is scratch memory for one attribute.
  mutating func forEachRecord(
    by register: inout AttributeRegister, _ body: (Mutation) -> Void
  ) {
    facts.forEachRecord(body)
    var implied = Seen.never
    if facts.clear != .min { implied.merge(facts.clear) }
    for row in events {
      implied.merge(row.register.seen)
      Self.forEachRecord(of: row, body)
    }
    var position = 0
    while let name = nextAttribute(&position, into: &register) {
      implied.merge(register.seen)
      let base = register.base
      switch base.kind {
      case .none: break
      case .unset: body(Mutation(.unset, name: name, time: base.time))
      case .set:
        body(Mutation(.set, name: name, time: base.time, form: base.form, value: base.value))
      }
      for item in register.items { body(Mutation(item.mark, name: name, item: item.text)) }
    }
    Self.forEachID(among: ids) { row in
      scratch.removeAll()
      Mutation.append(latest: row.latest, after: row.time, to: &scratch)
      body(
        Mutation(
          row.id, isEarlier: row.isEarlier, name: row.name, time: row.time, latest: scratch.view))
    }
    for name in erased { body(Mutation(erased: name)) }
    forEachValue {
      implied.merge($1.time)
      body(Mutation($0, $1))
    }
    forOtherDays(body)
    if implied != facts.seen { body(Mutation(facts.seen)) }
  }

  private static func forEachRecord(of row: EventRegisterEntry, _ body: (Mutation) -> Void) {
    let seen = row.register.seen
    if row.register.timed == 1 && seen.first == seen.last {
      body(Mutation(.event, name: row.name, time: seen.last, value: row.register.value))
    } else if !seen.isNever {
      body(Mutation(row.register, name: row.name))
    }
    if row.register.untimed != 0 { body(Mutation(untimedOf: row.register, name: row.name)) }
  }
}
