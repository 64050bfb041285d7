import Pipeline

extension Ledger {
  /// The greatest number in a ledger that is believed: sums over as many inputs as a report has room
  /// for (``JSONDocument/longest``) fit 64 bits.
  private static let greatest = 1 << 39

  /// Reads what ``write(_:to:)`` wrote; nil when a number is missing.
  init?(_ object: JSONValue) {
    self.init()
    func number(_ part: StaticString, _ member: StaticString) -> Int? {
      guard let number = object[part]?[member]?.int, 0...Ledger.greatest ~= number else {
        return nil
      }
      return number
    }
    guard let lines = number("lines", "total"), let blank = number("lines", "blank"),
      let records = number("lines", "records"),
      let rejectedLines = number("lines", "rejected_lines"),
      let events = number("events", "total"), let accepted = number("events", "accepted"),
      let rejected = number("events", "rejected"),
      let duplicates = number("events", "duplicates"),
      let suppressed = number("events", "suppressed"),
      let operations = number("operations", "total"),
      let applied = number("operations", "applied"), let refused = number("operations", "refused")
    else { return nil }
    self.lines = lines
    self.blank = blank
    self.records = records
    self.rejectedLines = rejectedLines
    self.events = events
    self.accepted = accepted
    self.rejected = rejected
    self.duplicates = duplicates
    self.suppressed = suppressed
    self.operations = operations
    self.applied = applied
    self.refused = refused
  }
}
