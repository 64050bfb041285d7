import Dispatch

/// Runs work that waits for a disk or a terminal beside the cores: a few pieces at a time, in any
/// order. At the limit, ``submit(_:)`` waits for a piece to end. Only one thread may submit.
package final class BackgroundWork: Sendable {
  /// Most concurrent pieces; 0: the caller runs them.
  package let threads: Int
  private let free: DispatchSemaphore
  private let underWay = DispatchGroup()
  private let state: Locked<(idle: [DispatchQueue], submitted: Int)>
  /// By the number of the piece.
  private let failures = Locked<[Int: Failure]>([:])

  /// Creates a runner for at most `most` concurrent pieces, or fewer if there are not enough
  /// threads; without any, the caller runs them.
  package init(atMost most: Int, threads available: Int = ThreadSupply.spare) {
    threads = min(most, available)
    free = DispatchSemaphore(value: threads)
    let queues = (0..<threads).map { DispatchQueue(label: "background \($0)") }
    state = Locked((idle: queues, submitted: 0))
  }

  /// Submits a piece.
  /// - Throws: the failure of an earlier piece; then this one does not run.
  package func submit(_ piece: @escaping @Sendable () throws(Failure) -> Void) throws(Failure) {
    try check()
    if threads == 0 { return try piece() }
    free.wait()
    let (queue, number) = state.withLock { state in
      state.submitted += 1
      return (state.idle.removeLast(), state.submitted)
    }
    underWay.enter()
    ThreadSupply.shared.submit(to: queue, usesCore: false) {
      do throws(Failure) { try piece() } catch { self.failures.withLock { $0[number] = error } }
      self.state.withLock { $0.idle.append(queue) }
      self.free.signal()
      self.underWay.leave()
    }
  }

  /// Waits until no piece is running.
  package func wait() { underWay.wait() }

  /// - Throws: the failure of the piece that was submitted first among those that failed.
  package func check() throws(Failure) {
    if let first = failures.withLock({ $0.min { $0.key < $1.key } }) { throw first.value }
  }
}
