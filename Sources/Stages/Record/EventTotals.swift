package import Pipeline

/// Totals per event name (data-model 12): one shard's share, or the sum of all. Names are numbers
/// of the run's table. Sums, minima and maxima only, so totals can be merged in any order.
package struct EventTotals: Sendable {
  package struct Total: BitwiseCopyable, Equatable, Sendable {
    /// Events counted, of this run and the previous state.
    package var count = 0
    package var duplicates = 0
    /// The earliest and latest time, of events that have one (dialects 5).
    package var seen = Seen.never

    package init(count: Int = 0, duplicates: Int = 0, seen: Seen = Seen.never) {
      (self.count, self.duplicates, self.seen) = (count, duplicates, seen)
    }

    fileprivate mutating func merge(_ other: Total) {
      count += other.count
      duplicates += other.duplicates
      seen.merge(other.seen)
    }
  }

  /// By name number; names without events have empty totals.
  private var totals: [Total] = []
  /// By name number and dialect: valid events read, duplicates included.
  private var dialects: [Int] = []
  /// Number of dialects in a row of `dialects`: the built-in ones, until another one is counted.
  private var width = Dialect.allCases.count
  /// By name number, for names that differ in their sources.
  private var sourceNames: [UInt32: SourceNames] = [:]
  /// The events counted, and those read with duplicates, by day, of those with a time; not where
  /// events are only counted (`count`).
  package var days = EventDays(limit: EventDays.most)
  package var readDays = ReadDays()
  /// Events that came with a state.
  package private(set) var carried = 0

  package init() {}

  /// Counts the events of this run among `operations`. Duplicates are subtracted later
  /// (``takeBack(_:_:day:)``).
  mutating func add(eventsOf operations: [RoutedOperation]) {
    var (most, widest) = (UInt32(0), UInt8(0))
    for operation in operations where operation.isEvent {
      most = max(most, operation.name)
      widest = max(widest, operation.dialect.number)
    }
    _ = row(of: most)
    widen(to: widest)
    Self.count(operations, &totals, &dialects, &days, &readDays, width: width)
  }

  /// Adds the events among `operations`, whose names must have rows.
  private static func count(
    _ operations: [RoutedOperation], _ totals: inout [Total], _ dialects: inout [Int],
    _ days: inout EventDays, _ readDays: inout ReadDays, width: Int
  ) {
    var totals = totals.mutableSpan
    var dialects = dialects.mutableSpan
    // The beginning and the events of the last event's day, as most events are on the same day.
    var (start, day) = (Int.min, UInt16(0))
    var ofDay = ReadDays.Day()
    for operation in operations where operation.isEvent {
      let index = Int(operation.name)
      dialects[index * width + Int(operation.dialect.number)] += 1
      if operation.time != EventTime.absent {
        totals[index].seen.merge(operation.time)
        if UInt(bitPattern: operation.time &- start) >= UInt(DayNumber.milliseconds) {
          readDays.add(ofDay, of: Int(day))
          ofDay = ReadDays.Day()
          day = UInt16(DayNumber.of(operation.time))
          start = Int(day) * DayNumber.milliseconds
        }
        days.add(EventDay(name: operation.name, day: day))
        ofDay.merge(ReadDays.Day(events: 1, last: operation.time))
      }
      totals[index].count += 1
    }
    readDays.add(ofDay, of: Int(day))
  }

  mutating func add(_ name: UInt32, _ dialect: Dialect, at time: Int) {
    let index = row(of: name)
    widen(to: dialect.number)
    dialects[index * width + Int(dialect.number)] += 1
    if time != EventTime.absent { totals[index].seen.merge(time) }
    totals[index].count += 1
  }

  /// Adds the total of a name from another part of this run, or, if it `isCarried`, from a state.
  package mutating func merge(_ name: UInt32, _ total: Total, isCarried: Bool = false) {
    totals[row(of: name)].merge(total)
    if isCarried { carried += total.count }
  }

  /// Adds the events of a name that were read in one dialect.
  package mutating func merge(_ name: UInt32, _ dialect: Dialect, count: Int) {
    let index = row(of: name)
    widen(to: dialect.number)
    dialects[index * width + Int(dialect.number)] += count
  }

  mutating func add(sourceName text: ByteView, of name: UInt32) {
    sourceNames[name, default: SourceNames()].add(text)
  }

  package mutating func merge(_ name: UInt32, _ others: SourceNames) {
    if !others.isEmpty { sourceNames[name, default: SourceNames()].merge(others) }
  }

  /// Turns `count` counted events of this run into duplicates; `day` is 0 for events without a
  /// time, and where no days are counted.
  package mutating func takeBack(_ count: Int, _ name: UInt32, day: UInt16 = 0) {
    let index = row(of: name)
    if day != 0 { days.add(-count, EventDay(name: name, day: day)) }
    totals[index].count -= count
    totals[index].duplicates += count
  }

  /// Adds the totals of another part; `names` maps its name numbers to those here.
  package mutating func merge(_ other: EventTotals, renumbered names: [UInt32]? = nil) {
    func name(_ number: UInt32) -> UInt32 { names?[Int(number)] ?? number }
    for number in other.totals.indices.map(UInt32.init) where other.contains(number) {
      merge(name(number), other[number])
      for (dialect, count) in other.dialects(of: number) {
        merge(name(number), dialect, count: count)
      }
    }
    for (number, others) in other.sourceNames { merge(name(number), others) }
    days.merge(other.days, renumbered: names)
    readDays.merge(other.readDays)
    carried += other.carried
  }

  package subscript(name: UInt32) -> Total {
    Int(name) < totals.count ? totals[Int(name)] : Total()
  }

  /// The valid events of a name that were read, duplicates included, by dialect.
  package func dialects(of name: UInt32) -> [(dialect: Dialect, count: Int)] {
    guard Int(name) < totals.count else { return [] }
    return (0..<width).compactMap { number in
      let count = dialects[Int(name) * width + number]
      return count > 0 ? (Dialect(number: UInt8(number)), count) : nil
    }
  }

  /// Number of valid events of a name read, duplicates included.
  func read(_ name: UInt32) -> Int {
    Int(name) < totals.count
      ? dialects[Int(name) * width..<(Int(name) + 1) * width].reduce(0, +) : 0
  }

  package func sourceNames(of name: UInt32) -> SourceNames { sourceNames[name] ?? SourceNames() }

  package func contains(_ name: UInt32) -> Bool { self[name] != Total() }

  /// All events counted: of this run (`accepted`) and of the previous state (`carried`).
  package var count: Int { totals.reduce(0) { $0 + $1.count } }

  /// Counted events of this run, `accepted` in the ledger (data-model 14).
  package var accepted: Int { count - carried }

  package var duplicates: Int { totals.reduce(0) { $0 + $1.duplicates } }

  /// The index of the row of a name, which is made if there is none.
  private mutating func row(of name: UInt32) -> Int {
    let more = Int(name) + 1 - totals.count
    if more > 0 {
      totals.append(contentsOf: repeatElement(Total(), count: more))
      dialects.append(contentsOf: repeatElement(0, count: more * width))
    }
    return Int(name)
  }

  /// Makes room for the dialect with this number.
  private mutating func widen(to number: UInt8) {
    guard Int(number) >= width else { return }
    let wider = Int(number) + 1
    var wide = [Int](repeating: 0, count: totals.count * wider)
    for index in dialects.indices { wide[index / width * wider + index % width] = dialects[index] }
    (dialects, width) = (wide, wider)
  }
}

// MARK: - As text

extension EventTotals {
  /// Writes the field `dialects`, sorted by name, if an event was read.
  package func writeDialects(_ name: UInt32, to json: inout JSONWriter) {
    let read = dialects(of: name).map { NamedCount($0.dialect.name, $0.count) }
    if read.isEmpty { return }
    json.object("dialects", of: read.sorted { $0.name < $1.name })
  }
}
