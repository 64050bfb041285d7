import Pipeline
import Stages

/// Counts attributes of accepted events, for `tracking infer`. One stage object per lane.
final class TrackingInferStage: Stage {
  static let name = "tracking"

  private let tally: Locked<TrackingTally>
  private var attributes = EventAttributes()

  /// A stage that adds to `tally`, which belongs to this lane.
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

  /// A stage that adds to `findings`, which belong to this lane.
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
    func report(
      _ kind: TrackingFindings.Kind, _ attribute: String? = nil, value: Int? = nil
    ) {
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

  /// The value in a finding, or its type.
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
    /// Numbers of the required properties.
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
