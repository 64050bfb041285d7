package import Pipeline
package import Stages

/// What commands show of the report of a run.
extension RunReport {
  /// Ledgers, reasons, losses.
  package var facts: TallyFacts { ingest.tally }
  /// The sum of all ledgers.
  package var ledger: Ledger { ingest.total }
  /// Whether there is an output; else there are only rejects and reports.
  package var isPublished: Bool { snapshot != nil }
  /// Profiles published, and event names counted.
  package var profiles: Int { snapshot?.profiles ?? 0 }
  package var eventNames: Int { snapshot?.eventNames ?? 0 }
  /// Inputs that were read.
  package var inputs: Int { ingest.outcomes.count }
  /// Inputs that were skipped, and under which name their content was read.
  package var skipped: [RepeatedInput] {
    selection.alreadyRead.map { RepeatedInput(path: $0.path, first: $0.earlier) }
  }
  package var alreadyRead: Int { skipped.count }
  /// Number of inputs that have grown: only their new lines were read.
  package var grownInputs: Int { ingest.outcomes.count { $0.file.start != nil } }
  /// Logs of a night that have lost what an earlier one has read under their name.
  package var changedInputs: [String] { selection.changed.map(\.path) }
  /// Inputs that begin with what an earlier night has read under another name.
  package var overlapping: [RepeatedInput] { selection.overlapping }
  /// Inputs that could not be read to their end (`--keep-going`).
  package var lost: [Failure] { ingest.outcomes.compactMap(\.lost) }
  /// Bytes of the inputs on disk, and decompressed.
  package var inputBytes: Int { ingest.outcomes.compressedBytes }
  package var bytes: Int { ingest.outcomes.decompressedBytes }
  /// The stage with the most work, and its share of the work of all stages, from 0 to 1.
  package var slowestStage: (name: String, share: Double)? { stages.slowest }
  /// The outcome of each request for erasure.
  package var erased: [ErasureOutcome] {
    snapshot.map { requests?.outcomes($0, facts.suppressed) ?? [] } ?? []
  }
  /// When those without a time were carried out, in milliseconds since 1970; nil where that does
  /// not matter.
  package var erasedAt: Int? {
    requests?.erasures.needsMoment ?? false ? options.merge.moment : nil
  }
  /// Differences from the tracking plan, if there is one.
  package var tracking: TrackingCheck? { ingest.tracking }
}

// MARK: - Activity

extension ReadDays.FarEvents {
  /// A sentence for each kind that there is, without a full stop.
  package var sentences: [String] {
    [
      (ahead, "\(NumberFormat.count(ReadDays.mostDaysAhead, "day")) after the newest day"),
      (behind, "\(NumberFormat.count(ReadDays.mostDaysBehind, "day")) before the busiest day"),
    ].compactMap { count, bound in
      if count == 0 { return nil }
      return "\(NumberFormat.count(count, "event is", "events are")) more than \(bound)"
    }
  }
}

extension RunReport {
  /// The events over the time that the page shows, in at most `most` columns without a gap; all
  /// columns have the same length, at least an hour.
  package func activity(atMost most: Int) -> [TimeBin] {
    TimeBin.cover(ingest.activity.shownHours, atMost: most)
  }
}
