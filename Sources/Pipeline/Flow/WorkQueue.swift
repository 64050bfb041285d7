import Dispatch

/// A first-in, first-out list of work that a fixed number of lanes do, each lane one piece at a
/// time, and with a core of the budget for every piece.
final class WorkQueue: Sendable {
  /// A piece of work, the size of a unit; it is told the number of its lane.
  typealias Piece = @Sendable (_ lane: Int) -> Void

  private struct State {
    var ready: [Piece] = []
    var idle: [Int]
    var waited = WaitingTime()

    /// Notes how many lanes have nothing to do from now on.
    mutating func noteIdle() {
      waited.change(to: idle.count, now: DispatchTime.now().uptimeNanoseconds)
    }
  }

  private let state: Locked<State>
  private let cores: CoreBudget
  private let priority: WorkPriority

  init(lanes: Int, cores: CoreBudget, priority: WorkPriority) {
    precondition(lanes > 0, "work needs at least one lane")
    var state = State(idle: (0..<lanes).reversed())
    state.noteIdle()
    self.state = Locked(state)
    self.cores = cores
    self.priority = priority
  }

  /// Nanoseconds for which lanes had nothing to do since the queue was made, summed over them.
  var waited: UInt64 {
    state.withLock { $0.waited.total(now: DispatchTime.now().uptimeNanoseconds) }
  }

  /// Adds a piece; an idle lane takes it, or the next one that gets free.
  func submit(_ piece: @escaping Piece) {
    let lane: Int? = state.withLock { state in
      state.ready.append(piece)
      guard let lane = state.idle.popLast() else { return nil }
      state.noteIdle()
      return lane
    }
    guard let lane else { return }
    cores.run(priority) { self.step(lane) }
  }

  /// Does the piece that came first. Returns whether there is another one for the lane.
  private func step(_ lane: Int) -> Bool {
    // Another lane may have been faster.
    let piece = state.withLock { $0.ready.isEmpty ? nil : $0.ready.removeFirst() }
    if let piece { piece(lane) }
    return state.withLock { state in
      guard state.ready.isEmpty else { return true }
      state.idle.append(lane)
      state.noteIdle()
      return false
    }
  }
}
