package import Pipeline

/// What the command line says at the end of a run.
package struct RunSummary: Sendable {
  /// When, where and how the run was.
  package let stamp: RunStamp
  /// What is different from the night before; nil when there was none.
  package let comparison: NightComparison?
  /// Ledgers, reasons, losses.
  package let facts: TallyFacts
  /// Whether there is an output; else there are only rejects and reports.
  package let isPublished: Bool
  /// Profiles published.
  package let profiles: Int
  /// Event names counted.
  package let eventNames: Int
  /// Inputs that were read, those of an earlier run that died included.
  package let inputs: Int
  /// Inputs that an earlier run had read, which died (`--resume`).
  package let resumedInputs: Int
  /// Inputs that were not read, because earlier nights had.
  package let alreadyRead: Int
  /// Inputs with the content of another one of this run.
  package let repeatedInputs: [RepeatedInput]
  /// What was no input, in the directories that were named.
  package let ignoredFiles: IgnoredFiles
  /// Inputs that could not be read to their end (`--keep-going`).
  package let lost: [Failure]
  /// Wall-clock seconds.
  package let seconds: Double
  /// Bytes of the inputs as they lie on disk.
  package let inputBytes: Int
  /// Decompressed bytes read.
  package let bytes: Int
  /// Bytes of the files that the manifest lists; of the rejects alone when nothing was published.
  package let outputBytes: Int
  /// The times of all stages, in the order of the flow.
  package let stages: [StageTime]
  /// The stage with the most work, and its share of the work of all stages, from 0 to 1.
  package let slowestStage: (name: String, share: Double)?
  /// What went wrong after the output was published: an earlier output that could not be removed.
  package let warning: Failure?
  /// Where events differ from the tracking plan, if there is one.
  package var tracking: TrackingCheck?

  /// The sum of all ledgers.
  package var ledger: Ledger { facts.total }
}

extension RunReport {
  /// The run in short; `warning` is what went wrong after the output was published.
  func summary(warning: Failure?) -> RunSummary {
    RunSummary(
      stamp: stamp, comparison: comparison, facts: merge.tally, isPublished: snapshot != nil,
      profiles: snapshot?.profiles ?? 0, eventNames: snapshot?.eventNames ?? 0,
      inputs: merge.outcomes.count, resumedInputs: merge.resumed.count,
      alreadyRead: selection.alreadyRead.count,
      repeatedInputs: repeated, ignoredFiles: ignoredFiles,
      lost: merge.outcomes.compactMap(\.lost), seconds: clock.seconds,
      inputBytes: merge.outcomes.compressedBytes, bytes: merge.outcomes.decompressedBytes,
      outputBytes: outputBytes, stages: stages,
      slowestStage: stages.slowest, warning: warning, tracking: merge.tracking)
  }
}
