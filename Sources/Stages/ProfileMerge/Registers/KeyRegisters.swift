import Pipeline

package enum NameOrder {
  /// By number: any order will do.
  case numbers
  /// By the bytes of the names, given their ranks.
  case bytes(events: [UInt32], attributes: [UInt32])

  func rank(of record: Mutation) -> UInt32 {
    guard case .bytes(let events, let attributes) = self else { return record.name }
    switch record.naming {
    case .event: return events[Int(record.name)]
    case .attribute: return attributes[Int(record.name)]
    case .none: return record.name
    }
  }
}

/// The registers of one key, or of several that are published together, assembled from their
/// records.
///
/// `gather` the records of any number of keys, then `settle`, then read. Reusable: it keeps its
/// capacity. Its views point into the records. Never copied, because a copy would count a reference
/// for each of its lists.
package struct KeyRegisters: ~Copyable {
  package enum Origin {
    case run
    /// A state of a file, after erasure: the erase mark precedes records of events, and has removed
    /// its day, too.
    case state
    /// An installation that is published with the key; its state, as above.
    case member
  }

  package var facts = KeyFacts()
  private(set) var attributes = AttributesRegister()
  private(set) var events = EventsRegister()
  private(set) var ids = IDsRegister()
  var erased = ErasedNamesRegister()
  package var values = ValuesRegister()
  var days: DaysRegister
  private(set) var run = RunRegister()

  init(keepsDays: Bool = true) { days = DaysRegister(isUsed: keepsDays) }

  /// Lets `visitor` visit each register with content of its own, in the order of their records and
  /// of the fields of profiles.
  @inline(__always)
  mutating func each<V: RegisterVisitor & ~Copyable>(_ visitor: inout V) {
    visitor.visit(&attributes)
    visitor.visit(&events)
    visitor.visit(&ids)
    visitor.visit(&erased)
    visitor.visit(&values)
    visitor.visit(&days)
  }

  /// The same for all registers: those of the run come first, and those of the key as a whole.
  @inline(__always)
  mutating func eachOfAll<V: RegisterVisitor & ~Copyable>(_ visitor: inout V) {
    visitor.visit(&run)
    facts.each(&visitor)
    each(&visitor)
    visitor.visit(&facts.seen)
  }

  // MARK: - Merging

  mutating func removeAll() {
    facts = KeyFacts()
    run.removeAll()
    var visitor = RegisterRemoving()
    each(&visitor)
  }

  mutating func gather(_ records: ByteView, order: NameOrder, from origin: Origin = .run) {
    days.begin(origin)
    run.begin(origin)
    var offset = 0
    while let record = Mutation(records, at: &offset) {
      if origin != .member || !KeyFacts.areOwn.contains(record.kind) { facts.add(record) }
      var visitor = RegisterAdding(record: record, rank: order.rank(of: record))
      visitor.visit(&run)
      each(&visitor)
    }
  }

  /// Merges what was gathered, and subtracts duplicates from the counts of events. More may be
  /// gathered, and everything settled again, afterwards. Complexity: O(n log n) for n records.
  mutating func settle() {
    run.settle()
    var visitor = RegisterSettling()
    each(&visitor)
    if ids.rows.count < 2 { return }
    var duplicates: [IDsRegister.Row] = []
    ids.forEachDuplicate { duplicate, _ in duplicates.append(duplicate) }
    var index = 0
    for duplicate in duplicates { events.takeBack(duplicate, from: &index) }
  }

  /// Declares that all events gathered so far were counted in an earlier state.
  mutating func endEarlierEvents() { run.earlierEvents = events.gatheredCount }

  /// The number of events that no earlier state has counted, of settled registers.
  var newEvents: Int { events.rows.reduce(0) { $0 + $1.register.count } - run.earlierEvents }

  /// Whether nothing was gathered, or nothing is left.
  var isEmpty: Bool {
    facts.isEmpty && events.isEmpty && attributes.isEmpty && ids.isEmpty && erased.isEmpty
      && values.isEmpty
  }

  /// Whether the key is published, unless it folds.
  var isPublic: Bool { facts.isKnown || !events.isEmpty }

  // MARK: - Erasing

  /// Removes everything up to the mark `mark`, in milliseconds since 1970, which is stored
  /// elsewhere: from settled registers of one key, before those of its installations are gathered.
  /// The day of the mark is kept if an event of it is left. Returns the number of event registers
  /// removed although they extend beyond the mark. Complexity: O(n) for n rows.
  mutating func erase(through mark: Int) -> Int {
    let straddling = erase(through: mark) { _ in false }
    days.add(events, after: facts.eraseMark.time)
    return straddling
  }

  /// The same for a mark that came with the records. An event name with removed events is closed
  /// permanently (``ErasedNamesRegister``).
  mutating func erase(
    through mark: Int, of key: ByteView, _ names: (_ number: UInt32) -> ByteView
  ) -> Int {
    let known = Set(erased.names)
    var closed = known
    let straddling = erase(through: mark) { row in
      let name = ErasedNamesRegister.hash(names(row.name), of: key)
      if row.register.seen.first <= mark { closed.insert(name) }
      return known.contains(name)
    }
    erased.set(closed)
    return straddling
  }

  /// Attributes and single values have one time each, so what is later than the mark is kept. Of
  /// events only first and last are known: a register that begins at or before the mark is removed
  /// as a whole. Events without a time are removed by any mark, as they may have happened before
  /// it.
  private mutating func erase(through mark: Int, isClosed: (EventsRegister.Row) -> Bool) -> Int {
    let (ranks, straddling) = events.erase(through: mark, isClosed)
    ids.erase(ranks)
    var visitor = RegisterErasing(mark: mark)
    each(&visitor)
    return straddling
  }

  /// Derives when the key was seen from its remaining registers: under an erase mark nothing else
  /// may imply it.
  mutating func deriveSeen() {
    var visitor = RegisterRecording(body: { _ in }, seen: facts.clear.seen)
    each(&visitor)
    facts.seen.times = visitor.seen
  }

  // MARK: - Reading

  /// Whether a record of a file is one that readers can rely on, its name aside.
  mutating func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    if record.kind == .published { return place.hasProfile && record.time > 0 }
    var visitor = RegisterChecking(record: record, place: place)
    eachOfAll(&visitor)
    place = visitor.place
    return visitor.isSound ?? false
  }

  /// Calls `body` with the records of settled registers: facts first, everything else in the order
  /// of its names, and those for the report only if `isOfRun`.
  mutating func forEachRecord(isOfRun: Bool = false, _ body: (Mutation) -> Void) {
    days.imply(by: events)
    if isOfRun { run.forEachRecord(body) }
    withoutActuallyEscaping(body) { body in
      var visitor = RegisterRecording(body: body)
      facts.each(&visitor)
      each(&visitor)
      if visitor.seen != facts.seen.times { facts.seen.forEachRecord(body) }
    }
  }
}
