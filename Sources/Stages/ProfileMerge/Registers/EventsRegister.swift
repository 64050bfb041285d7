package import Pipeline

/// The merged events with one name of one profile (data-model 13.3).
///
/// Counts add; times take minimum and maximum; the value is that of the latest event, on equal
/// times the greater bytes. Since the value always belongs to `seen.last`, it has no separate time.
///
/// Events without a time count, but have no first and last time (dialects 5): the value of one
/// yields to that of any event with a time; among themselves the greater bytes win. Their number is
/// kept, because an erase mark removes all of them, whatever it leaves of the others.
package struct EventRegister {
  /// Number of events, including those without a time.
  package var count: Int
  package var untimed: Int
  /// The first and last time of the others; never, when there are none.
  package var seen: Seen
  /// Canonical JSON of the attributes of the latest event; empty when it had none.
  package var value: ByteView

  package init(count: Int, untimed: Int = 0, seen: Seen, value: ByteView) {
    (self.count, self.untimed, self.seen, self.value) = (count, untimed, seen, value)
  }

  package var timed: Int { count - untimed }

  /// Whether `value` at `time` replaces `other` at `otherTime`.
  package static func valueWins(
    _ value: ByteView, at time: Int, over other: ByteView, at otherTime: Int
  ) -> Bool { time != otherTime ? time > otherTime : other < value }

  /// Adds the register of another state of the same profile and name.
  package mutating func merge(_ other: EventRegister) {
    count += other.count
    untimed += other.untimed
    // Without times `last` is the minimum.
    if EventRegister.valueWins(other.value, at: other.seen.last, over: value, at: seen.last) {
      value = other.value
    }
    seen.merge(other.seen)
  }

  /// Removes the events without a time.
  fileprivate mutating func dropUntimed() {
    count -= untimed
    untimed = 0
  }
}

extension FactKind {
  /// An ``event``, and its id (``IDsRegister``) in the words.
  static var identified: Self { Self(1, .event, isSeen: true, hasWords: true) }
  /// As many events as the first word says, from the time in the second one to `time`, the latest
  /// with `value`.
  static var counted: Self { Self(2, .event, isSeen: true, hasWords: true) }
  /// As many events without a time as the first word says; `value` is the greatest of theirs.
  static var untimed: Self { Self(3, .event, isSeen: true, hasWords: true) }
}

struct EventsRegister: Register {
  struct Row {
    let rank: UInt32
    let name: UInt32
    var register: EventRegister
  }

