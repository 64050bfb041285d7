package import Pipeline

/// The reports of a redrive (`report.json`, `losses.ndjson`, `manifest.json` of its output).
package struct RedriveReport: Sendable {
  let options: RunOptions
  /// The outcomes of the entries, and the reasons.
  package let facts: RedriveFacts
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
    try ArchiveFiles.writeLosses(facts.tally.losses, of: facts.sources, to: staging)
    try Manifest(.redrive, by: stamp.tool, options.recorded(.logs), inputs: inputs)
      .write(to: staging)
    stamp.end(clock)
    let report = json
    try staging.folder.write(report.view, to: RunFiles.report, lines: 1)
  }

  private var json: ByteBuffer {
    Report(
      stamp: stamp, options: options.recorded(.logs).with(jobs: options.read.jobs),
      ledger: facts.ledger, redrivenLines: redriven.lines,
      inputs: inputs.map { ReportInput(content: .read($0)) }, tally: facts.tally,
      paths: facts.sources.map(\.file.path), entries: rejects.lines, times: times,
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

package struct RedriveFacts: Sendable {
  package internal(set) var ledger: RedriveLedger
  /// Reasons of repeated rejects, losses, unknown fields; without a ledger, because the lines
  /// belong to other jobs.
  package let tally: TallyFacts
  /// The inputs of samples, with their paths only.
  package let sources: [InputOutcome]
}
