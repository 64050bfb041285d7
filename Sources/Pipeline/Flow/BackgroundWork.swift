import Dispatch

/// Runs work that waits for a disk or a terminal beside the cores: a few pieces at a time, in any
/// order. At the limit, ``submit(_:)`` waits for a piece to end. Only one thread may submit.
package final class BackgroundWork: Sendable {
  /// Most concurrent pieces; 0: the caller runs them.
  package let threads: Int

  private let free: DispatchSemaphore
  private let underWay = DispatchGroup()
  private let queue = DispatchQueue(label: "background", attributes: .concurrent)
  /// The number of pieces, and the failures by the number of the piece.
  private let state = Locked((submitted: 0, failures: [Int: Failure]()))

  /// A runner of at most `most` pieces at once, or of as many as there are threads.
  package init(atMost most: Int, threads available: Int = ThreadSupply.spare) {
    threads = min(most, available)
    free = DispatchSemaphore(value: threads)
  }

  /// - Throws: the failure of an earlier piece; then this one does not run.
  package func submit(_ piece: @escaping @Sendable () throws(Failure) -> Void) throws(Failure) {
    try check()
    if threads == 0 { return try piece() }
    free.wait()
    let number = state.withLock { state in
      state.submitted += 1
      return state.submitted
    }
    underWay.enter()
    ThreadSupply.shared.submit(to: queue, usesCore: false) {
      do throws(Failure) { try piece() } catch {
        self.state.withLock { $0.failures[number] = error }
      }
      self.free.signal()
      self.underWay.leave()
    }
  }

  /// Waits until no piece is running.
  package func wait() { underWay.wait() }

  /// - Throws: the failure of the piece that was submitted first among those that failed.
  package func check() throws(Failure) {
    if let first = state.withLock({ $0.failures.min { $0.key < $1.key } }) { throw first.value }
  }
}
