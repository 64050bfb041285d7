import Pipeline

/// Records as the values of the merge algebra, and back.
extension LogRecord {
  /// Whether ``name`` is an event name, not an attribute key.
  var isOfEvent: Bool {
    switch kind {
    case .event, .identified, .register, .id, .earlierID: true
    case .set, .unset, .addItem, .removeItem: false
    }
  }

  /// The record of an event register.
  init(_ register: EventRegister, name: UInt32) {
    self.init(
      .register, name: name, time: register.seen.last,
      words: (
        UInt64(bitPattern: Int64(register.count)), UInt64(bitPattern: Int64(register.seen.first))
      ),
      value: register.value)
  }

  /// The register that a record of events stands for.
  var eventRegister: EventRegister {
    if kind == .event || kind == .identified {
      return EventRegister(count: 1, seen: Seen(first: time, last: time), value: value)
    }
    return EventRegister(
      count: Int(Int64(bitPattern: words.0)),
      seen: Seen(first: Int(Int64(bitPattern: words.1)), last: time), value: value)
  }

  /// The id of an event, of a record that has one.
  var eventID: EventID { EventID(high: words.1, tail: words.0) }

  /// The record of an id, of an event of this run or of one that a state counted already.
  init(_ id: EventID, isEarlier: Bool, name: UInt32, time: Int) {
    self.init(isEarlier ? .earlierID : .id, name: name, time: time, words: (id.tail, id.high))
  }

  /// The record of an item's mark.
  init(_ mark: ItemMark, name: UInt32, item: ByteView) {
    self.init(mark.isRemoval ? .removeItem : .addItem, name: name, time: mark.time, value: item)
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
    case .event, .identified, .register, .id, .earlierID:
      preconditionFailure("a record of events is no attribute")
    }
  }
}
