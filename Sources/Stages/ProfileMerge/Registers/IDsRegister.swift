import Pipeline

/// The id of an event in the merge: 80 bits of its ``Fingerprint``, and the input it came with
/// (data-model 12).
///
/// Ids are equal when these 80 bits are: among n events two different ones collide with a
/// probability of about n² / 2^81, 2^-21 for a billion. Of two deliveries of one event the one from
/// the input with the smaller number counts, so the result does not depend on the order of arrival.
package struct EventID: BitwiseCopyable, Equatable, Sendable {
  /// Bits of the fingerprint in `tail`.
  private static let tailBits: UInt64 = 16

  package let high: UInt64
  /// ``source`` * 2^16 + 16 bits of the low word of the fingerprint.
  package let tail: UInt64

  package init(high: UInt64, tail: UInt64) { (self.high, self.tail) = (high, tail) }

  /// The id with this fingerprint, of an event in the input `source`.
  package init(_ fingerprint: Fingerprint, source: InputSourceID) {
    high = fingerprint.high
    tail = source.number << Self.tailBits | fingerprint.low & (1 << Self.tailBits - 1)
  }

  package var source: InputSourceID { InputSourceID(number: tail >> Self.tailBits) }

  /// The part of `tail` that belongs to the fingerprint.
  var lowBits: UInt64 { tail & (1 << Self.tailBits - 1) }
  func isSame(as other: EventID) -> Bool { high == other.high && lowBits == other.lowBits }

  /// Ids of one event are consecutive, ordered by their inputs.
  static func < (a: EventID, b: EventID) -> Bool {
    if a.high != b.high { return a.high < b.high }
    return a.lowBits != b.lowBits ? a.lowBits < b.lowBits : a.tail < b.tail
  }

  /// The same id, of the input with the smaller number.
  func merged(with other: EventID) -> EventID { tail < other.tail ? self : other }
}

extension FactKind {
  /// The id of an event of this run, first delivered at `time`. The value is the time of its latest
  /// delivery (64), if that is another.
  static var id: Self { Self(0, .event, hasWords: true) }
  /// The same of an event that a state has counted.
  static var earlierID: Self { Self(1, .event, hasWords: true) }
}

struct IDsRegister: Register, ~Copyable {
  struct Row {
    let rank: UInt32
    let name: UInt32
    var id: EventID
    let isEarlier: Bool
    /// The times of its earliest and its latest delivery; ``EventTime/absent``, which is later than
    /// all others, without one. They differ only if the id does not contain the time.
    var time: Int
    var latest: Int

    /// Whether both rows belong to the same event. The name is a part of the id.
    func isSame(as other: Row) -> Bool { rank == other.rank && id.isSame(as: other.id) }

    /// Rows of one event are consecutive; the first of them counts: one that a state has counted,
    /// else that of the first input.
    static func < (a: Row, b: Row) -> Bool {
      if a.rank != b.rank { return a.rank < b.rank }
      if !a.id.isSame(as: b.id) { return a.id < b.id }
      return a.isEarlier != b.isEarlier ? a.isEarlier : a.id < b.id
    }

    /// Writes the time of its delivery, or of the earliest and the latest one; null without one.
    func write(to json: inout JSONWriter) {
      let last = latest == EventTime.absent ? nil : latest
      if latest == time { return json.item(last) }
      json.array { json in
        json.item(time)
        json.item(last)
      }
    }
  }

  /// After `settle`: in the order of the names, then of the ids. The first of those of one event
  /// counts; the others are duplicates, which are not in the counts.
  private(set) var rows: [Row] = []
  /// Scratch memory for the value of a record.
  private var latest = ByteBuffer()

  static var kinds: Mutation.Kinds { Mutation.Kinds(.id, .earlierID) }
  static var heard: Mutation.Kinds { kinds.union(Mutation.Kinds(.identified)) }

  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    func isSound(_ time: Int) -> Bool { Rules.isTime(time) || time == EventTime.absent }
    guard isSound(record.time), record.kind == .earlierID || place.content != .state else {
      return false
    }
    if record.value.isEmpty { return true }
    return record.value.count == 8 && isSound(record.latestDelivery)
      && record.latestDelivery > record.time
  }

  mutating func removeAll() { rows.removeAll(keepingCapacity: true) }

  mutating func add(_ record: Mutation, rank: UInt32) {
    rows.append(
      Row(
        rank: rank, name: record.name, id: EventID(high: record.words.1, tail: record.words.0),
        isEarlier: record.kind == .earlierID, time: record.time, latest: record.latestDelivery))
  }

  mutating func settle() { if rows.count > 1 { rows.sort { $0 < $1 } } }

  /// Calls `body` with every row that is a duplicate of this run, and the one that counts. An event
  /// counts at the time of its earliest delivery, so of the two times the duplicate has the later
  /// one: the one at which an event was counted too many.
  func forEachDuplicate(_ body: (_ duplicate: Row, _ counted: Row) -> Void) {
    guard var counted = rows.first else { return }
    for row in rows.dropFirst() {
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

  /// Keeps one row per event, if it came with a time and is not of one of the names with `ranks`.
  /// Duplicates are forgotten; so they must have been counted.
  mutating func erase(_ ranks: Set<UInt32>) {
    var kept: [Row] = []
    forEachEvent { if $0.time != EventTime.absent, !ranks.contains($0.rank) { kept.append($0) } }
    rows = kept
  }

  /// Calls `body` with one row per event, with the first of all inputs that delivered it, the times
  /// of all its deliveries, and whether a state has counted it.
  func forEachEvent(_ body: (Row) -> Void) { Self.forEachEvent(of: rows, body) }

  private static func forEachEvent(of rows: [Row], _ body: (Row) -> Void) {
    guard var merged = rows.first else { return }
    for row in rows.dropFirst() {
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

  var isEmpty: Bool { rows.isEmpty }

  mutating func forEachRecord(_ body: (Mutation) -> Void) {
    Self.forEachEvent(of: rows) { row in
      latest.removeAll()
      if row.latest != row.time { latest.append(word64: UInt64(bitPattern: Int64(row.latest))) }
      body(
        Mutation(
          row.id, isEarlier: row.isEarlier, name: row.name, time: row.time, latest: latest.view))
    }
  }
}

extension Mutation {
  var isID: Bool { kind == .id || kind == .earlierID }

  /// The record of an id; `latest` is empty, or the time of its latest delivery as eight bytes.
  init(_ id: EventID, isEarlier: Bool, name: UInt32, time: Int, latest: ByteView = "") {
    self.init(
      isEarlier ? .earlierID : .id, name: name, time: time, words: (id.tail, id.high),
      value: latest)
  }

  /// The time of the latest delivery of the event of an id.
  package var latestDelivery: Int {
    guard isID, value.count == 8 else { return time }
    return Int(Int64(bitPattern: value.word64(at: 0)))
  }
}
