import Dispatch
package import Pipeline
import Stages

/// The source of the units of a job over records. Used on the reader's queue.
protocol UnitSource: SendableMetatype {
  func fill(_ unit: WorkUnit) throws(Failure) -> Bool
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

  let stages: () -> sending [any Stage<WorkUnit>]
  var shardStages: (_ shard: Int) -> sending [any Stage<RoutedSlice>] = { _ in [] }
  let cores: CoreQueues
  var shards = 0

  /// Hands every unit to `finish` in order, and returns the times of the stages.
  func run(
    _ source: Exclusive<some UnitSource>, control: JobControl,
    finish: @escaping FlowPart<WorkUnit, Void>
  ) throws(Failure) -> FlowTimes {
    let lanes = (0..<cores.count).map { _ in Exclusive(StageChain(stages())) }
    let owners = (0..<shards).map { Exclusive(StageChain(shardStages($0))) }
    let (inputs, logGuard) = source.use { ($0.inputs, $0.logGuard) }
    let names = inputs.map(\.name)
    let flow = Flow(
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

  /// The same for `inputs`; also returns an outcome per input, and why inputs are not logs.
  func run(
    _ inputs: [InputFile], _ options: ReadOptions, nonLogs: NonLogPolicy?, marksEnds: Bool = false,
    hashes: Bool = true, _ control: JobControl, finish: @escaping FlowPart<WorkUnit, Void>
  ) throws(Failure) -> (times: FlowTimes, outcomes: [InputOutcome], notLogs: [Failure]) {
    let source = Exclusive(
      InputSource(
        inputs, maxLine: options.rules.longestLine, findsRecords: true,
        keepsGoing: options.keepGoing, nonLogs: nonLogs, marksEnds: marksEnds, hashes: hashes,
        position: control.position, cores: cores, system: control.system))
    let times = try run(source, control: control, finish: finish)
    return source.use { (times, $0.outcomes, $0.notLogs) }
  }
}

/// Data of the job that travels with a unit beside its records.
final class UnitNotes: UnitAttachment {
  let redriven = RedrivenLines()
  /// What was read of the input that ends here, with an empty block (``InputSource``).
  var ended: InputOutcome?

  func recycle() { redriven.recycle() }
}

extension WorkUnit {
  var notes: UnitNotes {
    if let notes = attachment as? UnitNotes { return notes }
    precondition(attachment == nil, "a unit carries the notes of another kind of job")
    let notes = UnitNotes()
    attachment = notes
    return notes
  }
}

/// Working and waiting times of the stages of a flow, for the report.
package struct FlowTimes: Sendable {
  /// Reading, the stages in order, each summed over all lanes or shards, and the ordered end.
  package var stages: [StageTime] = []
  /// Nanoseconds in which the reader waited for a free unit, so the stages were the bottleneck.
  package var readerWithoutUnit: UInt64 = 0
  /// Nanoseconds without work, summed over the cores.
  package var idle: UInt64 = 0

  init() {}

  /// `ahead` is the share of the reader's work done on other cores.
  init(
    _ parts: FlowPartTimes, ahead: UInt64, lanes: [[StageTime]], shards: [[StageTime]], idle: UInt64
  ) {
    var read = parts.reader
    read.nanoseconds += ahead
    var end = parts.end
    let laneStages = FlowTimes.sum(lanes, stalled: parts.laneStalls)
    if let first = laneStages.first {
      // The lanes process everything that is read.
      (read.bytes, read.items) = (first.bytes, first.items)
      (end.bytes, end.items) = (first.bytes, first.items)
    }
    stages = [read] + laneStages + FlowTimes.sum(shards, stalled: parts.shardStalls) + [end]
    readerWithoutUnit = parts.readerWithoutUnit
    self.idle = idle
  }

  /// Sums the times of the same stages in several chains; only the first stage waits.
  private static func sum(_ chains: [[StageTime]], stalled: UInt64) -> [StageTime] {
    var sums = chains.first ?? []
    for chain in chains.dropFirst() { for index in chain.indices { sums[index].add(chain[index]) } }
    if !sums.isEmpty { sums[0].stalled += stalled }
    return sums
  }
}

extension WorkUnit: MeasuredUnit {
  package var measuredBytes: Int { block.bytes.count }
  package var measuredItems: Int { batch.records.count }
}

extension RoutedSlice: MeasuredUnit {
  package var measuredBytes: Int { bytes.count }
  package var measuredItems: Int { operations.count }
}

/// Measures elapsed time, for reports only: no result depends on it.
package struct StopWatch: Sendable {
  private let start = DispatchTime.now().uptimeNanoseconds

  package init() {}

  package var seconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 }
}
