package import Pipeline

/// One fact about a key: an event or a register of events, a set, an unset, the mark of an item, an
/// id, days, a link, the value of another register. Records of one name are merged when they are
/// read.
///
/// ```
/// name (32) | length of the value (32)      8 bytes, little-endian, no alignment
/// kind (8) | form (8) | time (48, signed)
/// count, first                              8 + 8, registers (count, 0 of events without time)
/// tail, high                                8 + 8, ids and events with one only
/// value                                     length
/// ```
/// The value of an id is the time of the latest delivery (64), if it differs from `time`.
package struct Mutation {
  package enum Kind: UInt8 {
    /// One event at `time` with `value`.
    case event = 1
    /// The same, and its id.
    case identified
    /// `count` events from `first` to `time`, the latest with `value`.
    case register
    case set
    case unset
    /// The item with the text `value` was added.
    case addItem
    case removeItem
    /// The id of an event of this run, first delivered at `time`.
    case id
    /// The id of an event that a state has counted, first delivered at `time`.
    case earlierID
    /// The register with the number `name` (``RegisterKind``) takes `value`.
    case single
    /// Events of a name were erased, and none with it are kept any more (``KeyState/eraseMark``).
    /// The words are a hash of key and name, all that is kept of it.
    case erased
    /// `count` events without a time; `value` is the greatest of theirs. A single one may be an
    /// `event`, or with its id an `identified`, whose time is ``EventTime/absent``.
    case untimed
    /// Days on which the key had events (``DaySet``), besides those that its records of events
    /// imply: of the first and of the last event of each name. `time` is the beginning of the first
    /// day.
    case days
    /// The days that were counted for the key's profile, if its installations add some. Not part of
    /// the merge.
    case profileDays
    /// With `name` 0, `count` events of the key that an earlier state has counted; with `name` 1,
    /// the words are a digest of a person that the installation was linked to in this run. Never in
    /// a state.
    case run
    /// The key was seen from the time in the second word to `time`, which its other records do not
    /// imply.
    case seen
    /// Everything before `time` was dropped.
    case clear
    /// Everything up to `time` was erased, and names of events are (`erased`).
    case eraseMark
    /// The installation was linked to the person with the key `value`; in a membership, the person
    /// to the installation.
    case link
    /// A link of the installation was erased.
    case unlinked
    /// The installation stands alone (``InstallationLinks``).
    case alone
    /// A link-only record named the key.
    case touched
    /// `time` events of the key's profile are those of the key, after `name` others.
    case published
  }

  /// Bytes before the value, in records without further words.
  static let headLength = 16
  /// Bytes of the further words of registers and ids.
  static let wordsLength = 16
  package var kind: Kind
  package var form = KeyForm.plain
  /// Number of the event name, attribute key or register; 0 without one (``naming``).
  package var name: UInt32
  /// Milliseconds since 1970; ``EventTime/absent`` for events without a time, and their ids. Of an
  /// id, the time of the earliest delivery.
  package var time: Int
  /// `count` and `first` of a register, `tail` and `high` of an ``EventID``, a hash of what was
  /// erased.
  var words: (UInt64, UInt64) = (0, 0)
  package var value = ByteView("")

  /// Length of the record in bytes.
  var length: Int {
    Self.headLength + (hasWords ? Self.wordsLength : 0) + value.count
  }

  private var hasWords: Bool { Self.hasWords(kind) }

  static func hasWords(_ kind: Kind) -> Bool {
    switch kind {
    case .register, .identified, .id, .earlierID, .untimed, .erased, .run, .seen: true
    case .event, .set, .unset, .addItem, .removeItem, .single, .days, .profileDays, .clear,
      .eraseMark, .link, .unlinked, .alone, .touched, .published:
      false
    }
  }

  /// The first two words of a record.
  private var head: (UInt64, UInt64) {
    precondition(
      value.count <= Int(UInt32.max) && time >> 47 == time >> 63,
      "a record has a value of at most 4 GiB and a time of 48 bits")
    let labels = UInt64(form.rawValue) << 8 | UInt64(kind.rawValue)
    return (
      UInt64(value.count) << 32 | UInt64(name),
      UInt64(bitPattern: Int64(time)) << 16 | labels
    )
  }

  /// Appends the record to a buffer.
  func append(to bytes: inout ByteBuffer) {
    bytes.append(word64: head.0)
    bytes.append(word64: head.1)
    if hasWords {
      bytes.append(word64: words.0)
      bytes.append(word64: words.1)
    }
    bytes.append(value)
  }

  /// A reference to `count` events of the key's profile, after `passed` others.
  init(published count: Int, behind passed: Int) {
    self.init(.published, name: UInt32(passed), time: count)
  }

  /// A record without its words and its value.
  struct Head {
    let kind: Kind
    let name: UInt32
    let time: Int
    /// The range of the record.
    let bytes: Range<Int>
    /// The range of its value.
    let value: Range<Int>

    /// The head of the record at `offset` of `bytes`, which moves past it; nil when it is
    /// incomplete.
    init?(_ bytes: ByteView, at offset: inout Int) {
      guard offset + headLength <= bytes.count else { return nil }
      let (first, second) = (bytes.word64(at: offset), bytes.word64(at: offset + 8))
      guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: second)) else { return nil }
      let words = hasWords(kind) ? wordsLength : 0
      let end = offset + headLength + words + Int(first >> 32)
      guard end <= bytes.count else { return nil }
      self.kind = kind
      name = UInt32(truncatingIfNeeded: first)
      time = Int(Int64(bitPattern: second) >> 16)
      self.bytes = offset..<end
      value = offset + headLength + words..<end
      offset = end
    }

    var isID: Bool { kind == .id || kind == .earlierID }

    /// Whether `value` is valid for the register of the record.
    func isSoundValue(_ value: ByteView) -> Bool {
      UInt8(exactly: name).flatMap(RegisterKind.init)?.form.isKept(value) ?? false
    }
  }

  /// The record at `offset` of `bytes`, which moves past it; nil at their end.
  init?(_ bytes: ByteView, at offset: inout Int) {
    guard offset + Self.headLength <= bytes.count else { return nil }
    let (first, second) = (bytes.word64(at: offset), bytes.word64(at: offset + 8))
    guard let kind = Kind(rawValue: UInt8(truncatingIfNeeded: second)) else { return nil }
    self.kind = kind
    form = KeyForm(rawValue: UInt8(truncatingIfNeeded: second >> 8)) ?? .plain
    name = UInt32(truncatingIfNeeded: first)
    time = Int(Int64(bitPattern: second) >> 16)
    offset += Self.headLength
    if hasWords {
      words = (bytes.word64(at: offset), bytes.word64(at: offset + 8))
      offset += Self.wordsLength
    }
    let end = offset + Int(first >> 32)
    value = bytes[offset..<end]
    offset = end
  }

  init(
    _ kind: Kind, name: UInt32 = 0, time: Int = 0, form: KeyForm = .plain,
    words: (UInt64, UInt64) = (0, 0), value: ByteView = ""
  ) {
    self.kind = kind
    self.form = form
    self.name = name
    self.time = time
    self.words = words
    self.value = value
  }
}

