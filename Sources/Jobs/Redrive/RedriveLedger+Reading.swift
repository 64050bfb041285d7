import Pipeline

extension RedriveLedger {
  /// Reads what ``write(_:to:)`` wrote; nil when a number is missing.
  init?(_ object: JSONValue) {
    self.init()
    func number(_ part: StaticString, _ member: StaticString) -> Int? {
      object[part]?[member]?.int.flatMap { 0...Ledger.greatest ~= $0 ? $0 : nil }
    }
    guard let entries = number("entries", "total"), let accepted = number("entries", "accepted"),
      let partial = number("entries", "partial"), let rejected = number("entries", "rejected"),
      let kept = number("entries", "kept"), let repeated = number("entries", "repeated"),
      let acceptedEvents = number("events", "accepted"),
      let rejectedEvents = number("events", "rejected"),
      let appliedOperations = number("operations", "applied"),
      let refusedOperations = number("operations", "refused"),
      let remaining = object["remaining_entries"]?.int, 0...Ledger.greatest ~= remaining
    else { return nil }
    (self.entries, self.accepted, self.partial) = (entries, accepted, partial)
    (self.rejected, self.kept, self.repeated) = (rejected, kept, repeated)
    (self.acceptedEvents, self.rejectedEvents) = (acceptedEvents, rejectedEvents)
    (self.appliedOperations, self.refusedOperations) = (appliedOperations, refusedOperations)
    self.remaining = remaining
    // Outputs of earlier versions have none.
    outside = number("entries", "outside") ?? 0
    outsideEvents = number("events", "outside") ?? 0
  }
}
