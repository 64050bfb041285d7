import Dispatch

/// A first-in, first-out list of units that a fixed number of lanes work off, each lane on its own
/// serial queue.
final class WorkQueue<Unit: AnyObject & Sendable>: Sendable {
  private struct State {
    var ready: [Unit] = []
    var taken = 0
    var idle: [Int]
  }

  private let state: Locked<State>
  private let queues: [DispatchQueue]
  private let work: @Sendable (_ lane: Int, Unit) -> Void

  /// A queue with `lanes` lanes, on each of which `work` is called for one unit at a time.
  init(name: String, lanes: Int, work: @escaping @Sendable (_ lane: Int, Unit) -> Void) {
    precondition(lanes > 0, "work needs at least one lane")
    queues = (0..<lanes).map { DispatchQueue(label: "eventmill.\(name).\($0)") }
    state = Locked(State(idle: Array((0..<lanes).reversed())))
    self.work = work
  }

  /// Adds a unit; an idle lane takes it, or the next one that gets free.
  func submit(_ unit: Unit) {
    let lane: Int? = state.withLock { state in
      state.ready.append(unit)
      return state.idle.popLast()
    }
    if let lane { queues[lane].async { self.drain(lane) } }
  }

  private func drain(_ lane: Int) {
    while let unit = nextUnit(for: lane) { work(lane, unit) }
  }

  private func nextUnit(for lane: Int) -> Unit? {
    state.withLock { state in
      guard state.taken < state.ready.count else {
        state.ready.removeAll(keepingCapacity: true)
        state.taken = 0
        state.idle.append(lane)
        return nil
      }
      let unit = state.ready[state.taken]
      state.taken += 1
      if state.taken == state.ready.count {
        state.ready.removeAll(keepingCapacity: true)
        state.taken = 0
      }
      return unit
    }
  }
}
