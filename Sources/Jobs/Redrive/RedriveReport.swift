package import Pipeline

/// The reports of a redrive (`report.json`, `losses.ndjson`, `manifest.json` of its output).
package struct RedriveReport: Sendable {
  let options: RunOptions
  package let ledger: RedriveLedger
  /// Reasons of repeated rejects, losses, unknown fields; without ledgers, because the lines belong
  /// to other jobs.
  package let tally: TallyFacts
  /// The inputs of samples, with their paths only.
  let sources: [InputOutcome]
  /// The content read of the rejects.
  let inputs: [InputOutcome]
  let redriven: WrittenFile
  let rejects: WrittenFile
  let times: FlowTimes
  let clock: StopWatch
  /// When, where and how the job ran.
  private(set) var stamp: RunStamp
  /// A problem after the output was published.
  package var warning: Failure?

  /// Ends the job, and writes the files.
  mutating func write(to staging: StagedDirectory) throws(Failure) {
    try staging.write(losses: tally.losses, of: sources)
    try Manifest(.redrive, by: stamp.tool, options.recorded(.logs), inputs: inputs)
      .write(to: staging)
    stamp.end(clock)
    try staging.folder.write(json, to: RunFiles.report)
  }

  private var json: ByteBuffer {
    Report(
      stamp: stamp, options: options.recorded(.logs).with(jobs: options.read.jobs),
      ledger: ledger, redrivenLines: redriven.lines,
      inputs: inputs.map { ReportInput(path: $0.file.path, outcome: $0) }, tally: tally,
      paths: sources.map(\.file.path), entries: rejects.lines, times: times,
      stages: times.stages, records: redriven.lines, bytes: inputs.decompressedBytes
    ).text
  }

  /// Lines in the log of accepted parts.
  package var lines: Int { redriven.lines }
  package var entriesLeft: Int { rejects.lines }
  /// Rejects that could not be read to their end (`--keep-going`).
  package var lost: [Failure] { inputs.compactMap(\.lost) }
  package var seconds: Double { clock.seconds }
  /// Decompressed bytes read.
  package var bytes: Int { inputs.decompressedBytes }
}
