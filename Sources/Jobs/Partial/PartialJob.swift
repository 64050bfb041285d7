package import Pipeline
import Stages

/// The first half of a run, for another process to continue (`eventmill partial`).
package struct PartialJob {
  let options: RunOptions
  let control: JobControl

  /// A job with these options; `control` shows its progress and can cancel it.
  package init(_ options: RunOptions, control: JobControl) {
    (self.options, self.control) = (options, control)
  }

  /// Whether `--out` is the partial that ``run()`` would publish; always false without `--if-same`.
  ///
  /// - Throws: as ``run()``.
  package func isPublished() throws(Failure) -> Bool {
    let (output, system) = (options.publish.output, control.system)
    guard options.publish.acceptsSame, let made = try? PartialDirectory(output, system: system)
    else { return false }
    let findings = try findings(try collectedOptOuts())
    let expected = Manifest(.partial, by: control.tool, options.recorded(findings))
    guard made.manifest.isMade(like: expected), made.facts.tracking?.plan == (try tracking())?.hash
    else { return false }
    return try InputSelection.isSame(
      InputDiscovery.survey(options.read, output: output, control).inputs,
      as: made.facts.outcomes.map(ManifestInput.init), made.facts.alreadyRead,
      previous: try options.openPrevious(control.system)?.manifest,
      reingest: options.merge.reingest, control: control)
  }

  private func collectedOptOuts() throws(Failure) -> CollectedOptOuts? {
    try options.merge.optOuts.map { path throws(Failure) in
      try CollectedOptOuts(in: path, for: options, control)
    }
  }

  private func findings(_ optOuts: CollectedOptOuts?) throws(Failure) -> PrivacyFindings {
    PrivacyFindings(
      erasures: try ErasurePhase(options: options, control: control).marks(),
      consents: optOuts?.consents ?? ConsentHistory(), consentSources: optOuts?.sources.hash)
  }

  private func tracking() throws(Failure) -> TrackingPlan? {
    try options.tracking.map { path throws(Failure) in
      try TrackingPlan(reading: path, system: control.system)
    }
  }

  /// Reads the inputs and publishes the partial.
  ///
  /// - Throws: why nothing was published; see `Failure.Kind`.
  package func run() throws(Failure) -> ReadSummary {
    let clock = StopWatch()
    control.plan([.reading, .publishing])
    let optOuts = try collectedOptOuts()
    let findings = try findings(optOuts)
    let tracking = try tracking()
    let survey = try InputDiscovery.survey(options.read, output: options.publish.output, control)
    let previous = try options.openPrevious(control.system)?.manifest
    let selection = try InputSelection(
      survey.inputs, previous: previous, reingest: options.merge.reingest, control: control)
    try selection.checkUnchanged()
    let inputs = selection.inputs
    try optOuts?.check(inputs, after: previous)
    let (facts, warning) = try Publication.run(
      options.publish.output, existing: options.publish.existing, owner: .of(.partial), control,
      options.publish
    ) { staging throws(Failure) in
      try SpillForecast(inputs, tables: MemoryShare.table(options.read.memory, shards: 1))
        .check(at: staging.output.parent, control: control)
      let facts = try write(selection, survey.ignoredFiles, findings, tracking, to: staging)
      if !options.merge.reingest { try selection.check(facts.outcomes) }
      return facts
    }
    return ReadSummary(facts.tally, facts.outcomes, survey, clock)
      .published(selection, warning: warning)
  }
}
