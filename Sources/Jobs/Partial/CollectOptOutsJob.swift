package import Pipeline
import Stages

/// Collects the opt-outs in inputs, and in a partition of the previous output, for the partials of
/// a night that honors them (`eventmill cluster partial --collect-opt-outs`).
package struct CollectOptOutsJob {
  private let options: RunOptions
  private let partition: Int?
  private let control: JobControl

  /// A job over the inputs of `options`, and over `partition` of their previous output, if any.
  package init(_ options: RunOptions, partition: Int?, control: JobControl) {
    (self.options, self.partition, self.control) = (options, partition, control)
  }

  /// Whether `--out` is what ``run()`` would publish; always false without `--if-same`.
  package func isPublished() throws(Failure) -> Bool {
    let (output, system) = (options.publish.output, control.system)
    guard options.publish.acceptsSame,
      let made = try? Manifest(output, kind: .optOuts, doing: "comparing with", system: system)
    else { return false }
    let expected = Manifest(.optOuts, by: control.tool, options.recorded(.lines))
    let previous = try options.openPrevious(control.system)
    let state = try part(of: previous).map(ManifestInput.init)
    guard made.isMade(like: expected, at: options.publish, control),
      state.map(made.inputs.contains) ?? true
    else {
      return false
    }
    return try options.findsAgain(
      made.inputs.filter { $0 != state }, made.alreadyRead, after: previous?.manifest, .optOuts,
      control)
  }

  /// The part of the previous state that is read, as an input; nil when none is.
  private func part(of previous: Output?) throws(Failure) -> InputOutcome? {
    guard let previous, let partition else { return nil }
    let files = previous.manifest.stateParts
    guard files.indices.contains(partition) else {
      throw Failure(
        .usage, doing: "collecting opt-outs", path: options.merge.previous,
        why:
          "it has \(NumberFormat.count(files.count, "partition")), so partition \(partition) does not exist",
        advice: "name a partition from 0 to \(files.count - 1)")
    }
    return InputOutcome(listed: files[partition])
  }

  /// Reads everything and publishes the collection. Returns the number of consent statements.
  /// - Throws: why nothing was published; see `Failure.Kind`.
  package func run() throws(Failure) -> (statements: Int, read: ReadSummary) {
    let clock = StopWatch()
    control.plan([.consent, .publishing])
    let survey = try InputDiscovery.survey(options.read, output: options.publish.output, control)
    let previous = try options.openPrevious(control.system)
    let part = try part(of: previous)
    let selection = try InputSelection(
      survey.inputs, previous: previous?.manifest, reingest: options.merge.reingest,
      control: control)
    try selection.checkUnchanged()
    let (read, warning) = try Publication.run(options.publish, as: .of(.optOuts), control) {
      staging throws(Failure) in
      var (consents, outcomes) = try ConsentPhase(
        options: options.read, inputs: selection.inputs, control: control
      ).readInputs(nonLogs: options.read.nonLogs, hashes: true)
      if let previous, let partition {
        // Compares the files with the manifest.
        _ = try previous.snapshot(partition..<partition + 1)
        try previous.forEachConsent(of: partition..<partition + 1) { consents.add($0, of: $1) }
      }
      try consents.checkCount()
      try staging.folder.write(consents.records.view, to: RunFiles.optOuts, lines: 0)
      var manifest = Manifest(
        .optOuts, by: control.tool, options.recorded(.lines),
        inputs: outcomes + (part.map { [$0] } ?? []))
      manifest.alreadyRead = selection.alreadyRead
      try manifest.write(to: staging)
      return (statements: consents.count, outcomes: outcomes)
    }
    let summary = ReadSummary(TallyFacts(), read.outcomes, survey, clock)
    return (read.statements, summary.published(selection, warning: warning))
  }
}

extension InputOutcome {
  /// The outcome of reading a file that a manifest lists.
  init(listed file: WrittenFile) {
    self.init(
      file: InputFile(path: file.path, size: file.bytes),
      summary: InputSummary(
        compression: .none, compressedBytes: file.bytes, hash: file.xxh64,
        decompressedBytes: file.bytes, lines: file.lines))
  }
}

extension Manifest {
  /// The parts of an output's state, in order.
  var stateParts: [WrittenFile] { files.filter { $0.path.hasPrefix("\(RunFiles.state)/part-") } }
}
