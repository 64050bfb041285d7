package import Pipeline
import Stages

/// What the command line says at the end of a migration.
package struct MigrateSummary: Sendable {
  /// One input.
  package struct Input: Sendable {
    /// As it was found.
    package let path: String
    /// Where its log stands in the archive.
    package let output: String
    /// Whether its whole file name was kept, because others would have gone to the same path.
    package let isRenamed: Bool
    /// Whether its folders were left out, because they lead out of the current directory.
    package let isPlaced: Bool
    /// Where it really lies, when a link leads to it out of the directory that was named.
    package let outside: String?
    package let ledger: Ledger
    /// Why it could not be read to its end (`--keep-going`).
    package let lost: Failure?
  }

  /// The inputs, in the order of their paths.
  package let inputs: [Input]
  /// What was no input, in the directories that were named.
  package let ignoredFiles: IgnoredFiles
  /// Ledgers, reasons and losses.
  package let facts: TallyFacts
  /// Inputs that an earlier migration had finished, which died (`--resume`).
  package let resumedInputs: Int
  /// Wall-clock seconds.
  package let seconds: Double
  /// Bytes of JSON that were read.
  package let bytes: Int
  /// Bytes of the inputs as they lie on disk.
  package let inputBytes: Int
  /// Bytes of the logs that were written.
  package let outputBytes: Int
  /// Lines of the logs that were written.
  package let outputLines: Int
  /// The stage with the most work, and its share of the work of all stages, from 0 to 1.
  package let slowestStage: (name: String, share: Double)?
  /// What was proven before the archive was published (`--verify`).
  package var proof: ProvenArchive?
  /// What went wrong after the archive was published.
  package var warning: Failure?

  /// Inputs that could not be read to their end.
  package var lost: [Failure] { inputs.compactMap(\.lost) }
}

extension ArchiveReport {
  /// The migration in short.
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
  /// The inputs that were read as `outcomes` say, with their ledgers and targets.
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
