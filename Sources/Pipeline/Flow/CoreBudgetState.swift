/// Decides which work gets the next free core: a pure state machine without locks or threads.
///
/// Invariant: while a core is free, nothing waits. So no core is idle while there is work, and
/// urgent work waits at most until the first running piece ends.
struct CoreBudgetState<Work> {
  let cores: Int
  /// Number of cores without work.
  private(set) var free: Int
  /// Work that waits for a core, by priority, each in first-in, first-out order.
  private var waiting: [[Work]]

  init(cores: Int) {
    precondition(cores > 0, "work needs at least one core")
    self.cores = cores
    free = cores
    waiting = WorkPriority.allCases.map { _ in [] }
  }

  var waitingCount: Int { waiting.reduce(0) { $0 + $1.count } }

  /// Returns `work` if a core is free; otherwise a later ``release()`` returns it.
  mutating func request(_ work: Work, _ priority: WorkPriority) -> Work? {
    guard free == 0 else {
      free -= 1
      return work
    }
    waiting[priority.rawValue].append(work)
    return nil
  }

  /// Queues `work`, which has a core, behind equally urgent work; returns the work that has the
  /// core now.
  mutating func yield(_ work: Work, _ priority: WorkPriority) -> Work {
    for urgent in 0...priority.rawValue where !waiting[urgent].isEmpty {
      waiting[priority.rawValue].append(work)
      return waiting[urgent].removeFirst()
    }
    return work
  }

  /// Takes back a core. Returns the most urgent work, which has the core now, or nil if there is
  /// none.
  mutating func release() -> Work? {
    for priority in waiting.indices where !waiting[priority].isEmpty {
      return waiting[priority].removeFirst()
    }
    precondition(free < cores, "more cores were released than acquired")
    free += 1
    return nil
  }
}

/// The order in which waiting work gets a core, most urgent first.
enum WorkPriority: Int, CaseIterable, Sendable {
  /// Reading and decompressing in input order: a delay here cannot be made up later.
  case reader
  /// The ordered end, then the shards: both return units to the reader.
  case finish
  case shard
  /// Compressing what the ordered end has handed out. The end waits for it when too much is queued.
  case behind
  /// The stages of a lane.
  case lane
  /// Decompressing ahead of the reader: only on cores that no other work needs.
  case ahead
}
