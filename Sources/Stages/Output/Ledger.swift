/// Where every line, event and operation went (SPEC 9.1).
///
/// The two sides of each equation come from different places, so that a mistake shows: `lines` from
/// the one who cuts the input, its parts from what became of each line; `events` and `operations`
/// from the reader, their parts from the validator's outcomes and the shards' duplicates. `accepted`
/// is also compared with the counters per event name.
package struct Ledger: Equatable, Sendable {
  /// Lines read, by the count of the block source.
  package var lines = 0
  package var blank = 0
  package var records = 0
  package var rejectedLines = 0
  /// Events in the records.
  package var events = 0
  package var accepted = 0
  package var rejected = 0
  package var duplicates = 0
  /// Valid events that were kept back, because of an erasure or an opt-out (DIALECTS 1.3).
  package var suppressed = 0
  /// Operations in the records, one per key and one per clear.
  package var operations = 0
  /// Valid ones, those that were kept back among them.
  package var applied = 0
  package var refused = 0

  package init() {}

  /// Adds the numbers of another input.
  package mutating func add(_ other: Ledger) {
    lines += other.lines
    blank += other.blank
    records += other.records
    rejectedLines += other.rejectedLines
    events += other.events
    accepted += other.accepted
    rejected += other.rejected
    duplicates += other.duplicates
    suppressed += other.suppressed
    operations += other.operations
    applied += other.applied
    refused += other.refused
  }

  /// The first equation that does not hold, in words, or nil.
  package var mismatch: String? {
    if lines != blank + records + rejectedLines {
      return "\(lines) lines were read, but \(blank) blank, \(records) records and "
        + "\(rejectedLines) rejected lines were counted"
    }
    if events != accepted + rejected + duplicates + suppressed {
      return "\(events) events were read, but \(accepted) accepted, \(rejected) rejected, "
        + "\(duplicates) duplicates and \(suppressed) suppressed ones were counted"
    }
    if operations != applied + refused {
      return "\(operations) operations were read, but \(applied) applied and \(refused) refused "
        + "ones were counted"
    }
    return nil
  }
}
