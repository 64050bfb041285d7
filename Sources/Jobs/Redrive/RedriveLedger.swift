package import Pipeline

/// Where every entry of the rejects went that were driven again.
///
/// As in ``Ledger``, the two sides come from different sources: `entries` from the one who cuts the
/// files into lines, its parts from those who drive them again.
package struct RedriveLedger: LaidOutCounts, Equatable, Sendable {
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

  /// The numbers as reports have them.
  package static let layout: [CountLayout<RedriveLedger>] = [
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

  /// Why the entries do not add up, in words, or nil.
  package var mismatch: String? {
    if entries == accepted + partial + rejected + kept + repeated + outside { return nil }
    return "\(entries) entries were read, but \(accepted) accepted, \(partial) accepted in part, "
      + "\(rejected) rejected, \(kept) kept, \(repeated) repeated ones and \(outside) outside of "
      + "--since and --until were counted"
  }
}
