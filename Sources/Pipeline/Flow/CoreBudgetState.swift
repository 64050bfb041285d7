/// Which work gets the next free core: a pure state machine without locks or threads.
///
/// Invariant: while a core is free, nothing waits. So no core is idle while there is work, and work
/// of an urgent kind waits at most for the piece of work that ends first.
struct CoreBudgetState<Work> {
  let cores: Int
  /// How many of them have no work.
  private(set) var free: Int
  /// What waits for a core, first in, first out, by priority.
  private var waiting: [[Work]]

  init(cores: Int) {
    precondition(cores > 0, "work needs at least one core")
    self.cores = cores
    free = cores
    waiting = WorkPriority.allCases.map { _ in [] }
  }

  var waitingCount: Int { waiting.reduce(0) { $0 + $1.count } }

  /// Returns `work` when there is a core for it now; otherwise a later ``release()`` returns it.
  mutating func request(_ work: Work, _ priority: WorkPriority) -> Work? {
    guard free == 0 else {
      free -= 1
      return work
    }
    waiting[priority.rawValue].append(work)
    return nil
  }

  /// Puts `work`, which has a core, behind what is as urgent; returns what has the core now.
  mutating func yield(_ work: Work, _ priority: WorkPriority) -> Work {
    for urgent in 0...priority.rawValue where !waiting[urgent].isEmpty {
      waiting[priority.rawValue].append(work)
      return waiting[urgent].removeFirst()
    }
    return work
  }

  /// Takes back a core; returns the most urgent work, which has it now, or nil when it is free.
  ///
  mutating func release() -> Work? {
    for priority in waiting.indices where !waiting[priority].isEmpty {
      return waiting[priority].removeFirst()
    }
    precondition(free < cores, "a core was given back that nobody had")
    free += 1
    return nil
  }
}

/// What goes first when several kinds of work wait for a core.
enum WorkPriority: Int, CaseIterable, Sendable {
  /// Reading and decompressing in the order of the input: what cannot be made up for later.
  case reader
  /// The ordered end, then the shards: both give units back to the reader.
  case finish
  case shard
  /// Compressing what the ordered end has handed out: it waits for that when too much is under way.
  case behind
  /// The stages of a lane.
  case lane
  /// Decompressing ahead of the reader: only what no other work needs the core for.
  case ahead
}
