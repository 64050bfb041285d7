import Dispatch

/// A first-in, first-out queue that several lanes work off, each a serial queue on a core of its
/// own. An idle lane takes the oldest piece, so a lane whose core has other work takes fewer.
final class WorkQueue: Sendable {
  /// A piece of work, about the size of a unit; its argument is the number of its lane.
  typealias Piece = @Sendable (_ lane: Int) -> Void

  private struct State {
    var ready: [Piece] = []
    /// The last one works first. Lane 0, which may share its core with the reader, is the first.
    var idle: [Int]
  }

  private let lanes: [SerialQueue]
  private let state: Locked<State>

  init(_ label: String, lanes count: Int, cores: CoreQueues) {
    precondition(count > 0, "work needs at least one lane")
    lanes = (0..<count).map { cores.queue("\(label) \($0)", core: $0) }
    state = Locked(State(idle: Array(0..<count)))
  }

  /// Nanoseconds in which lanes had nothing to do, summed over them.
  var waited: UInt64 { lanes.reduce(0) { $0 + $1.waited } }

  func submit(_ piece: @escaping Piece) {
    let lane = state.withLock { state in
      state.ready.append(piece)
      return state.idle.popLast()
    }
    if let lane { step(lane) }
  }

  /// Has the lane run the oldest piece, and then the next one.
  private func step(_ lane: Int) {
    lanes[lane].submit {
      // Another lane may have been faster.
      let piece = self.state.withLock { $0.ready.isEmpty ? nil : $0.ready.removeFirst() }
      piece?(lane)
      let isIdle = self.state.withLock { state in
        if state.ready.isEmpty { state.idle.insert(lane, at: lane == 0 ? 0 : state.idle.count) }
        return state.ready.isEmpty
      }
      if !isIdle { self.step(lane) }
    }
  }
}
