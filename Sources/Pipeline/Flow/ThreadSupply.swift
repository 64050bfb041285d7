import Dispatch

/// The threads of Dispatch: whether there are enough of them, and whether it waits for one. Any
/// thread.
///
/// When the system gives Dispatch no thread, `async` tries again once a second, indefinitely and
/// silently, on the thread that called it. So a job checks the threads before it begins
/// (``require(_:threads:)``), and the records of ``submit(to:usesCore:_:)`` show a watcher that
/// Dispatch waits (``tick()``).
package final class ThreadSupply: Sendable {
  package static let shared = ThreadSupply()

  /// Milliseconds between two calls of ``tick()``.
  package static let tickInterval = 250
  /// Ticks (a stopped process has none) without progress after which Dispatch has no thread: ten
  /// seconds. Idle threads end after five, and Dispatch notices that within one more.
  static let patience = 40
  /// Threads besides those of the cores: the one that manages Dispatch's timers, the reader of a
  /// pipe, and two in reserve, because a thread that is about to sleep is not always used again.
  static let besidesCores = 4
  /// Most threads for ``BackgroundWork``.
  private static let background = 9

  private struct State {
    var ticks = 0
    /// The tick of the last change of what follows.
    var changed = 0
    /// Calls of `async` that have not returned.
    var submitting = 0
    /// Pieces that have not begun.
    var queued = 0
    /// Pieces that keep a core busy.
    var running = 0
  }

  private let state = Locked(State())

  /// How many threads Dispatch can have, up to what it uses on this machine.
  package static let available = System.availableThreads(
    upTo: System.processors + besidesCores + background)

  package static var spare: Int { max(0, available - System.processors - besidesCores) }

  /// The number of cores, up to `wanted`, for which `threads` threads are enough.
  /// - Throws: `limit`, when they are not enough for one; `io`, when there are no descriptors.
  static func require(_ wanted: Int, threads: Int) throws(Failure) -> Int {
    guard threads > besidesCores else {
      throw exhausted(
        "only \(threads) of the \(besidesCores + 1) threads that it takes can be created")
    }
    try System.checkReservedDescriptors()
    // Dispatch may have a thread per processor for them, however few they are.
    let most = threads - besidesCores
    return most >= System.processors ? wanted : min(wanted, max(1, most / 2))
  }

  /// Submits `piece` to `queue`. `usesCore` is false for a piece that mostly waits.
  func submit(
    to queue: DispatchQueue, usesCore: Bool, _ piece: @escaping @Sendable () -> Void
  ) {
    change { state in
      state.queued += 1
      state.submitting += 1
    }
    queue.async {
      self.change { state in
        state.queued -= 1
        state.running += usesCore ? 1 : 0
      }
      System.keepNiceness()
      piece()
      self.change { $0.running -= usesCore ? 1 : 0 }
    }
    change { $0.submitting -= 1 }
  }

  var isBehind: Bool { state.withLock { $0.queued > 0 } }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      state.changed = state.ticks
      body(&state)
    }
  }

  /// Called every ``tickInterval`` ms; the failure when Dispatch has waited too long for a thread.
  package func tick() -> Failure? {
    let isStuck = state.withLock { state in
      state.ticks += 1
      let isWaiting = state.submitting > 0 || state.queued > 0 && state.running == 0
      return isWaiting && state.ticks - state.changed >= Self.patience
    }
    return isStuck ? Self.exhausted("the system has given none for ten seconds") : nil
  }

  private static func exhausted(_ why: String) -> Failure {
    Failure(
      .limit, doing: "starting a thread", why: why,
      advice: "raise the limit of processes (ulimit -u, or TasksMax of a service) or that of "
        + "memory (ulimit -v), and run again", mayPass: true)
  }
}
