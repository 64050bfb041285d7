package import Pipeline
import Stages

/// What the command shows of it.
extension ArchiveReport {
  /// One input.
  package struct Input: Sendable {
    /// The path as found.
    package let path: String
    /// The path of its log in the archive, and notices about it.
    package let target: ArchivePlan.Target
    package let ledger: Ledger
    /// Why it could not be read to its end (`--keep-going`).
    package let lost: Failure?
  }

  /// The inputs, in the order of their paths.
  package var inputs: [Input] { Self.inputs(ingest.outcomes, ingest.ledgers, targets) }
  /// Ledgers, reasons and losses.
  package var facts: TallyFacts { ingest.tally }
  /// Inputs that an earlier, interrupted migration had finished (`--resume`).
  package var resumedInputs: Int { ingest.resumed.count }
  /// Bytes of JSON that were read, and of the inputs on disk.
  package var bytes: Int { ingest.outcomes.decompressedBytes }
  package var inputBytes: Int { ingest.outcomes.compressedBytes }
  /// Bytes and lines of the logs written.
  package var outputBytes: Int { logs.reduce(0) { $0 + $1.bytes } }
  package var outputLines: Int { logs.reduce(0) { $0 + $1.lines } }
  /// Inputs that could not be read to their end.
  package var lost: [Failure] { ingest.outcomes.compactMap(\.lost) }

  /// The inputs with their `outcomes`, ledgers and targets.
  static func inputs(
    _ outcomes: [InputOutcome], _ ledgers: [Ledger], _ targets: [ArchivePlan.Target]
  ) -> [Input] {
    outcomes.indices.map { index in
      Input(
        path: outcomes[index].file.path, target: targets[index], ledger: ledgers[index],
        lost: outcomes[index].lost)
    }
  }
}
