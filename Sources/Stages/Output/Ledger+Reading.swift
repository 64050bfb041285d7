import Pipeline

extension Ledger {
  /// The greatest number in a ledger that is believed: sums over as many inputs as a report has room
  /// for (``JSONDocument/longest``) fit 64 bits.
  static let greatest = 1 << 39

  /// Reads what ``write(_:to:)`` wrote: `count` gives the number that is the member of a group.
  ///
  /// - Throws: what `count` throws, for the first number that is none.
  init<Damage: Error>(
    reading count: (_ group: StaticString, _ member: StaticString) throws(Damage) -> Int
  ) throws(Damage) {
    self.init()
    lines = try count("lines", "total")
    blank = try count("lines", "blank")
    records = try count("lines", "records")
    rejectedLines = try count("lines", "rejected_lines")
    events = try count("events", "total")
    accepted = try count("events", "accepted")
    rejected = try count("events", "rejected")
    duplicates = try count("events", "duplicates")
    suppressed = try count("events", "suppressed")
    operations = try count("operations", "total")
    applied = try count("operations", "applied")
    refused = try count("operations", "refused")
  }

  /// Reads what ``write(_:to:)`` wrote; nil when a number is missing.
  init?(_ object: JSONValue) {
    do throws(MissingCount) {
      try self.init(reading: { group, member throws(MissingCount) in
        guard let number = object[group]?[member]?.int, 0...Ledger.greatest ~= number else {
          throw MissingCount()
        }
        return number
      })
    } catch {
      return nil
    }
  }

  /// A ledger lacks a number, or has one that cannot be.
  private struct MissingCount: Error {}
}
