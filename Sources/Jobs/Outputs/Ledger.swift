package import Pipeline

/// Where every line, event and operation went (`docs/data-model.md`).
///
/// The two sides of each equation come from different places, so that a mistake shows: `lines` from
/// the one who cuts the input, its parts from what became of each line; `events` and `operations`
/// from the reader, their parts from the validator's outcomes and the shards' duplicates.
/// `accepted` is also compared with the counters per event name.
package struct Ledger: LaidOutCounts, Equatable, Sendable {
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
  /// Valid events that were withheld because of an erasure or an opt-out.
  package var suppressed = 0
  /// Valid events before `--since`, or at `--until` or later.
  package var outside = 0
  /// Operations in the records, one per key and one per clear.
  package var operations = 0
  /// Valid ones, those that were withheld among them.
  package var applied = 0
  package var refused = 0

  /// The numbers as reports have them; `outside` in those of runs with `--since` or `--until`.
  package static let layout: [CountLayout<Ledger>] = [
    .group(
      "lines",
      [
        .count("total", \.lines), .count("blank", \.blank), .count("records", \.records),
        .count("rejected_lines", \.rejectedLines),
      ]),
    .group(
      "events",
      [
        .count("total", \.events), .count("accepted", \.accepted), .count("rejected", \.rejected),
        .count("duplicates", \.duplicates), .count("suppressed", \.suppressed),
        .optional("outside", \.outside),
      ]),
    .group(
      "operations",
      [
        .count("total", \.operations), .count("applied", \.applied), .count("refused", \.refused),
      ]),
  ]

  package init() {}

  /// The first equation that does not hold, in words, or nil.
  package var mismatch: String? {
    if lines != blank + records + rejectedLines {
      return "\(lines) lines were read, but \(blank) blank, \(records) records and "
        + "\(rejectedLines) rejected lines were counted"
    }
    if events != accepted + rejected + duplicates + suppressed + outside {
      return "\(events) events were read, but \(accepted) accepted, \(rejected) rejected, "
        + "\(duplicates) duplicates, \(suppressed) suppressed ones and \(outside) outside of "
        + "--since and --until were counted"
    }
    if operations != applied + refused {
      return "\(operations) operations were read, but \(applied) applied and \(refused) refused "
        + "ones were counted"
    }
    return nil
  }
}
