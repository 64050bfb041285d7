package import Pipeline

/// The accounting of every reprocessed entry.
///
/// As in ``Ledger``, the two sides come from different sources: `entries` from the line reader, its
/// parts from the stages.
package struct RedriveLedger: Document, Equatable, Sendable {
  /// Entries read, without blank lines.
  package var entries = 0
  package var accepted = 0
  /// Entries about whole lines some of whose parts were accepted.
  package var partial = 0
  package var rejected = 0
  /// Entries that cannot be reprocessed, and were kept unchanged.
  package var kept = 0
  /// Entries about parts that earlier entries had named.
  package var repeated = 0
  /// Entries that only contain events outside of `--since` and `--until`.
  package var outside = 0
  /// Events that were accepted, and that were rejected again.
  package var acceptedEvents = 0
  package var rejectedEvents = 0
  /// Events that are valid now, and outside of `--since` and `--until`.
  package var outsideEvents = 0
  package var appliedOperations = 0
  package var refusedOperations = 0
  /// Entries written: those rejected again, and those kept.
  package var remaining = 0

  package static let fields: [Field<RedriveLedger>] = [
    .group(
      "entries",
      [
        .count("total", \.entries), .count("accepted", \.accepted), .count("partial", \.partial),
        .count("rejected", \.rejected), .count("kept", \.kept), .count("repeated", \.repeated),
        .count("outside", \.outside),
      ]),
    .group(
      "events",
      [
        .count("accepted", \.acceptedEvents), .count("rejected", \.rejectedEvents),
        .count("outside", \.outsideEvents),
      ]),
    .group(
      "operations",
      [.count("applied", \.appliedOperations), .count("refused", \.refusedOperations)]),
    .count("remaining_entries", \.remaining),
  ]

  package init() {}

  /// The reason that the entries do not balance, or nil.
  package var mismatch: String? {
    if entries == accepted + partial + rejected + kept + repeated + outside { return nil }
    return
      "\(NumberFormat.count(entries, "entry was", "entries were")) read, but \(accepted) accepted, \(partial) accepted in part, "
      + "\(rejected) rejected, \(kept) kept, \(repeated) repeated ones and \(outside) outside of "
      + "--since and --until were counted"
  }
}
