import Pipeline
import Stages

/// Where the units of a job over records come from. Used on the reader's queue.
protocol UnitSource: Sendable {
  /// Fills the unit's block with the next lines; false when there are none.
  func fill(_ unit: WorkUnit) throws(Failure) -> Bool
  /// What messages call the inputs, by the number in a block.
  var inputNames: [String] { get }
  /// Nanoseconds that other cores did the reader's work.
  var nanosecondsAhead: UInt64 { get }
  /// What finds out which inputs are not logs; nil where that is not asked.
  var logGuard: LogGuard? { get }
}

extension UnitSource {
  var logGuard: LogGuard? { nil }
}

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
  var shardStages: (_ shard: Int) -> [any Stage<RoutedSlice>] = { _ in [] }
  /// What the job may keep busy; there is a lane for each.
  let cores: CoreBudget
  var shards = 0

  /// Runs the inputs of `source` through the stages, every unit's slices through those of the
  /// shards, and hands every unit to `finish` in order. Returns the times of the stages.
  ///
  /// - Throws: the failure that is the earliest in the order of the input.
  func run(
    _ source: some UnitSource, control: JobControl,
    finish: @escaping @Sendable (WorkUnit) throws(Failure) -> Void
  ) throws(Failure) -> FlowTimes {
    let pool = UnitPool(size: RecordFlow.unitsPerLane * cores.count + RecordFlow.extraUnits) {
      WorkUnit(blockSize: BlockReader.defaultBlockSize, shards: max(shards, 1))
    }
    let lanes = (0..<cores.count).map { _ in OwnedChain(StageChain(stages())) }
    let names = source.inputNames
    let logGuard = source.logGuard
    let owners = (0..<shards).map { OwnedChain(StageChain(shardStages($0))) }
    let plan = FlowPlan<WorkUnit>(
      fill: { unit throws(Failure) in try source.fill(unit) },
      lanes: lanes.map { lane in { unit in lane.chain.process(unit) } },
      shards: owners.indices.map { shard in
        { unit in owners[shard].chain.process(unit.slices[shard]) }
      },
      finish: { unit throws(Failure) in
        if let failure = unit.failure { throw failure.at(names[unit.block.input]) }
        try logGuard?.take(unit)
        try finish(unit)
      })
    let flow = try Flow(plan, pool: pool, cores: cores)
    try control.run(flow)
    try logGuard?.finish()
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
