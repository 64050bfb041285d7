import Pipeline

/// Records as the values of the merge algebra, and back.
extension LogRecord {
  /// What the name of a record is.
  enum Naming {
    case event
    case attribute
    /// It has no name.
    case none
  }

  /// What ``name`` is.
  var naming: Naming {
    switch kind {
    case .event, .identified, .register, .untimed, .id, .earlierID: .event
    case .set, .unset, .addItem, .removeItem: .attribute
    case .location, .optOut, .optIn, .erased: .none
    }
  }

  /// The record of those events of a register that have a time; there are such.
  init(_ register: EventRegister, name: UInt32) {
    self.init(
      .register, name: name, time: register.seen.last,
      words: (
        UInt64(bitPattern: Int64(register.timed)), UInt64(bitPattern: Int64(register.seen.first))
      ),
      value: register.value)
  }

  /// The record of those events of a register that have none. Their value is that of the register
  /// if there are no others; if there are, nobody will ask for it again.
  init(untimedOf register: EventRegister, name: UInt32) {
    self.init(
      .untimed, name: name, time: EventTime.absent,
      words: (UInt64(bitPattern: Int64(register.untimed)), 0),
      value: register.seen.isNever ? register.value : "")
  }

  /// The register that a record of events stands for: either all of them have a time or none.
  var eventRegister: EventRegister {
    let isSingle = kind == .event || kind == .identified
    let count = isSingle ? 1 : Int(Int64(bitPattern: words.0))
    if kind == .untimed || time == EventTime.absent {
      return EventRegister(count: count, untimed: count, seen: .never, value: value)
    }
    let first = isSingle ? time : Int(Int64(bitPattern: words.1))
    return EventRegister(count: count, seen: Seen(first: first, last: time), value: value)
  }

  /// The id of an event, of a record that has one.
  var eventID: EventID { EventID(high: words.1, tail: words.0) }

  /// The record of an id, of an event of this run or of one that a state counted already.
  init(_ id: EventID, isEarlier: Bool, name: UInt32, time: Int) {
    self.init(isEarlier ? .earlierID : .id, name: name, time: time, words: (id.tail, id.high))
  }

  /// The record of an event name of which nothing is kept any more.
  init(erased name: Fingerprint) {
    self.init(.erased, name: 0, time: 0, words: (name.low, name.high))
  }

  /// The record of an item's mark.
  init(_ mark: ItemMark, name: UInt32, item: ByteView) {
    self.init(mark.isRemoval ? .removeItem : .addItem, name: name, time: mark.time, value: item)
  }

  /// The record of a place.
  init(_ location: LocationRegister) {
    self.init(.location, name: 0, time: location.time, value: location.place)
  }

  /// The record of a word about consent.
  init(_ consent: ConsentRegister) {
    self.init(consent.isOptedOut ? .optOut : .optIn, name: 0, time: consent.time)
  }

  /// Merges a record of an attribute.
  func merge(into register: inout AttributeRegister) {
    switch kind {
    case .set:
      register.merge(AttributeBase(time: time, kind: .set, form: form, value: value))
    case .unset:
      register.merge(.unset(at: time))
    case .addItem, .removeItem:
      register.merge(
        MarkedItem(text: value, mark: ItemMark(time: time, isRemoval: kind == .removeItem)))
    case .event, .identified, .register, .untimed, .id, .earlierID, .location, .optOut, .optIn,
      .erased:
      preconditionFailure("only records of attributes are merged into one")
    }
  }
}