  private var gathered: [Row] = []
  /// After `settle`: one per name, in order.
  private(set) var rows: [Row] = []
  /// Number of events gathered so far.
  var gatheredCount: Int { gathered.reduce(0) { $0 + $1.register.count } }
  static var kinds: Mutation.Kinds { Mutation.Kinds(.event, .identified, .counted, .untimed) }

  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    let isTimed = Rules.isTime(record.time)
    if record.kind == .identified && place.content == .state { return false }
    if record.kind == .event || record.kind == .identified {
      return isTimed || place.content != .state && record.time == EventTime.absent
    }
    let register = record.eventRegister
    return place.takes(register.count)
      && (record.kind == .untimed
        ? record.time == EventTime.absent && register.count > 0
        : FrameLayout.isRange(register.seen.first, register.seen.last))
  }

  mutating func removeAll() {
    gathered.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
  }

  mutating func add(_ record: Mutation, rank: UInt32) {
    gathered.append(Row(rank: rank, name: record.name, register: record.eventRegister))
  }

  mutating func settle() {
    rows.removeAll(keepingCapacity: true)
    if gathered.count > 1 { gathered.sort { $0.rank < $1.rank } }
    for row in gathered {
      if let last = rows.last, last.rank == row.rank {
        rows[rows.count - 1].register.merge(row.register)
      } else {
        rows.append(row)
      }
    }
  }

  /// Takes back one event for `duplicate`, whose name is at or behind the index.
  mutating func takeBack(_ duplicate: IDsRegister.Row, from index: inout Int) {
    while index < rows.count, rows[index].rank < duplicate.rank { index += 1 }
    guard index < rows.count, rows[index].rank == duplicate.rank else { return }
    rows[index].register.count -= 1
    if duplicate.time == EventTime.absent { rows[index].register.untimed -= 1 }
  }

  /// Removes the rows that begin at or before `mark` or are closed, and events without a time from
  /// the others (docs/reference/data-model.md, erase marks).
  /// - Returns: the ranks of removed rows, and how many of them extend beyond the mark.
  mutating func erase(
    through mark: Int, _ isClosed: (Row) -> Bool
  ) -> (ranks: Set<UInt32>, straddling: Int) {
    var straddling = 0
    var ranks: Set<UInt32> = []
    for row in rows {
      let isOld = row.register.seen.first <= mark
      guard isClosed(row) || isOld else { continue }
      if row.register.seen.last > mark { straddling += 1 }
      ranks.insert(row.rank)
    }
    rows.removeAll { ranks.contains($0.rank) || $0.register.seen.isNever }
    for index in rows.indices { rows[index].register.dropUntimed() }
    gathered = rows
    return (ranks, straddling)
  }

  var isEmpty: Bool { rows.isEmpty }
  var seen: Seen { rows.reduce(into: .never) { $0.merge($1.register.seen) } }

  func forEachRecord(_ body: (Mutation) -> Void) {
    for row in rows {
      let seen = row.register.seen
      if row.register.timed == 1 && seen.first == seen.last {
        body(Mutation(.event, name: row.name, time: seen.last, value: row.register.value))
      } else if !seen.isNever {
        body(Mutation(row.register, name: row.name))
      }
      if row.register.untimed != 0 { body(Mutation(untimedOf: row.register, name: row.name)) }
    }
  }

  func describe(in line: StateLines) {
    if rows.isEmpty { return }
    line.object("events") { json in
      for row in rows {
        json.object(line.names.events[row.name]) { json in
          let (register, seen) = (row.register, row.register.seen)
          if register.count != 1 { json.member("count", register.count) }
          if !seen.isNever, seen.first != seen.last { json.member("first", seen.first) }
          line.describeIDs(of: row.rank, in: &json)
          if !seen.isNever { json.member("last", seen.last) }
          if register.untimed != 0 { json.member("untimed", register.untimed) }
          if !register.value.isEmpty { json.member("value", JSONText(register.value)) }
        }
      }
    }
  }

  func render(in profile: inout ProfileText) {
    for (index, row) in rows.enumerated() {
      profile.text.append(index == 0 ? ",\"events\":{" : ",")
      profile.text.append(profile.names.profileNames[row.name])
      profile.text.append(decimal: row.register.count)
      profile.append(row.register.seen)
      if profile.options.withValues && !row.register.value.isEmpty {
        profile.text.append(",\"value\":")
        profile.text.append(row.register.value)
      }
      profile.text.append(UInt8(ascii: "}"))
      profile.eventNames.append(row.name)
    }
    if !rows.isEmpty { profile.text.append(UInt8(ascii: "}")) }
  }
}

extension Mutation {
  /// Whether it contains events, with the value of the latest.
  package var isOfEvents: Bool { EventsRegister.kinds.contains(kind) }

  /// The record of those events of a register that have a time; there must be some.
  init(_ register: EventRegister, name: UInt32) {
    self.init(
      .counted, name: name, time: register.seen.last,
      words: (
        UInt64(bitPattern: Int64(register.timed)), UInt64(bitPattern: Int64(register.seen.first))
      ), value: register.value)
  }

  /// The record of those events of a register that have none. Their value is that of the register
  /// if there are no others; otherwise it is not needed again.
  init(untimedOf register: EventRegister, name: UInt32) {
    self.init(
      .untimed, name: name, time: EventTime.absent,
      words: (UInt64(bitPattern: Int64(register.untimed)), 0),
      value: register.seen.isNever ? register.value : "")
  }

  /// The register in a record of events: either all of them have a time or none.
  package var eventRegister: EventRegister {
    let isSingle = kind == .event || kind == .identified
    let count = isSingle ? 1 : Int(Int64(bitPattern: words.0))
    if kind == .untimed || time == EventTime.absent {
      return EventRegister(count: count, untimed: count, seen: .never, value: value)
    }
    return EventRegister(count: count, seen: Seen(first: earliest, last: time), value: value)
  }
}
