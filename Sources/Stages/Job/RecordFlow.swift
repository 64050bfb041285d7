package import Pipeline

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
    let owners = (0..<shards).map { OwnedChain(StageChain(shardStages($0))) }
    let plan = FlowPlan<WorkUnit>(
      fill: { unit throws(Failure) in try source.fill(unit) },
      lanes: lanes.map { lane in { unit in lane.chain.process(unit) } },
      shards: owners.indices.map { shard in
        { unit in owners[shard].chain.process(unit.slices[shard]) }
      },
      finish: finish)
    let flow = Flow(plan, pool: pool, cores: cores)
    try control.run(flow)
    return FlowTimes(
      lanes: lanes.map(\.chain.times), shards: owners.map(\.chain.times), stalled: flow.stalled)
  }

  /// Lets a chain into the closure of the queue that owns it.
  private final class OwnedChain<Unit>: @unchecked Sendable {
    // @unchecked because only its own queue calls it, and the times are read when that has ended.
    let chain: StageChain<Unit>

    init(_ chain: StageChain<Unit>) { self.chain = chain }
  }
}

/// How long the parts of a flow worked.
package struct FlowTimes: Sendable {
  /// The stages in order, each summed over all lanes or shards.
  package let stages: [StageTime]
  /// Nanoseconds the reader waited for a free unit.
  package let stalled: UInt64

  init(lanes: [[StageTime]], shards: [[StageTime]], stalled: UInt64) {
    stages = FlowTimes.sum(lanes) + FlowTimes.sum(shards)
    self.stalled = stalled
  }

  private static func sum(_ chains: [[StageTime]]) -> [StageTime] {
    var sums = chains.first ?? []
    for chain in chains.dropFirst() {
      for index in chain.indices { sums[index].add(chain[index]) }
    }
    return sums
  }
}
