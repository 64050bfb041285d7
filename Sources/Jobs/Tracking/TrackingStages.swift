import Pipeline
import Stages

/// Counts attributes of accepted events, for `tracking infer`. One stage object per lane.
final class TrackingInferStage: Stage {
  static let name = "tracking"

  private let tally: Locked<TrackingTally>
  private var attributes = EventAttributes()

  init(_ tally: Locked<TrackingTally>) { self.tally = tally }

  /// Complexity: O(attributes of the block).
  func process(_ unit: WorkUnit) {
    let batch = unit.batch
    tally.withLock { tally in
      for index in batch.events.indices where batch.events[index].isAccepted {
        tally.add(batch.events[index], in: batch.tape, &attributes)
      }
    }
  }
}

/// Compares accepted events with a tracking plan. One stage object per lane.
final class TrackingCheckStage: Stage {
  static let name = "tracking"

  private let checking: TrackingChecking
  private let findings: Locked<TrackingFindings>
  private var attributes = EventAttributes()

  init(_ checking: TrackingChecking, _ findings: Locked<TrackingFindings>) {
    (self.checking, self.findings) = (checking, findings)
  }

  /// Complexity: O(attributes of the block).
  func process(_ unit: WorkUnit) {
    let batch = unit.batch
    findings.withLock { findings in
      for record in batch.records.indices where !batch.records[record].isRejected {
        let record = batch.records[record]
        let line = unit.block.number(of: batch.lines[Int(record.line)])
        let position = (file: checking.paths[unit.block.input], line: line)
        for index in record.eventIndices where batch.events[index].isAccepted {
          check(batch.events[index], in: batch.tape, at: position, &findings)
        }
      }
    }
  }

  private func check(
    _ event: EventEntry, in tape: Tape, at position: (file: String, line: Int),
    _ findings: inout TrackingFindings
  ) {
    let name = tape.bytes(at: event.nameNode)
    func report(_ kind: TrackingFindings.Kind, _ attribute: String? = nil, value: Int? = nil) {
      var row = TrackingCheck.Row()
      (row.kind, row.event, row.count) = (kind, name.text, 1)
      (row.attribute, row.found) = (attribute, value.map { found($0, in: tape) })
      (row.file, row.line) = position
      findings.add(row)
    }
    guard let number = checking.compiled.events.find(name) else { return report(.newEvent) }
    let planned = checking.compiled.events.values[number]
    var met = 0
    attributes.forEach(of: event, in: tape) { key, value in
      guard let number = planned.properties.find(key) else {
        if !planned.isOpen { report(.newAttribute, key.text, value: value) }
        return
      }
      let (property, isRequired) = planned.properties.values[number]
      if isRequired { met += 1 }
      if let kind = property.fault(of: value, in: tape) { report(kind, key.text, value: value) }
    }
    // No event has two attributes with one key.
    if met == planned.required.count { return }
    var missing = planned.required
    attributes.forEach(of: event, in: tape) { key, _ in
      if let number = planned.properties.find(key) { missing.remove(number) }
    }
    for number in missing {
      report(.missing, String(decoding: planned.properties.texts[number], as: UTF8.self))
    }
  }

  private func found(_ node: Int, in tape: Tape) -> String {
    guard checking.showsValues else { return ValueTypes(of: tape[node]).names.joined() }
    var text = ByteBuffer()
    switch tape[node].kind {
    case .string: text.append(tape.bytes(at: node))
    case .date: Timestamp.append(milliseconds: tape[node].milliseconds, to: &text)
    default: CanonicalWriter.appendValue(node, of: tape, to: &text)
    }
    let length = Characters.wholeCharacters(text.view, atMost: TrackingFindings.longestExample)
    return text[0..<length].text + (length < text.count ? "…" : "")
  }
}

/// A plan in the form in which events are compared with it.
struct CompiledPlan: Sendable {
  struct Event: Sendable {
    fileprivate(set) var properties =
      ValuesByText<(property: TrackingPlan.Property, isRequired: Bool)>()
    fileprivate(set) var required: Set<Int> = []
    fileprivate(set) var isOpen = false
  }

  private(set) var events = ValuesByText<Event>()

  init(_ plan: TrackingPlan) {
    for (name, event) in plan.events.sortedByKeys {
      var compiled = Event()
      compiled.isOpen = event.isOpen
      for (key, property) in event.properties.sortedByKeys {
        let text = ByteBuffer(text: key)
        let isRequired = event.required.contains(key)
        let number = compiled.properties.number(of: text.view, orAdd: (property, isRequired))
        if isRequired { compiled.required.insert(number) }
      }
      let text = ByteBuffer(text: name)
      _ = events.number(of: text.view, orAdd: compiled)
    }
  }
}

