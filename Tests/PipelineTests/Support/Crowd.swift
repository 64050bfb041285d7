@testable import Pipeline

/// How many pieces of work are under way, were so at the most at a time, and are done.
final class Crowd: Sendable {
  private let state = Locked((now: 0, most: 0, done: 0))

  var figures: (now: Int, most: Int, done: Int) { state.withLock { $0 } }

  func enter() {
    state.withLock { state in
      state.now += 1
      state.most = max(state.most, state.now)
    }
  }

  func leave() {
    state.withLock { state in
      state.now -= 1
      state.done += 1
    }
  }

  func pass() {
    enter()
    leave()
  }
}
