import Pipeline

/// The flow that all jobs over records share: inputs → lanes of stages → shards → ordered end.
struct RecordFlow {
  /// Units per lane: one being worked on, one waiting, so that lanes never wait for the reader's
  /// hand-over.
  private static let unitsPerLane = 2
  /// Units beyond those of the lanes: one being filled, some with the shards and the end.
  private static let extraUnits = 3

  /// What each lane's chain is made of; called once per lane.
  let stages: () -> [any Stage<WorkUnit>]
  /// What the chain of a shard is made of; called once per shard.
  let shardStages: (_ shard: Int) -> [any Stage<RoutedSlice>]
  /// What the job may keep busy; there is a lane for each.
  let cores: CoreBudget
  let shards: Int

  /// Runs the inputs of `source` through the stages, every unit's slices through those of the
  /// shards, and hands every unit to `finish` in order. Returns the times of the stages.
  ///
  /// - Throws: the failure that is the earliest in the order of the input.
  func run(
    _ source: InputSource, control: JobControl,
    finish: @escaping @Sendable (WorkUnit) throws(Failure) -> Void
  ) throws(Failure) -> FlowTimes {
    let pool = UnitPool(size: RecordFlow.unitsPerLane * cores.count + RecordFlow.extraUnits) {
      WorkUnit(blockSize: BlockReader.defaultBlockSize, shards: max(shards, 1))
    }
    let lanes = (0..<cores.count).map { _ in OwnedChain(StageChain(stages())) }
    let files = source.outcomes.map(\.file)
    let owners = (0..<shards).map { OwnedChain(StageChain(shardStages($0))) }
    let plan = FlowPlan<WorkUnit>(
      fill: { unit throws(Failure) in try source.fill(unit) },
      lanes: lanes.map { lane in { unit in lane.chain.process(unit) } },
      shards: owners.indices.map { shard in
        { unit in owners[shard].chain.process(unit.slices[shard]) }
      },
      finish: { unit throws(Failure) in
        if let failure = unit.failure { throw failure.at(files[unit.block.input].name) }
        try finish(unit)
      })
    let flow = Flow(plan, pool: pool, cores: cores)
    try control.run(flow)
    return FlowTimes(
      flow.times, ahead: source.nanosecondsAhead, lanes: lanes.map(\.chain.times),
      shards: owners.map(\.chain.times), idle: cores.idle)
  }

  /// Lets a chain into the closure of the queue that owns it.
  private final class OwnedChain<Unit: MeasuredUnit>: @unchecked Sendable {
    // @unchecked because only its own queue calls it, and the times are read when that has ended.
    let chain: StageChain<Unit>

    init(_ chain: StageChain<Unit>) { self.chain = chain }
  }
}
