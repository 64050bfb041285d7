package import Pipeline
import Stages

/// The summary of a migration.
package struct MigrateSummary: Sendable {
  /// One input.
  package struct Input: Sendable {
    /// The path as found.
    package let path: String
    /// The path of its log in the archive.
    package let output: String
    /// Whether its whole file name was kept, because of a conflict.
    package let isRenamed: Bool
    /// Whether its folders were dropped, because they lead out of the current directory.
    package let isPlaced: Bool
    /// Its real path, when a link leads out of the named directory.
    package let outside: String?
    package let ledger: Ledger
    /// Why it could not be read to its end (`--keep-going`).
    package let lost: Failure?
  }

  /// The inputs, in the order of their paths.
  package let inputs: [Input]
  /// Files in the named directories that are not inputs.
  package let ignoredFiles: IgnoredFiles
  /// Ledgers, reasons and losses.
  package let facts: TallyFacts
  /// Inputs that an earlier, interrupted migration had finished (`--resume`).
  package let resumedInputs: Int
  /// Wall-clock seconds.
  package let seconds: Double
  /// Bytes of JSON that were read.
  package let bytes: Int
  /// Bytes of the inputs on disk.
  package let inputBytes: Int
  /// Bytes of the logs written.
  package let outputBytes: Int
  /// Lines of the logs written.
  package let outputLines: Int
  /// The stage with the most work, and its share of the work of all stages, from 0 to 1.
  package let slowestStage: (name: String, share: Double)?
  /// What was proven before the archive was published (`--verify`).
  package var proof: ProvenArchive?
  /// A problem after the archive was published.
  package var warning: Failure?

  /// Inputs that could not be read to their end.
  package var lost: [Failure] { inputs.compactMap(\.lost) }
}

extension ArchiveReport {
  /// The summary of the migration.
  var summary: MigrateSummary {
    MigrateSummary(
      inputs: MigrateSummary.inputs(ingest.outcomes, ingest.ledgers, targets),
      ignoredFiles: ignoredFiles, facts: ingest.tally,
      resumedInputs: ingest.resumed.count, seconds: clock.seconds,
      bytes: ingest.outcomes.decompressedBytes,
      inputBytes: ingest.outcomes.compressedBytes,
      outputBytes: logs.reduce(0) { $0 + $1.bytes },
      outputLines: logs.reduce(0) { $0 + $1.lines }, slowestStage: stages.slowest)
  }
}

extension MigrateSummary {
  /// The inputs with their `outcomes`, ledgers and targets.
  static func inputs(
    _ outcomes: [InputOutcome], _ ledgers: [Ledger], _ targets: [ArchivePlan.Target]
  ) -> [Input] {
    outcomes.indices.map { index in
      let target = targets[index]
      return Input(
        path: outcomes[index].file.path, output: target.path, isRenamed: target.isRenamed,
        isPlaced: target.isPlaced, outside: target.outside, ledger: ledgers[index],
        lost: outcomes[index].lost)
    }
  }
}
