package import Pipeline

/// What a run adds to a key, for its report: new events, and people linked to an installation. Not
/// part of a state.
///
/// ```
/// events of all sources − duplicates − those that states had counted = new events
/// ```
/// A source without an earlier state in it has only links of this run, so that records of their
/// people are needed only if there are several (``KeyRegisters/gather(_:order:from:)``).
extension KeyRegisters {
  /// Declares that all events gathered so far were counted in an earlier state.
  mutating func endEarlierEvents() { earlierEvents = gatheredEventCount }

  /// The number of events that no earlier state has counted, of settled rows.
  var newEvents: Int { events.reduce(0) { $0 + $1.register.count } - earlierEvents }

  /// Calls `body` with the records for other sources of the run, which precede all others.
  func forEachRunRecord(_ body: (Mutation) -> Void) {
    if earlierStates > 0 { body(Mutation(earlierEvents: earlierEvents)) }
    for person in people { body(Mutation(linked: person)) }
  }

  /// The records of the state of an earlier run, behind that of their events; they are in `bytes`.
  package static func copy(earlier records: ByteView, to bytes: inout ByteBuffer) {
    var count = 0
    var offset = 0
    while let record = Mutation(records, at: &offset) {
      if record.isOfEvents { count += record.eventRegister.count }
    }
    bytes.removeAll()
    Mutation(earlierEvents: count).append(to: &bytes)
    bytes.append(records)
  }
}
