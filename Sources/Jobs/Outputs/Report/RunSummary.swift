package import Pipeline
package import Stages

/// The summary of a run.
package struct RunSummary: Sendable {
  /// When, where and how the run was made.
  package let stamp: RunStamp
  /// The differences from the night before; nil without one.
  package let comparison: NightComparison?
  /// Ledgers, reasons, losses.
  package let facts: TallyFacts
  /// Whether there is an output; else there are only rejects and reports.
  package let isPublished: Bool
  /// Profiles published.
  package let profiles: Int
  /// Event names counted.
  package let eventNames: Int
  /// Inputs that were read, including those of an earlier, interrupted run.
  package let inputs: Int
  /// Inputs that an earlier, interrupted run had read (`--resume`).
  package let resumedInputs: Int
  /// Inputs that were skipped, and under which name their content was read.
  package let skipped: [RepeatedInput]
  /// Number of inputs that have grown: only their new lines were read.
  package let grownInputs: Int
  /// Logs of a night that have lost what an earlier one has read under their name.
  package let changedInputs: [String]
  /// Inputs that begin with what an earlier night has read under another name.
  package let overlapping: [RepeatedInput]
  /// Inputs that were read although another one has their content (`--reingest`).
  package let repeatedInputs: [RepeatedInput]
  /// Files in the named directories that are not inputs.
  package let ignoredFiles: IgnoredFiles
  /// Inputs that could not be read to their end (`--keep-going`).
  package let lost: [Failure]
  /// Wall-clock seconds.
  package let seconds: Double
  /// Bytes of the inputs on disk.
  package let inputBytes: Int
  /// Decompressed bytes read.
  package let bytes: Int
  /// Bytes of the files that the manifest lists; of the rejects alone when nothing was published.
  package let outputBytes: Int
  /// The times of all stages, in flow order.
  package let stages: [StageTime]
  /// The stage with the most work, and its share of the work of all stages, from 0 to 1.
  package let slowestStage: (name: String, share: Double)?
  /// Events that are far from the others, probably by wrong clocks.
  package let farEvents: ReadDays.FarEvents
  /// The events of each hour, in order, without those.
  let hours: [HourCounts.Hour]
  /// The outcome of each request for erasure.
  package let erasures: [ErasureOutcome]
  /// When those without a time were carried out, in milliseconds since 1970; nil where that does
  /// not matter.
  package let erasedAt: Int?
  /// A problem after the output was published: an earlier output that could not be removed.
  package let warning: Failure?
  /// Differences from the tracking plan, if there is one.
  package var tracking: TrackingCheck?

  /// Number of inputs that were skipped.
  package var alreadyRead: Int { skipped.count }
  /// The sum of all ledgers.
  package var ledger: Ledger { facts.total }
}

extension RunReport {
  /// The summary of the run; `warning` is a problem after the output was published.
  func summary(warning: Failure?) -> RunSummary {
    RunSummary(
      stamp: stamp, comparison: comparison, facts: merge.tally, isPublished: snapshot != nil,
      profiles: snapshot?.profiles ?? 0, eventNames: snapshot?.eventNames ?? 0,
      inputs: merge.outcomes.count, resumedInputs: merge.resumed.count,
      skipped: selection.alreadyRead.map { RepeatedInput(path: $0.path, first: $0.earlier) },
      grownInputs: merge.outcomes.count { $0.file.start != nil },
      changedInputs: selection.changed.map(\.path), overlapping: selection.overlapping,
      repeatedInputs: repeated, ignoredFiles: ignoredFiles,
      lost: merge.outcomes.compactMap(\.lost), seconds: clock.seconds,
      inputBytes: merge.outcomes.compressedBytes, bytes: merge.outcomes.decompressedBytes,
      outputBytes: outputBytes, stages: stages,
      slowestStage: stages.slowest, farEvents: farEvents, hours: merge.activity.likelyHours,
      erasures: snapshot.map { requests?.outcomes($0, merge.tally.suppressed) ?? [] } ?? [],
      erasedAt: requests?.erasures.needsMoment ?? false ? options.merge.moment : nil,
      warning: warning,
      tracking: merge.tracking)
  }
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

extension RunSummary {
  /// Events over time.
  package struct Activity: Sendable, Equatable {
    /// When the first column begins, in milliseconds since 1970, and the last one ends.
    package let start: Int
    package let end: Int
    /// Events of each column; all columns have the same length, at least an hour.
    package let counts: [Int]
  }

  /// The events over time, in at most `most` columns; nil without events.
  package func activity(atMost most: Int) -> Activity? { Activity(hours, atMost: most) }
}

extension RunSummary.Activity {
  /// One in this many events may be omitted at either end, so that a wrong clock does not squeeze
  /// all others into one column.
  private static let rare = 200

  init?(_ hours: [HourCounts.Hour], atMost most: Int) {
    let few = hours.reduce(0) { $0 + $1.events } / Self.rare
    var shown = hours[...]
    var left = few
    while let first = shown.first, first.events <= left {
      left -= first.events
      shown.removeFirst()
    }
    left = few
    while let last = shown.last, last.events <= left {
      left -= last.events
      shown.removeLast()
    }
    let bins = TimeBin.cover(Array(shown), atMost: most)
    guard let first = bins.first, let last = bins.last else { return nil }
    self.init(start: first.start, end: last.end, counts: bins.map(\.events))
  }
}
