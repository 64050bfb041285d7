import Stages
package import Pipeline

/// Checks logs and writes nothing (`eventmill validate`).
package struct ValidateJob {
  private let options: ReadOptions
  private let control: JobControl

  package init(_ options: ReadOptions, control: JobControl) {
    (self.options, self.control) = (options, control)
  }

  /// Reads and checks all inputs. Duplicates are not looked for.
  ///
  /// - Throws: `usage`, `io`, `corrupt`; the failure that is the earliest in the order of the
  ///   input.
  package func run() throws(Failure) -> ValidateOutcome {
    let clock = StopWatch()
    let survey = try InputDiscovery.survey(options, control)
    let inputs = survey.inputs
    let sink = Exclusive(TallySink(inputs: inputs.count, control: control))
    let rules = options.rules
    let read = try RecordFlow(
      stages: { Chains.canonical(rules) }, cores: try CoreBudget(cores: options.jobs)
    ).run(
      inputs, options, nonLogs: .report, hashes: false, control, finish: sink.part { $0.take })
    return ValidateOutcome(
      facts: sink.use { $0.facts(read.outcomes) }, inputs: inputs.map(\.path),
      lost: read.outcomes.compactMap(\.lost), notLogs: read.notLogs,
      ignoredFiles: survey.ignoredFiles, seconds: clock.seconds,
      bytes: read.outcomes.decompressedBytes)
  }
}

/// What checking found.
package struct ValidateOutcome {
  /// Ledger, reasons and losses.
  package let facts: TallyFacts
  /// The inputs' paths, by the indices that samples name.
  package let inputs: [String]
  /// Inputs that could not be read to their end (`--keep-going`).
  package let lost: [Failure]
  /// Inputs that are not logs, and what they look like.
  package let notLogs: [Failure]
  /// What is no input, in the directories that were named.
  package let ignoredFiles: IgnoredFiles
  /// Wall-clock seconds.
  package let seconds: Double
  /// Decompressed bytes read.
  package let bytes: Int
}
