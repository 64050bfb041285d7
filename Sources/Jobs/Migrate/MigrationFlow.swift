import Pipeline
import Stages

/// The flow of a migration: inputs → lanes that read, validate, migrate and write canonical lines
/// and rejects → ordered end.
struct MigrationFlow {
  let options: ReadOptions
  let inputs: [InputFile]
  let cores: CoreBudget
  let control: JobControl

  /// Runs the inputs through the stages and hands every unit to `finish` in order; behind the last
  /// one of an input comes an empty one that says what was read of it (``UnitNotes/ended``).
  /// Returns the times of the stages.
  ///
  /// - Throws: the failure that is the earliest in the order of the input.
  func run(_ finish: @escaping FlowPart<WorkUnit, Void>) throws(Failure) -> FlowTimes {
    control.expect(inputs)
    let rules = options.rules
    let paths = inputs.map(\.path)
    return try RecordFlow(stages: { Chains.migrate(rules, sources: paths) }, cores: cores).run(
      inputs, options, nonLogs: options.nonLogs, tellsEnds: true, control, finish: finish
    ).times
  }
}
