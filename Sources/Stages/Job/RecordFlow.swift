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
  let jobs: Int
  let shards: Int

  /// Runs the inputs of `source` through the stages, hands every unit's slices to `apply` on the
  /// shard's queue, and every unit to `finish` in order. Returns the times of the stages.
  ///
  /// - Throws: the failure that is the earliest in the order of the input.
  func run(
    _ source: InputSource, control: JobControl,
    apply: @escaping @Sendable (_ shard: Int, RoutedSlice) -> Void,
    finish: @escaping @Sendable (WorkUnit) throws(Failure) -> Void
  ) throws(Failure) -> FlowTimes {
    let pool = UnitPool(size: RecordFlow.unitsPerLane * jobs + RecordFlow.extraUnits) {
      WorkUnit(blockSize: BlockReader.defaultBlockSize, shards: max(shards, 1))
    }
    let chains = (0..<jobs).map { _ in LaneChain(StageChain(stages())) }
    let plan = FlowPlan<WorkUnit>(
      fill: { unit throws(Failure) in try source.fill(unit) },
      lanes: chains.map { lane in { unit in lane.chain.process(unit) } },
      shards: (0..<shards).map { shard in { unit in apply(shard, unit.slices[shard]) } },
      finish: finish)
    let flow = Flow(plan, pool: pool)
    try control.run(flow)
    return FlowTimes(chains.map(\.chain.times), stalled: flow.stalled)
  }

  /// Lets a lane's chain into the lane's closure.
  private final class LaneChain: @unchecked Sendable {
    // @unchecked because only the lane's queue calls it, and the times are read when it has ended.
    let chain: StageChain<WorkUnit>

    init(_ chain: StageChain<WorkUnit>) { self.chain = chain }
  }
}

/// How long the parts of a flow worked.
package struct FlowTimes: Sendable {
  /// The stages in order, each summed over all lanes.
  package private(set) var stages: [StageTime]
  /// Nanoseconds the reader waited for a free unit.
  package let stalled: UInt64

  init(_ lanes: [[StageTime]], stalled: UInt64) {
    stages = lanes.first ?? []
    for lane in lanes.dropFirst() {
      for index in lane.indices { stages[index].add(lane[index]) }
    }
    self.stalled = stalled
  }

  /// Adds a stage that works outside the lanes.
  mutating func append(_ time: StageTime) { stages.append(time) }
}
