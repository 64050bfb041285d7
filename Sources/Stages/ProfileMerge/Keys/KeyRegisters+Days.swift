import Pipeline

/// The days of a key, and those that its records of events do not imply.
extension KeyRegisters {
  /// Removes the days up to that of `mark`, in milliseconds since 1970.
  mutating func forgetDays(through mark: Int) { days.remove(through: mark) }

  /// Adds the days of settled events, after that of `mark`, if there is one.
  mutating func addDaysOfEvents(after mark: Int) {
    guard keepsDays else { return }
    let earliest = DaySet.earliest(after: mark)
    for row in events { days.insert(row.register.seen, from: earliest) }
  }

  /// Calls `body` with the record of the days that settled events do not imply, if there are any.
  mutating func forOtherDays(_ body: (Mutation) -> Void) {
    if days.isEmpty || !keepsDays { return }
    // Most keys, and most nights, have one day.
    if let first = events.first?.register.seen, days.isOnly(first.first) { return }
    toldDays.removeAll()
    for row in events { toldDays.insert(row.register.seen) }
    otherDays.set(to: days, without: toldDays)
    if !otherDays.isEmpty { forRecord(.days, of: otherDays, body) }
  }

  /// Calls `body` with the record of all days, as those of a profile.
  mutating func forProfileDays(_ body: (Mutation) -> Void) {
    forRecord(.profileDays, of: days, body)
  }

  private mutating func forRecord(
    _ kind: Mutation.Kind, of days: DaySet, _ body: (Mutation) -> Void
  ) {
    scratch.removeAll()
    days.appendGaps(to: &scratch)
    body(Mutation(kind, days, gaps: scratch.view))
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
      case .event, .register: days.insert(record.eventRegister.seen, from: earliest)
      case .days: days.insert(record.time, record.value, from: earliest)
      case .profileDays:
        days.removeAll()
        return days.insert(record.time, record.value)
      default: break
      }
    }
  }
}
