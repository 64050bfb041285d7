package import Pipeline
import Stages

/// The result of a migration, for dashboards and people: `report.json` and `report.html` of an
/// archive. The outputs that differ from run to run.
package struct ArchiveReport: Sendable {
  let options: RunOptions
  /// Ledgers, reasons, losses, and what was read, in the order of the inputs.
  let ingest: IngestOutcome
  let targets: [ArchivePlan.Target]
  /// Files in the named directories that are not inputs.
  package let ignoredFiles: IgnoredFiles
  /// The logs that were written, in the order of the inputs.
  var logs: [WrittenFile]
  let clock: StopWatch
  /// When, where and how the migration ran.
  private(set) var stamp: RunStamp
  /// The manifest of the archive, with the hash of every log.
  var manifest: WrittenFile?
  /// The reason that nothing was published; nil if it was.
  var refusal: String?
  /// What was proven about the archive (`--verify`).
  package var proof: ProvenArchive?
  /// Wall-clock seconds, without those of the proof.
  package var seconds = 0.0
  /// A problem after the archive was published.
  package var warning: Failure?

  /// The stages of the migration, in flow order.
  var stages: [StageTime] { ingest.times.stages }

  /// Ends the migration, and writes `report.json`.
  mutating func write(to staging: StagedDirectory) throws(Failure) {
    stamp.end(clock)
    try staging.folder.write(json, to: RunFiles.report)
  }

  /// Writes `report.html`, including the proof.
  func writePage(to staging: StagedDirectory) throws(Failure) {
    try staging.folder.write(page, to: RunFiles.page)
  }

  private var json: ByteBuffer {
    let inputs = ingest.outcomes.enumerated().map { index, outcome in
      ReportInput(
        path: outcome.file.path, outcome: outcome, log: (logs[index], targets[index]),
        isResumed: ingest.resumed.contains(outcome.file.path), ledger: ingest.ledgers[index],
        dialects: ingest.tally.dialects.named(ofInput: index))
    }
    return reported(inputs).text
  }
}

extension ArchivePlan.Target {
  /// Writes the notices as fields of the open object.
  package func write(to json: inout JSONWriter) {
    if isRenamed { json.member("renamed", true) }
    if isPlaced { json.member("placed", true) }
    if let outside { json.member("outside_of_directory", outside) }
  }
}

/// What the command shows of it.
extension ArchiveReport {
  package struct Input: Sendable {
    package let path: String
    /// The path of its log in the archive, and notices about it.
    package let target: ArchivePlan.Target
    package let ledger: Ledger
    /// Why it could not be read to its end (`--keep-going`).
    package let lost: Failure?
  }

  package var inputs: [Input] { Self.inputs(ingest.outcomes, ingest.ledgers, targets) }
  /// Ledgers, reasons and losses.
  package var facts: TallyFacts { ingest.tally }
  /// Inputs that an earlier, interrupted migration had finished (`--resume`).
  package var resumedInputs: Int { ingest.resumed.count }
  /// Bytes of JSON that were read, and of the inputs on disk.
  package var bytes: Int { ingest.outcomes.decompressedBytes }
  package var inputBytes: Int { ingest.outcomes.compressedBytes }
  package var outputBytes: Int { logs.reduce(0) { $0 + $1.bytes } }
  package var outputLines: Int { logs.reduce(0) { $0 + $1.lines } }
  /// Inputs that could not be read to their end.
  package var lost: [Failure] { ingest.outcomes.compactMap(\.lost) }

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
