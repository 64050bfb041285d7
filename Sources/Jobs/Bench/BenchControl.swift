package import Pipeline

/// The way into a running benchmark from outside: how far it is, and a word to stop.
///
/// For any thread.
package final class BenchControl: Sendable {
  private struct State {
    var failure: Failure?
    var job: JobControl?
  }

  private let state = Locked(State())
  private let tell: @Sendable (String) -> Void

  /// A control that calls `tell` with a line for people whenever something else is measured.
  package init(tell: @escaping @Sendable (String) -> Void) { self.tell = tell }

  /// Stops the benchmark: it ends soon, with `failure`.
  package func cancel(_ failure: Failure) {
    let job = state.withLock { state in
      if state.failure == nil { state.failure = failure }
      return state.job
    }
    job?.cancel(failure)
  }

  /// Says what is measured now.
  func progress(_ text: String) { tell(text) }

  /// Called between two steps.
  ///
  /// - Throws: the failure that ``cancel(_:)`` was called with.
  package func check() throws(Failure) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Runs `job` with a control of its own, which is cancelled with this one.
  ///
  /// - Throws: what `job` throws, and as ``check()``.
  func run<Outcome>(_ job: (JobControl) throws(Failure) -> Outcome) throws(Failure) -> Outcome {
    let control = JobControl()
    defer { state.withLock { $0.job = nil } }
    let failure = state.withLock { state in
      state.job = control
      return state.failure
    }
    if let failure { throw failure }
    return try job(control)
  }
}
