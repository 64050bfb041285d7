import Pipeline

/// The first half of a run: inputs → state in the shards, rejects in the staging directory.
struct MergePhase {
  let options: RunOptions
  let inputs: [InputFile]
  let names: RunNames
  let shards: [ProfileShard]
  let staging: StagedDirectory
  let control: JobControl

  /// Reads all inputs.
  ///
  /// - Throws: the failure that is the earliest in the order of the input.
  func run() throws(Failure) -> MergeOutcome {
    let cores = CoreBudget(cores: options.jobs)
    let source = InputSource(
      inputs, maxLine: options.rules.maxLine, keepsGoing: options.keepGoing,
      position: control.position, cores: cores)
    let sink = try RejectSink(
      inputs: inputs.count, file: staging.folder.create(RunFiles.rejects), level: options.level,
      control: control)
    let rules = options.rules
    let paths = inputs.map(\.path)
    let flow = RecordFlow(
      stages: { [names] in
        [
          ReaderStage(rules: rules), ValidatorStage(rules: rules), MigrationStage(),
          RouterStage(names: names, withProfiles: true), QuarantineStage(sources: paths),
        ]
      },
      shardStages: { [shards] in
        [ProfileMergeStage(shards[$0]), AggregationStage(shards[$0].counters)]
      }, cores: cores, shards: shards.count)
    let times = try flow.run(
      source, control: control, finish: { unit throws(Failure) in try sink.take(unit) })
    return try sink.finish(source.outcomes, times: times)
  }
}

/// Takes the units at the end of the flow: counts them, and writes their rejects in order.
final class RejectSink: @unchecked Sendable {
  // @unchecked because only the flow's last queue calls it, and `finish` when the flow has ended.
  private var tally: RunTally
  private let writer: SeekableTextWriter
  private let control: JobControl
  private var hash = XXH64()

  init(inputs: Int, file: OutputFile, level: Int, control: JobControl) throws(Failure) {
    tally = RunTally(inputs: inputs)
    writer = try SeekableTextWriter(file, level: level)
    self.control = control
  }

  func take(_ unit: WorkUnit) throws(Failure) {
    tally.add(unit)
    control.count(records: unit.batch.lines.count, rejects: tally.linesWithRejects)
    try unit.rejects.forEachPiece { piece throws(Failure) in try writer.append(piece) }
  }

  func finish(
    _ outcomes: [InputOutcome], times: FlowTimes
  ) throws(Failure) -> MergeOutcome {
    for (input, outcome) in outcomes.enumerated() {
      tally.setLines(outcome.summary?.lines ?? 0, of: input)
    }
    return MergeOutcome(
      tally: tally.facts, outcomes: outcomes, rejects: try writer.finish(), times: times)
  }
}

/// What the first half of a run leaves behind, besides the state in the shards.
struct MergeOutcome {
  let tally: TallyFacts
  let outcomes: [InputOutcome]
  /// The finished rejects file.
  let rejects: WrittenFile
  let times: FlowTimes

  var ledgers: [Ledger] { tally.ledgers }
  var total: Ledger { tally.total }
  var linesWithRejects: Int { tally.linesWithRejects }
}
