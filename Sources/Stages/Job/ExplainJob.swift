package import Pipeline

/// Tells what happens to each line and why (`eventmill explain`, SPEC 12).
package struct ExplainJob {
  private let options: RunOptions
  private let control: JobControl

  package init(_ options: RunOptions, control: JobControl) {
    self.options = options
    self.control = control
  }

  /// Explains every line of the input, in order; `write` gets the text of whole lines.
  ///
  /// - Throws: `usage`, `io`, `corrupt`, and what `write` throws.
  package func run(
    _ write: @escaping @Sendable (ByteView) throws(Failure) -> Void
  ) throws(Failure) {
    let inputs = try InputDiscovery.logs(
      options.inputs, allowEmpty: options.allowEmpty, system: control.system)
    control.expect(inputs)
    let cores = try CoreBudget(cores: options.jobs)
    let source = InputSource(
      inputs, maxLine: options.rules.longestLine, keepsGoing: false, position: control.position,
      cores: cores, system: control.system)
    let rules = options.rules
    let flow = RecordFlow(
      stages: {
        [
          ReaderStage(rules: rules), ValidatorStage(rules: rules), MigrationStage(),
          ExplainStage(),
        ]
      }, shardStages: { _ in [] }, cores: cores, shards: 0)
    _ = try flow.run(
      source, control: control,
      finish: { unit throws(Failure) in try write(unit.text.view) })
  }
}
