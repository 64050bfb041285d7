import Dispatch

/// A first-in, first-out queue that a fixed number of lanes work off. A lane does one piece at a
/// time and needs a core of the budget for each.
final class WorkQueue: Sendable {
  /// A piece of work, about the size of a unit; its argument is the number of its lane.
  typealias Piece = @Sendable (_ lane: Int) -> Void

  private struct State {
    var ready: [Piece] = []
    var idle: [Int]
    var waited = WaitingTime()

    /// Records how many lanes are idle from now on.
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

  /// Nanoseconds in which lanes were idle since the queue was created, summed over them.
  var waited: UInt64 {
    state.withLock { $0.waited.total(now: DispatchTime.now().uptimeNanoseconds) }
  }

  /// Adds a piece for an idle lane, or the next one that becomes idle.
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

  /// Runs the oldest piece. Returns whether there is another one for the lane.
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
