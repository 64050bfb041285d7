package import Pipeline

/// The reports of a redrive (`report.json`, `losses.ndjson`, `manifest.json` of its output).
package struct RedriveReport: Sendable {
  let options: RunOptions
  let outcome: RedriveOutcome
  let clock: StopWatch
  /// When, where and how the job ran.
  private(set) var stamp: RunStamp
  /// A problem after the output was published.
  package var warning: Failure?

  /// Ends the job, and writes the files.
  ///
  /// - Throws: `io` when they cannot be written.
  mutating func write(to staging: StagedDirectory) throws(Failure) {
    let facts = outcome.facts
    try ArchiveFiles.writeLosses(facts.tally.losses, of: facts.sources, to: staging)
    try Manifest(.redrive, by: stamp.tool, options.recorded(.logs), inputs: outcome.inputs)
      .write(to: staging)
    stamp.end(clock)
    let report = json
    try staging.folder.write(report.view, to: RunFiles.report, lines: 1)
  }

  private var json: ByteBuffer {
    let facts = outcome.facts
    return Report(
      stamp: stamp, options: options.recorded(.logs).with(jobs: options.read.jobs),
      ledger: facts.ledger, redrivenLines: outcome.redriven.lines,
      inputs: outcome.inputs.map { ReportInput(content: .read($0)) }, tally: facts.tally,
      paths: facts.sources.map(\.file.path), entries: outcome.rejects.lines, times: outcome.times,
      stages: outcome.times.stages, records: outcome.redriven.lines,
      bytes: outcome.inputs.decompressedBytes
    ).text
  }

  /// The outcomes of the entries, and the reasons.
  package var facts: RedriveFacts { outcome.facts }
  /// Lines in the log of accepted parts.
  package var lines: Int { outcome.redriven.lines }
  /// Remaining entries of the rejects.
  package var entriesLeft: Int { outcome.rejects.lines }
  /// Rejects that could not be read to their end (`--keep-going`).
  package var lost: [Failure] { outcome.inputs.compactMap(\.lost) }
  /// Wall-clock seconds so far.
  package var seconds: Double { clock.seconds }
  /// Decompressed bytes read.
  package var bytes: Int { outcome.inputs.decompressedBytes }
}
