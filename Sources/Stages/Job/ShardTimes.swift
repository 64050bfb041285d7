import Dispatch
import Pipeline

/// How long each shard worked; every shard notes its own time on its own queue.
final class ShardTimes: @unchecked Sendable {
  // @unchecked because each shard writes its own element, and `total` is read when all have ended.
  private let cells: [Cell]

  private final class Cell {
    var time = StageTime(name: "")
  }

  init(count: Int) { cells = (0..<count).map { _ in Cell() } }

  /// Runs `work` and adds its time to that of `shard`. On the shard's queue.
  func measure(_ shard: Int, _ work: () -> Void) {
    let start = DispatchTime.now().uptimeNanoseconds
    work()
    cells[shard].time.nanoseconds += DispatchTime.now().uptimeNanoseconds - start
    cells[shard].time.units += 1
  }

  /// The sum over all shards.
  func total(named name: String) -> StageTime {
    var sum = StageTime(name: name)
    for cell in cells { sum.add(cell.time) }
    return sum
  }
}

/// Time since it was made, for reports only: no result depends on it.
package struct StopWatch: Sendable {
  private let start = DispatchTime.now().uptimeNanoseconds

  package init() {}

  /// Seconds since the watch was made.
  package var seconds: Double {
    Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
  }
}