extension Mutation.Kind {
  /// Whether such a record tells of the people that an installation was linked to.
  var isOfLinks: Bool { self == .link || self == .unlinked || self == .alone }

  /// The kind of name of such a record.
  var naming: Mutation.Naming {
    switch self {
    case .event, .identified, .register, .untimed, .id, .earlierID: .event
    case .set, .unset, .addItem, .removeItem: .attribute
    case .single, .erased, .days, .profileDays, .run, .seen, .clear, .eraseMark, .link, .unlinked,
      .alone, .touched, .published:
      .none
    }
  }
}

/// Conversion between records and the values of the merge algebra.
extension Mutation {
  /// The kind of a record's name.
  package enum Naming {
    case event
    case attribute
    /// No name; for a register, a number that is the same everywhere.
    case none
  }

  /// Whether it is only the id of an event.
  var isID: Bool { kind == .id || kind == .earlierID }

  /// Whether its value is text.
  package var hasText: Bool { kind != .days && kind != .profileDays && !isID }

  /// Whether it contains events, with the value of the latest.
  package var isOfEvents: Bool { naming == .event && !isID }

  /// Whether an erase mark removes it, if it is old enough: not for ids of counted events.
  package var isErasable: Bool {
    isOfEvents || naming == .attribute || kind == .days || register?.row.isErasable ?? false
  }

  /// The earliest time in it, in milliseconds since 1970.
  package var earliest: Int {
    kind == .register || kind == .seen ? Int(Int64(bitPattern: words.1)) : time
  }

  /// The kind of ``name``.
  package var naming: Naming { kind.naming }

  /// The record of the times at which a key was seen.
  init(_ seen: Seen) {
    self.init(.seen, time: seen.last, words: (0, UInt64(bitPattern: Int64(seen.first))))
  }

  /// The record of those events of a register that have a time; there must be some.
  init(_ register: EventRegister, name: UInt32) {
    self.init(
      .register, name: name, time: register.seen.last,
      words: (
        UInt64(bitPattern: Int64(register.timed)), UInt64(bitPattern: Int64(register.seen.first))
      ),
      value: register.value)
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
    let first = isSingle ? time : Int(Int64(bitPattern: words.1))
    return EventRegister(count: count, seen: Seen(first: first, last: time), value: value)
  }

