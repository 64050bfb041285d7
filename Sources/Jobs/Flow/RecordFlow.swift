import Pipeline
import Stages

/// The source of the units of a job over records. Used on the reader's queue.
protocol UnitSource: SendableMetatype {
  /// Fills the unit's block with the next lines; false at the end.
  func fill(_ unit: WorkUnit) throws(Failure) -> Bool
  /// The inputs, by the number in a block.
  var inputs: [InputFile] { get }
  /// Nanoseconds of the reader's work that other cores did.
  var nanosecondsAhead: UInt64 { get }
  /// Finds inputs that are not logs; nil where the job does not check that.
  var logGuard: Locked<LogGuard>? { get }
}

/// The flow that all jobs over records share: inputs → lanes of stages → shards → ordered end.
struct RecordFlow {
  /// Units per lane: one in work and one waiting.
  private static let unitsPerLane = 2
  /// Units beyond those of the lanes: one being filled, some with the shards and the end.
  private static let extraUnits = 3

  /// Creates the stages of a lane; called once per lane.
  let stages: () -> sending [any Stage<WorkUnit>]
  /// Creates the stages of a shard; called once per shard.
  var shardStages: (_ shard: Int) -> sending [any Stage<RoutedSlice>] = { _ in [] }
  /// The cores that the job may use; there is one lane per core.
  let cores: CoreQueues
  var shards = 0

  /// Runs the inputs of `source` through the stages, the slices of every unit through the stages of
  /// the shards, and hands every unit to `finish` in order. Returns the times of the stages.
  /// - Throws: the failure that is earliest in input order.
  func run(
    _ source: Exclusive<some UnitSource>, control: JobControl,
    finish: @escaping FlowPart<WorkUnit, Void>
  ) throws(Failure) -> FlowTimes {
    let lanes = (0..<cores.count).map { _ in Exclusive(StageChain(stages())) }
    let owners = (0..<shards).map { Exclusive(StageChain(shardStages($0))) }
    let (inputs, logGuard) = source.use { ($0.inputs, $0.logGuard) }
    let names = inputs.map(\.name)
    let flow = try Flow(
      units: RecordFlow.unitsPerLane * cores.count + RecordFlow.extraUnits,
      of: { WorkUnit(blockSize: BlockReader.defaultBlockSize, shards: max(shards, 1)) },
      cores: cores, readerWaits: inputs.contains(where: \.waits), fill: source.part { $0.fill },
      lanes: lanes.map { lane in
        lane.part { chain in
          { unit throws(Failure) in
            chain.process(unit)
            if let failure = unit.failure { throw failure.at(names[unit.block.input]) }
          }
        }
      },
      shards: owners.map { owner in
        owner.part { chain in
          { slice throws(Failure) in
            chain.process(slice)
            if let failure = slice.failure { throw failure }
          }
        }
      },
      finish: { unit throws(Failure) in
        try logGuard?.withLock { logs throws(Failure) in try logs.take(unit) }
        try finish(unit)
      })
    try control.run(flow)
    let warnings = try logGuard?.withLock { logs throws(Failure) in
      try logs.finish()
      return logs.warnings
    }
    for warning in warnings ?? [] { control.warn(warning) }
    return FlowTimes(
      flow.times, ahead: source.use { $0.nanosecondsAhead },
      lanes: lanes.map { lane in lane.use { $0.times } },
      shards: owners.map { owner in owner.use { $0.times } }, idle: cores.idle)
  }

  /// The same for `inputs`, read with `options`; the other parameters are those of ``InputSource``.
  /// Also returns an outcome per input, and why inputs are not logs.
  func run(
    _ inputs: [InputFile], _ options: ReadOptions, nonLogs: NonLogPolicy?, marksEnds: Bool = false,
    hashes: Bool = true, _ control: JobControl, finish: @escaping FlowPart<WorkUnit, Void>
  ) throws(Failure) -> (times: FlowTimes, outcomes: [InputOutcome], notLogs: [Failure]) {
    let source = Exclusive(
      InputSource(
        inputs, maxLine: options.rules.longestLine, findsRecords: true,
        keepsGoing: options.keepGoing, nonLogs: nonLogs, marksEnds: marksEnds, hashes: hashes,
        position: control.position,
        cores: cores, system: control.system))
    let times = try run(source, control: control, finish: finish)
    return source.use { (times, $0.outcomes, $0.notLogs) }
  }
}
