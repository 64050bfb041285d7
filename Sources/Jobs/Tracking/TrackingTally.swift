import Pipeline
import Stages

/// Statistics about the events of logs, which can be merged in any order.
struct TrackingTally: Sendable {
  /// Most event names of a plan. A larger plan would be unreadable.
  static let mostEvents = 10_000
  static let mostAttributes = 1000
  /// Most different texts of an attribute for which they are its allowed values.
  static let mostValues = 20
  /// Least average count of each of them for that.
  static let timesEach = 10
  /// Greatest length of each, in bytes, for that.
  static let longestValue = 64

  struct Event: Sendable {
    var count = 0
    fileprivate(set) var attributes = ValuesByText<Attribute>()
    /// Whether there are more attributes than the limit.
    fileprivate var isFull = false
  }

  struct Attribute: Sendable {
    fileprivate(set) var count = 0
    fileprivate(set) var types: ValueTypes = []
    fileprivate(set) var items: ValueTypes = []
    /// The different texts; nil when there are too many, or a long one.
    fileprivate(set) var texts: [[UInt8]]? = []
    fileprivate(set) var least: PlanNumber?
    fileprivate(set) var greatest: PlanNumber?
    fileprivate(set) var times = Seen.never
  }

  private(set) var events = ValuesByText<Event>()
  /// Whether there are more event names than the limit.
  private var isFull = false

  /// Adds an accepted event. Complexity: O(attributes).
  mutating func add(_ event: EventEntry, in tape: Tape, _ attributes: inout EventAttributes) {
    guard let index = number(of: tape.bytes(at: event.nameNode)) else { return }
    events.values[index].count += 1
    attributes.forEach(of: event, in: tape) { key, value in
      let isTime = key.starts(with: "date(")
      events.values[index].with(key) { $0.add(value, isTime: isTime, in: tape) }
    }
  }

  /// Adds the tally of another lane. Complexity: O(n) for n attributes.
  mutating func merge(_ other: TrackingTally) {
    isFull = isFull || other.isFull
    for (name, event) in zip(other.events.texts, other.events.values) {
      var text = ByteBuffer()
      text.append(contentsOf: name)
      guard let index = number(of: text.view) else { continue }
      events.values[index].count += event.count
      events.values[index].isFull = events.values[index].isFull || event.isFull
      for (key, attribute) in zip(event.attributes.texts, event.attributes.values) {
        text.removeAll()
        text.append(contentsOf: key)
        events.values[index].with(text.view) { $0.merge(attribute) }
      }
    }
  }

  private mutating func number(of name: ByteView) -> Int? {
    if events.count == Self.mostEvents, events.find(name) == nil {
      isFull = true
      return nil
    }
    return events.number(of: name, orAdd: Event())
  }

  /// Why a plan cannot be made, if a limit was exceeded; independent of the order of the lanes.
  var failure: Failure? {
    if isFull { return Self.failure("there are more than \(Self.mostEvents) event names") }
    let full = events.all.filter(\.value.isFull).map(\.text).sortedByBytes
    return full.first.map {
      Self.failure("\($0) has more than \(Self.mostAttributes) different attributes")
    }
  }

  private static func failure(_ why: String) -> Failure {
    Failure(
      .limit, doing: "inferring a tracking plan", why: why,
      advice: "look for what makes up names, and leave these logs out")
  }
}

extension TrackingTally.Event {
  fileprivate mutating func with(_ key: ByteView, _ body: (inout TrackingTally.Attribute) -> Void) {
    if attributes.count == TrackingTally.mostAttributes, attributes.find(key) == nil {
      isFull = true
      return
    }
    let number = attributes.number(of: key, orAdd: TrackingTally.Attribute())
    body(&attributes.values[number])
  }
}

extension TrackingTally.Attribute {
  /// Adds a value; `isTime` is whether its key declares it a time.
  fileprivate mutating func add(_ node: Int, isTime: Bool, in tape: Tape) {
    let value = tape[node]
    count += 1
    types.insert(ValueTypes(of: value))
    if isTime {
      if let time = value.time(in: tape) { times.merge(time) }
      return
    }
    switch value.kind {
    case .string: add(text: tape.bytes(value))
    case .integer, .double: if let number = PlanNumber(value, of: tape) { add(number) }
    case .array: tape.forEachItem(of: node) { item, _ in items.insert(ValueTypes(of: tape[item])) }
    case .true, .false, .object, .date, .key, .null: break
    }
  }

  private mutating func add(text: ByteView) {
    guard let texts, !texts.contains(where: { text == $0 }) else { return }
    let isFull = texts.count == TrackingTally.mostValues
    if isFull || text.count > TrackingTally.longestValue {
      self.texts = nil
    } else {
      self.texts?.append(text.array)
    }
  }

  private mutating func add(_ number: PlanNumber) {
    // Of equal ones the integer, whichever came first.
    if least.map({ number < $0 || number == $0 && number.isInt }) ?? true { least = number }
    if greatest.map({ $0 < number || number == $0 && number.isInt }) ?? true { greatest = number }
  }

  fileprivate mutating func merge(_ other: Self) {
    count += other.count
    types.formUnion(other.types)
    items.formUnion(other.items)
    times.merge(other.times)
    if let least = other.least { add(least) }
    if let greatest = other.greatest { add(greatest) }
    guard let theirs = other.texts, let ours = texts else {
      texts = nil
      return
    }
    let all = ours + theirs.filter { !ours.contains($0) }
    texts = all.count <= TrackingTally.mostValues ? all : nil
  }
}

extension PlanNumber {
  fileprivate var isInt: Bool { if case .int = self { true } else { false } }
}

extension TrackingPlan {
  init(_ tally: TrackingTally) {
    for (name, event) in tally.events.all {
      var planned = Event()
      for (key, attribute) in event.attributes.all {
        planned.properties[key] = Property(attribute)
        if attribute.count == event.count { planned.required.insert(key) }
      }
      events[name] = planned
    }
  }
}

extension TrackingPlan.Property {
  fileprivate init(_ attribute: TrackingTally.Attribute) {
    types = attribute.types
    if types.contains(.number) { types.remove(.integer) }
    if !attribute.items.isEmpty { items = attribute.items }
    (least, greatest) = (attribute.least, attribute.greatest)
    if !attribute.times.isNever {
      (earliest, latest) = (attribute.times.first, attribute.times.last)
    }
    if types == .string, let texts = attribute.texts, !texts.isEmpty,
      attribute.count >= TrackingTally.timesEach * texts.count
    {
      allowed = texts.map { String(decoding: $0, as: UTF8.self) }.sortedByBytes.map { .text($0) }
    }
  }
}