  /// The id of an event; only for a record that has one.
  var eventID: EventID { EventID(high: words.1, tail: words.0) }

  /// The record of an id, of an event of this run or of one that a state has counted; `latest` is
  /// empty, or the time of its latest delivery as eight bytes.
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

  /// Appends the time of the latest delivery to `bytes`, if it is not the earliest.
  static func append(latest: Int, after earliest: Int, to bytes: inout ByteBuffer) {
    if latest != earliest { bytes.append(word64: UInt64(bitPattern: Int64(latest))) }
  }

  /// The record of an event name that was erased.
  init(erased name: Fingerprint) {
    self.init(.erased, name: 0, time: 0, words: (name.low, name.high))
  }

  /// The record of the events that an earlier state has counted.
  init(earlierEvents count: Int) {
    self.init(.run, name: 0, time: 0, words: (UInt64(bitPattern: Int64(count)), 0))
  }

  /// The record of a person that the installation was linked to in this run, by a digest.
  init(linked person: Fingerprint) {
    self.init(.run, name: 1, time: 0, words: (person.low, person.high))
  }

  /// The number of events that an earlier state has counted; nil for other records.
  var earlierEvents: Int? {
    kind == .run && name == 0 ? Int(Int64(bitPattern: words.0)) : nil
  }

  /// The record of days, which must not be empty, with their gaps in `gaps`.
  init(_ kind: Kind, _ days: borrowing DaySet, gaps: ByteView) {
    self.init(kind, name: 0, time: days.first, value: gaps)
  }

  /// The record of an item's mark.
  init(_ mark: ItemMark, name: UInt32, item: ByteView) {
    self.init(mark.isRemoval ? .removeItem : .addItem, name: name, time: mark.time, value: item)
  }

  /// The record of the value of a register.
  init(_ register: RegisterKind, _ value: TimedValue) {
    self.init(.single, name: UInt32(register.rawValue), time: value.time, value: value.value)
  }

  /// The register of the record; nil for other records.
  package var register: RegisterKind? {
    kind == .single ? UInt8(exactly: name).flatMap(RegisterKind.init) : nil
  }

  /// The hash of an erased event name; nil for other records.
  package var erasedName: Fingerprint? {
    kind == .erased ? Fingerprint(low: words.0, high: words.1) : nil
  }

  /// Merges a record of an attribute.
  package func merge(into register: inout AttributeRegister) {
    switch kind {
    case .set:
      register.merge(AttributeBase(time: time, kind: .set, form: form, value: value))
    case .unset:
      register.merge(.unset(at: time))
    case .addItem, .removeItem:
      register.merge(
        MarkedItem(text: value, mark: ItemMark(time: time, isRemoval: kind == .removeItem)))
    case .event, .identified, .register, .untimed, .id, .earlierID, .single, .erased, .days,
      .profileDays, .run, .seen, .clear, .eraseMark, .link, .unlinked, .alone, .touched,
      .published:
      preconditionFailure("only records of attributes are merged into one")
    }
  }
}

extension Mutation {
  /// Bytes of the record of an operation.
  @inline(__always)
  static func length(of operation: RoutedOperation) -> Int {
    let hasID = operation.isEvent && operation.id != .none
    return headLength + (hasID ? wordsLength : 0) + Int(operation.valueLength)
  }

  /// The record of an operation, whose value is in `bytes`, from the input `source`.
  init(_ operation: RoutedOperation, _ bytes: ByteView, _ source: InputSourceID) {
    let start = Int(operation.valueStart)
    let value = bytes[start..<start + Int(operation.valueLength)]
    let (time, name) = (operation.time, operation.name)
    switch operation.kind {
    case .event:
      self.init(.event, name: name, time: time, value: value)
      guard operation.id != .none else { return }
      let id = EventID(operation.id, source: source)
      kind = .identified
      words = (id.tail, id.high)
    case .set: self.init(.set, name: name, time: time, form: operation.form, value: value)
    case .unset: self.init(.unset, name: name, time: time)
    case .addItem: self.init(.addItem, name: name, time: time, value: value)
    case .removeItem: self.init(.removeItem, name: name, time: time, value: value)
    case .register(let register): self.init(register, TimedValue(time: time, value: value))
    case .clear: self.init(.clear, time: time)
    case .erase: self.init(.eraseMark, time: time)
    case .touch: self.init(.touched)
    case .link: self.init(.link, time: time, value: value)
    }
  }
}