extension TrackingPlan.Property {
  /// The difference of the value at `node` from the plan, or nil: of several the first of type,
  /// allowed values and bounds. Complexity: O(allowed values + items of the value).
  fileprivate func fault(of node: Int, in tape: Tape) -> TrackingFindings.Kind? {
    let value = tape[node]
    guard types.take(value, of: tape) else { return .wrongType }
    if value.kind == .array, items != .all {
      var isOfType = true
      tape.forEachItem(of: node) { item, _ in
        isOfType = isOfType && items.take(tape[item], of: tape)
      }
      if !isOfType { return .wrongType }
    }
    if let allowed, !allowed.contains(where: { $0.isEqual(to: value, of: tape) }) { return .value }
    if earliest != nil || latest != nil, let time = value.time(in: tape) {
      return time < earliest ?? .min || time > latest ?? .max ? .range : nil
    }
    guard least != nil || greatest != nil, let number = PlanNumber(value, of: tape) else {
      return nil
    }
    return least.map { number < $0 } ?? false || greatest.map { $0 < number } ?? false
      ? .range : nil
  }
}

extension AllowedValue {
  fileprivate func isEqual(to value: TapeEntry, of tape: Tape) -> Bool {
    switch self {
    case .bool(let isTrue): value.kind == (isTrue ? .true : .false)
    case .number(let number): PlanNumber(value, of: tape).map { $0 == number } ?? false
    case .text(let text):
      value.kind == .date
        ? text == Timestamp.text(value.milliseconds)
        : value.kind == .string && ByteView.with(text) { $0 == tape.bytes(value) }
    }
  }
}

extension TapeEntry {
  /// The time of a value of a key `date(…)`; nil for any other value.
  func time(in tape: Tape) -> Int? {
    switch kind {
    case .date: milliseconds
    case .string: Timestamp.parse(tape.bytes(self))
    default: nil
    }
  }
}

/// Walks the attributes of events in the form of canonical records. One lane at a time.
struct EventAttributes: ~Copyable {
  private var key = ByteBuffer(capacity: 64)

  /// Calls `body` with the key and the tape index of the value of each attribute of an accepted
  /// event, `$label` and `$tags` first. Complexity: O(attributes).
  mutating func forEach(
    of event: EventEntry, in tape: Tape, _ body: (_ key: ByteView, _ value: Int) -> Void
  ) {
    if event.label.exists { body("$label", event.label.index) }
    if event.tags.exists, CanonicalWriter.hasItems(event.tags.index, of: tape) {
      body("$tags", event.tags.index)
    }
    guard event.attributeCount > 0 else { return }
    var member = event.attributes.index + 1
    let end = Int(tape[event.attributes].next)
    while member < end {
      let entry = tape[member]
      if !entry.isDropped {
        key.removeAll()
        KeyName.append(entry, of: tape, to: &key)
        body(key.view, member + 1)
      }
      member = Int(entry.next)
    }
  }
}

/// Values by text; each text has a number in the order of insertion. A value type, for tables that
/// are copied, merged or passed from thread to thread.
struct ValuesByText<Value: Sendable>: Sendable {
  /// The numbers by the hashes of the texts; where one is taken, the next hash stands for it.
  private var numbers: [UInt64: Int] = [:]
  private(set) var texts: [[UInt8]] = []
  var values: [Value] = []

  var count: Int { texts.count }
  var all: [(text: String, value: Value)] {
    zip(texts, values).map { (String(decoding: $0, as: UTF8.self), $1) }
  }

  /// The number of `text`, or nil. Complexity: O(`text.count`) on average.
  func find(_ text: ByteView) -> Int? { place(of: text).number }

  /// The number of `text`; a new one gets `value`. Complexity: O(`text.count`) on average.
  mutating func number(of text: ByteView, orAdd value: @autoclosure () -> Value) -> Int {
    let (hash, number) = place(of: text)
    if let number { return number }
    numbers[hash] = count
    texts.append(text.array)
    values.append(value())
    return count - 1
  }

  private func place(of text: ByteView) -> (hash: UInt64, number: Int?) {
    var hash = TableHash.of(text)
    while let number = numbers[hash] {
      if text == texts[number] { return (hash, number) }
      hash &+= 1
    }
    return (hash, nil)
  }
}
