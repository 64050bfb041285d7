package import Pipeline
import Stages
import Dispatch

/// Working and waiting times of the stages of a flow, for the report.
package struct FlowTimes: Sendable {
  /// Reading, the stages in order, each summed over all lanes or shards, and the ordered end.
  package var stages: [StageTime] = []
  /// Nanoseconds in which the reader waited for a free unit, so the stages were the bottleneck.
  package var readerWithoutUnit: UInt64 = 0
  /// Nanoseconds without work, summed over the cores.
  package var idle: UInt64 = 0

  init() {}

  /// The times of a flow that has ended; `ahead` is the share of the reader's work done on other
  /// cores.
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
    for chain in chains.dropFirst() {
      for index in chain.indices { sums[index].add(chain[index]) }
    }
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

  /// Seconds since the watch was created.
  package var seconds: Double {
    Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
  }
}
