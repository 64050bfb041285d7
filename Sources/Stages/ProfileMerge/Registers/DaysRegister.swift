import Pipeline

extension FactKind {
  /// Days on which the key had events (``DaySet``), besides those that its records of events imply:
  /// of the first and of the last event of each name. `time` is the beginning of the first day.
  static var days: Self { Self(3) }
  /// The days that were counted for the key's profile, if its installations add some. Not part of
  /// the merge.
  static var profileDays: Self { Self(4) }
}

struct DaysRegister: Register, ~Copyable {
  private(set) var all = DaySet()
  /// Whether days are counted at all.
  private let isUsed: Bool
  /// Days before this one were erased from the records that are added.
  private var earliest = 0
  private var areErased = false
  /// Those that records of events imply, and the times of the first of these.
  private var implied = DaySet()
  private var first = Seen.never
  /// Scratch memory for the other days, and for the value of a record.
  private var others = DaySet()
  private var gaps = ByteBuffer()

  init(isUsed: Bool = true) { self.isUsed = isUsed }
  static var kinds: Mutation.Kinds { Mutation.Kinds(.days, .profileDays) }
  static var heard: Mutation.Kinds {
    EventsRegister.kinds.union(EraseMarkRegister.kinds).union(Mutation.Kinds(.days))
  }

  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    record.name == 0 && DaySet.isSound(record.time, record.value)
      && (record.kind == .days || place.hasProfile)
  }

  mutating func removeAll() {
    all.removeAll()
    earliest = 0
  }

  /// Records of one key from `origin` follow. In a state the erase mark precedes records of events,
  /// and has removed its day, too.
  mutating func begin(_ origin: KeyRegisters.Origin) { (earliest, areErased) = (0, origin != .run) }

  mutating func add(_ record: Mutation, rank: UInt32) {
    if record.kind == .eraseMark {
      if areErased { earliest = DaySet.earliest(after: record.time) }
    } else if record.kind == .days {
      if isUsed { all.insert(record.time, record.value, from: earliest) }
    } else if isUsed {
      all.insert(record.seen, from: earliest)
    }
  }

  mutating func erase(through mark: Int) { all.remove(through: mark) }

  /// Adds the days of `events` after that of `mark`, if there is one.
  mutating func add(_ events: borrowing EventsRegister, after mark: Int) {
    guard isUsed else { return }
    let earliest = DaySet.earliest(after: mark)
    for row in events.rows { all.insert(row.register.seen, from: earliest) }
  }

  /// Leaves out of the record what those of `events` imply.
  mutating func imply(by events: borrowing EventsRegister) {
    implied.removeAll()
    // Most keys, and most nights, have one day.
    first = events.rows.first?.register.seen ?? .never
    if all.isEmpty || all.isOnly(first.first) { return }
    for row in events.rows { implied.insert(row.register.seen) }
  }

  mutating func forEachRecord(_ body: (Mutation) -> Void) {
    if all.isEmpty || all.isOnly(first.first) { return }
    others.set(to: all, without: implied)
    if !others.isEmpty { body(Self.record(.days, others, &gaps)) }
  }

  /// Calls `body` with the record of all days, as those of a profile.
  mutating func forProfileDays(_ body: (Mutation) -> Void) {
    body(Self.record(.profileDays, all, &gaps))
  }

  private static func record(
    _ kind: FactKind, _ days: borrowing DaySet, _ gaps: inout ByteBuffer
  ) -> Mutation {
    gaps.removeAll()
    days.appendGaps(to: &gaps)
    return Mutation(kind, time: days.first, value: gaps.view)
  }

  func describe(in line: StateLines) {
    if !all.isEmpty { line.array("days", of: all.days.map { DayNumber.text($0) }) }
  }
}

extension KeyState {
  /// Reads the days that were counted for the profile of a key from a state into `days`.
  /// Complexity: O(n) for n records and days.
  package func readProfileDays(into days: inout DaySet) {
    var earliest = 0
    days.removeAll()
    var offset = 0
    while let record = Mutation(records, at: &offset) {
      switch record.kind {
      case .eraseMark: earliest = DaySet.earliest(after: record.time)
      case .event, .counted: days.insert(record.seen, from: earliest)
      case .days: days.insert(record.time, record.value, from: earliest)
      case .profileDays:
        days.removeAll()
        return days.insert(record.time, record.value)
      default: break
      }
    }
  }
}
