package import Pipeline

/// Where every entry of the rejects went that were driven again.
///
/// As in ``Ledger``, the two sides come from different places: `entries` from the one who cuts the
/// files into lines, its parts from those who drive them again.
package struct RedriveLedger: Equatable, Sendable {
  /// Entries read, without blank lines.
  package var entries = 0
  /// Entries of which everything was taken now.
  package var accepted = 0
  /// Entries about whole lines of which some parts were taken now.
  package var partial = 0
  /// Entries of which nothing was taken.
  package var rejected = 0
  /// Entries that cannot be driven again, and were kept as they are.
  package var kept = 0
  /// Entries about parts that the entries before them had named.
  package var repeated = 0
  /// Entries about nothing but events outside of `--since` and `--until`.
  package var outside = 0
  /// Events that were taken, and that were rejected again.
  package var acceptedEvents = 0
  package var rejectedEvents = 0
  /// Events that are valid now, and outside of `--since` and `--until`.
  package var outsideEvents = 0
  /// Operations that were taken, and that were refused again.
  package var appliedOperations = 0
  package var refusedOperations = 0
  /// Entries written: those rejected again, and those kept.
  package var remaining = 0

  package init() {}

  /// Adds the numbers of another block.
  package mutating func add(_ other: RedriveLedger) {
    entries += other.entries
    accepted += other.accepted
    partial += other.partial
    rejected += other.rejected
    kept += other.kept
    repeated += other.repeated
    outside += other.outside
    acceptedEvents += other.acceptedEvents
    rejectedEvents += other.rejectedEvents
    outsideEvents += other.outsideEvents
    appliedOperations += other.appliedOperations
    refusedOperations += other.refusedOperations
    remaining += other.remaining
  }

  /// Why the entries do not add up, in words, or nil.
  package var mismatch: String? {
    if entries == accepted + partial + rejected + kept + repeated + outside { return nil }
    return "\(entries) entries were read, but \(accepted) accepted, \(partial) accepted in part, "
      + "\(rejected) rejected, \(kept) kept, \(repeated) repeated ones and \(outside) outside of "
      + "--since and --until were counted"
  }

  /// Writes the ledger as a member of the object that is open.
  package func write(_ key: StaticString, to json: inout JSONWriter) {
    json.object(key) { json in
      json.object("entries") { json in
        json.member("total", entries)
        json.member("accepted", accepted)
        json.member("partial", partial)
        json.member("rejected", rejected)
        json.member("kept", kept)
        json.member("repeated", repeated)
        json.member("outside", outside)
      }
      json.object("events") { json in
        json.member("accepted", acceptedEvents)
        json.member("rejected", rejectedEvents)
        json.member("outside", outsideEvents)
      }
      json.object("operations") { json in
        json.member("applied", appliedOperations)
        json.member("refused", refusedOperations)
      }
      json.member("remaining_entries", remaining)
    }
  }
}
